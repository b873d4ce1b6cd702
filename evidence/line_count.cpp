#include "evidence/line_count.h"
#include "evidence/lines.h"

#include <bit>

#include "base/processor.h"
#include "evidence/words.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attrib::evidence {
namespace {

constexpr char kEscape = '\x1B';

// `before` and `before_that` are the bytes in front of `text`.
void count_bytes(std::string_view text, char before, char before_that, LineCounts* counts,
                 std::uint64_t* empty) {
  for (const char c : text) {
    if (c == '\n') {
      ++counts->line_ends;
      *empty += before == '\n' || (before == '\r' && before_that == '\n') ? 1 : 0;
    }
    counts->has_escape |= c == kEscape;
    before_that = before;
    before = c;
  }
}

// From byte 2 on; returns how far it came.
std::size_t count_words(std::string_view text, LineCounts* counts, std::uint64_t* empty) {
  std::size_t at = 2;
  std::uint64_t escapes = 0;
  for (; at + kWordBytes <= text.size(); at += kWordBytes) {
    const std::uint64_t here = word_at(text, at);
    escapes |= bytes_that_are(here, kEscape);
    const std::uint64_t ends = bytes_that_are(here, '\n');
    if (ends == 0) continue;
    counts->line_ends += static_cast<unsigned>(std::popcount(ends));
    const std::uint64_t one = word_at(text, at - 1), two = word_at(text, at - 2);
    const std::uint64_t with_return = bytes_that_are(one, '\r') & bytes_that_are(two, '\n');
    const std::uint64_t blank = ends & (bytes_that_are(one, '\n') | with_return);
    *empty += static_cast<unsigned>(std::popcount(blank));
  }
  counts->has_escape |= escapes != 0;
  return at;
}

#if defined(__x86_64__)
// The same.
__attribute__((target("avx2,popcnt"))) std::size_t count_avx2(std::string_view text,
                                                              LineCounts* counts,
                                                              std::uint64_t* empty) {
  const __m256i end = _mm256_set1_epi8('\n'), back = _mm256_set1_epi8('\r'),
                escape = _mm256_set1_epi8(kEscape);
  __m256i escapes = _mm256_setzero_si256();
  std::size_t at = 2;
  const auto load = [&](std::size_t from) __attribute__((target("avx2,popcnt"))) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + from));
  };
  for (; at + 32 <= text.size(); at += 32) {
    const __m256i here = load(at);
    const __m256i ends = _mm256_cmpeq_epi8(here, end);
    escapes = _mm256_or_si256(escapes, _mm256_cmpeq_epi8(here, escape));
    const auto mask = static_cast<unsigned>(_mm256_movemask_epi8(ends));
    if (mask == 0) continue;
    counts->line_ends += static_cast<unsigned>(std::popcount(mask));
    const __m256i one = load(at - 1);
    const __m256i bare = _mm256_cmpeq_epi8(one, end);
    const __m256i with_return =
        _mm256_and_si256(_mm256_cmpeq_epi8(one, back), _mm256_cmpeq_epi8(load(at - 2), end));
    const __m256i blank = _mm256_and_si256(ends, _mm256_or_si256(bare, with_return));
    *empty += static_cast<unsigned>(
        std::popcount(static_cast<unsigned>(_mm256_movemask_epi8(blank))));
  }
  counts->has_escape |= _mm256_testz_si256(escapes, escapes) == 0;
  return at;
}
#endif

}  // namespace

LineCounts count_lines(std::string_view text) {
  LineCounts counts;
  std::uint64_t empty = 0;
  std::size_t done = 0;
  if (text.size() >= 64) {
    count_bytes(text.substr(0, 2), '\n', '\n', &counts, &empty);
#if defined(__x86_64__)
    done = may_use_avx2() ? count_avx2(text, &counts, &empty) : count_words(text, &counts, &empty);
#else
    done = count_words(text, &counts, &empty);
#endif
  }
  const char before = done == 0 ? '\n' : text[done - 1];
  const char before_that = done == 0 ? '\n' : text[done - 2];
  count_bytes(text.substr(done), before, before_that, &counts, &empty);
  counts.filled = counts.line_ends - empty;
  // A last line without a line end; a lone '\r' is none.
  const std::size_t last = last_line_end(text);
  const std::string_view rest = text.substr(last == std::string_view::npos ? 0 : last + 1);
  if (!rest.empty() && rest != "\r") ++counts.filled;
  return counts;
}

}  // namespace attrib::evidence
