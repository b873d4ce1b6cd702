#include "evidence/stamp_places.h"

#include <bit>

#include "base/processor.h"
#include "evidence/cursor.h"
#include "evidence/words.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attrib::evidence {
namespace {

constexpr char kEscape = '\x1B';
constexpr std::size_t kFarthest = 64;  // Bytes of a form before its last one; beyond, it may be one.

bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_digit(text[at]);
}

// The first colon of "08:31:05".
bool is_clock(std::string_view text, std::size_t at) {
  return at >= 2 && digit_at(text, at - 2) && digit_at(text, at - 1) && digit_at(text, at + 1) &&
         digit_at(text, at + 2) && at + 3 < text.size() && text[at + 3] == ':' &&
         digit_at(text, at + 4) && digit_at(text, at + 5);
}

// The end of "[  123.456]".
bool ends_uptime(std::string_view text, std::size_t at) {
  const std::size_t least = at > kFarthest ? at - kFarthest : 0;
  std::size_t i = at;
  while (i > least && is_digit(text[i - 1])) --i;
  if (i == least) return least > 0;
  return i < at && text[i - 1] == '.';
}

// The semicolon of "6,1234,5678901,-;".
bool ends_kmsg(std::string_view text, std::size_t at) {
  const std::size_t least = at > 2 * kFarthest ? at - 2 * kFarthest : 0;
  std::size_t commas = 0;
  std::size_t i = at;
  for (; i > least && text[i - 1] != ' ' && text[i - 1] != '\n'; --i)
    commas += text[i - 1] == ',' ? 1 : 0;
  return commas >= 3 || (i == least && least > 0);
}

// A brace that a line begins with, as that of a JSON object.
bool begins_line(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

void look_at(std::string_view text, std::size_t at, std::vector<std::size_t>* places) {
  const char c = text[at];
  const bool found = c == ':'   ? is_clock(text, at)
                     : c == ']' ? ends_uptime(text, at)
                     : c == ';' ? ends_kmsg(text, at)
                     : c == '{' ? begins_line(text, at)
                                : c == kEscape;
  if (found) places->push_back(at);
}

constexpr std::size_t kSecondColon = 3;  // Of a clock, behind its first.

std::size_t find_words(std::string_view text, std::vector<std::size_t>* places) {
  std::size_t at = 0;
  for (; at + kWordBytes + kSecondColon <= text.size(); at += kWordBytes) {
    const std::uint64_t here = word_at(text, at);
    const std::uint64_t clocks =
        bytes_that_are(here, ':') & bytes_that_are(word_at(text, at + kSecondColon), ':');
    std::uint64_t found = clocks | bytes_that_are(here, ']') | bytes_that_are(here, ';') |
                          bytes_that_are(here, '{') | bytes_that_are(here, kEscape);
    for (; found != 0; found &= found - 1)
      look_at(text, at + static_cast<unsigned>(std::countr_zero(found)) / 8, places);
  }
  return at;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::size_t find_avx2(std::string_view text,
                                                      std::vector<std::size_t>* places) {
  const __m256i colon = _mm256_set1_epi8(':'), bracket = _mm256_set1_epi8(']'),
                semicolon = _mm256_set1_epi8(';'), brace = _mm256_set1_epi8('{'),
                escape = _mm256_set1_epi8(kEscape);
  std::size_t at = 0;
  for (; at + 32 + kSecondColon <= text.size(); at += 32) {
    const auto load = [&](std::size_t from) __attribute__((target("avx2"))) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + from));
    };
    const __m256i here = load(at);
    const __m256i clocks = _mm256_and_si256(_mm256_cmpeq_epi8(here, colon),
                                            _mm256_cmpeq_epi8(load(at + kSecondColon), colon));
    const __m256i others = _mm256_or_si256(
        _mm256_or_si256(_mm256_cmpeq_epi8(here, bracket), _mm256_cmpeq_epi8(here, semicolon)),
        _mm256_or_si256(_mm256_cmpeq_epi8(here, brace), _mm256_cmpeq_epi8(here, escape)));
    auto mask = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_or_si256(clocks, others)));
    for (; mask != 0; mask &= mask - 1)
      look_at(text, at + static_cast<unsigned>(std::countr_zero(mask)), places);
  }
  return at;
}
#endif

}  // namespace

void find_stamp_places(std::string_view text, std::vector<std::size_t>* places) {
  places->clear();
  std::size_t at = 0;
#if defined(__x86_64__)
  at = may_use_avx2() ? find_avx2(text, places) : find_words(text, places);
#else
  at = find_words(text, places);
#endif
  for (; at < text.size(); ++at) look_at(text, at, places);
}

}  // namespace attrib::evidence
