#include "evidence/line_count.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/processor.h"
#include "evidence/lines.h"
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

// From `at` on, which is 2 or more; returns how far it came.
std::size_t count_words(std::string_view text, std::size_t at, LineCounts* counts,
                        std::uint64_t* empty) {
  std::uint64_t escapes = 0;
  for (; at + kWordBytes <= text.size(); at += kWordBytes) {
    const std::uint64_t here = word_at(text, at);
    escapes |= bytes_that_are(here, kEscape);
    const std::uint64_t ends = bytes_that_are(here, '\n');
    if (ends == 0) continue;
    counts->line_ends += count_of(ends);
    const std::uint64_t one = word_at(text, at - 1), two = word_at(text, at - 2);
    const std::uint64_t with_return = bytes_that_are(one, '\r') & bytes_that_are(two, '\n');
    const std::uint64_t blank = ends & (bytes_that_are(one, '\n') | with_return);
    *empty += count_of(blank);
  }
  counts->has_escape |= escapes != 0;
  return at;
}

#if defined(__x86_64__)
constexpr std::size_t kVector = 32, kStretch = 4 * kVector;

__attribute__((target("avx2"))) inline __m256i bytes_at(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
__attribute__((target("avx2"))) inline std::uint64_t bits_of(__m256i low, __m256i high) {
  const auto bits = [](__m256i bytes) __attribute__((target("avx2"))) {
    return std::uint64_t{static_cast<unsigned>(_mm256_movemask_epi8(bytes))};
  };
  return bits(low) | bits(high) << 32U;
}

// The line ends among the 64 bytes at `from` that end an empty line.
__attribute__((target("avx2"))) std::uint64_t empty_lines(const char* from) {
  const __m256i end = _mm256_set1_epi8('\n'), back = _mm256_set1_epi8('\r');
  const auto are = [from](std::ptrdiff_t before, __m256i byte) __attribute__((target("avx2"))) {
    return bits_of(_mm256_cmpeq_epi8(bytes_at(from - before), byte),
                   _mm256_cmpeq_epi8(bytes_at(from - before + kVector), byte));
  };
  return are(0, end) & (are(1, end) | (are(1, back) & are(2, end)));
}

// How many stretches may be counted in bytes.
constexpr std::size_t kMostStretches = 255 / (kStretch / kVector);

__attribute__((target("avx2"))) inline std::uint64_t sum_of(__m256i counts) {
  const __m256i sums = _mm256_sad_epu8(counts, _mm256_setzero_si256());
  return static_cast<std::uint64_t>(_mm256_extract_epi64(sums, 0)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(sums, 1)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(sums, 2)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(sums, 3));
}

// As count_words(). Empty lines and line ends of two bytes are looked at only in stretches that may
// have some: a byte up to '\r' before a line end.
__attribute__((target("avx2,popcnt"))) std::size_t count_avx2(std::string_view text, std::size_t at,
                                                              LineCounts* counts,
                                                              std::uint64_t* empty) {
  const __m256i end = _mm256_set1_epi8('\n'), behind_back = _mm256_set1_epi8('\r' + 1),
                escape = _mm256_set1_epi8(kEscape);
  __m256i escapes = _mm256_setzero_si256(), ends = escapes, odd = escapes;
  const auto look = [&](const char* from) __attribute__((target("avx2"), always_inline)) {
    const __m256i here = bytes_at(from), is_end = _mm256_cmpeq_epi8(here, end);
    ends = _mm256_sub_epi8(ends, is_end);
    escapes = _mm256_or_si256(escapes, _mm256_cmpeq_epi8(here, escape));
    const __m256i small = _mm256_subs_epu8(behind_back, bytes_at(from - 1));
    odd = _mm256_or_si256(odd, _mm256_and_si256(is_end, small));
  };
  while (at + kStretch <= text.size()) {
    const std::size_t last =
        std::min(text.size() - kStretch, at + (kMostStretches - 1) * kStretch);
    ends = _mm256_setzero_si256();
    for (; at <= last; at += kStretch) {
      const char* const from = text.data() + at;
      odd = _mm256_setzero_si256();
      look(from);
      look(from + kVector);
      look(from + 2 * kVector);
      look(from + 3 * kVector);
      if (_mm256_testz_si256(odd, odd) != 0) continue;
      *empty += static_cast<unsigned>(std::popcount(empty_lines(from))) +
                static_cast<unsigned>(std::popcount(empty_lines(from + 2 * kVector)));
    }
    counts->line_ends += sum_of(ends);
  }
  counts->has_escape |= _mm256_testz_si256(escapes, escapes) == 0;
  return at;
}

// Returns how far it came.
__attribute__((target("avx2"))) std::size_t count_ends_avx2(std::string_view text,
                                                            std::uint64_t* line_ends) {
  const __m256i end = _mm256_set1_epi8('\n');
  std::size_t at = 0;
  while (at + kStretch <= text.size()) {
    const std::size_t last =
        std::min(text.size() - kStretch, at + (kMostStretches - 1) * kStretch);
    __m256i ends = _mm256_setzero_si256();
    const auto look = [&](const char* from) __attribute__((target("avx2"), always_inline)) {
      ends = _mm256_sub_epi8(ends, _mm256_cmpeq_epi8(bytes_at(from), end));
    };
    for (; at <= last; at += kStretch) {
      const char* const from = text.data() + at;
      look(from);
      look(from + kVector);
      look(from + 2 * kVector);
      look(from + 3 * kVector);
    }
    *line_ends += sum_of(ends);
  }
  return at;
}
#endif

}  // namespace

LineCounts count_lines(std::string_view text) {
  LineCounts counts;
  std::uint64_t empty = 0;
  std::size_t done = 0;
  constexpr std::size_t kBehind = 2;  // Bytes that a line end is judged by.
  if (text.size() >= 64) {
    count_bytes(text.substr(0, kBehind), '\n', '\n', &counts, &empty);
    done = kBehind;
#if defined(__x86_64__)
    if (may_use_avx2()) done = count_avx2(text, done, &counts, &empty);
#endif
    done = count_words(text, done, &counts, &empty);
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

std::uint64_t count_line_ends(std::string_view text) {
  std::uint64_t count = 0;
  std::size_t at = 0;
#if defined(__x86_64__)
  if (may_use_avx2()) at = count_ends_avx2(text, &count);
#endif
  for (; at + kWordBytes <= text.size(); at += kWordBytes)
    count += count_of(bytes_that_are(word_at(text, at), '\n'));
  for (; at < text.size(); ++at) count += text[at] == '\n' ? 1 : 0;
  return count;
}

}  // namespace attrib::evidence
