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
// From the first byte on, 64 at a time; returns how far it came.
__attribute__((target("avx2,popcnt"))) std::size_t count_avx2(std::string_view text,
                                                              LineCounts* counts,
                                                              std::uint64_t* empty) {
  const __m256i end = _mm256_set1_epi8('\n'), back = _mm256_set1_epi8('\r'),
                escape = _mm256_set1_epi8(kEscape);
  const auto bits = [](__m256i low, __m256i high) __attribute__((target("avx2"))) {
    const auto bits_of = [](__m256i bytes) __attribute__((target("avx2"))) {
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm256_movemask_epi8(bytes)));
    };
    return bits_of(low) | bits_of(high) << 32U;
  };
  __m256i escapes = _mm256_setzero_si256();
  std::uint64_t after_end = 1, after_both = 0;  // Is the byte before '\n', or "\n\r"?
  std::size_t at = 0;
  for (; at + 64 <= text.size(); at += 64) {
    const auto* const from = reinterpret_cast<const __m256i*>(text.data() + at);
    const __m256i low = _mm256_loadu_si256(from), high = _mm256_loadu_si256(from + 1);
    escapes = _mm256_or_si256(escapes, _mm256_or_si256(_mm256_cmpeq_epi8(low, escape),
                                                       _mm256_cmpeq_epi8(high, escape)));
    const std::uint64_t ends = bits(_mm256_cmpeq_epi8(low, end), _mm256_cmpeq_epi8(high, end));
    const std::uint64_t backs = bits(_mm256_cmpeq_epi8(low, back), _mm256_cmpeq_epi8(high, back));
    const std::uint64_t behind_ends = ends << 1U | after_end;
    const std::uint64_t both = backs & behind_ends;
    const std::uint64_t blank = ends & (behind_ends | both << 1U | after_both);
    after_end = ends >> 63U;
    after_both = both >> 63U;
    counts->line_ends += static_cast<unsigned>(std::popcount(ends));
    *empty += static_cast<unsigned>(std::popcount(blank));
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
#if defined(__x86_64__)
    if (may_use_avx2()) done = count_avx2(text, &counts, &empty);
#endif
    if (done == 0) {
      count_bytes(text.substr(0, 2), '\n', '\n', &counts, &empty);
      done = count_words(text, &counts, &empty);
    }
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
