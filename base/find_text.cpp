#include "base/find_text.h"

#include <bit>
#include <cstring>

#include "base/processor.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace attrib {

#if defined(__SSE2__)

namespace {

// Places where the first and the last byte fit, 32 at a time (http://0x80.pl/articles/simd-strfind.html, "generic SIMD").
__attribute__((target("avx2"))) std::size_t find_avx2(std::string_view text, std::string_view wanted,
                                                      std::size_t from) {
  constexpr std::size_t kWidth = sizeof(__m256i);
  const std::size_t size = wanted.size();
  const std::size_t places = text.size() - size + 1;
  const __m256i first = _mm256_set1_epi8(wanted.front()), last = _mm256_set1_epi8(wanted.back());
  for (std::size_t at = from; at < places; at += kWidth) {
    // The last vector of places begins with some that were looked at.
    const std::size_t begin = at + kWidth <= places ? at : places - kWidth;
    const char* const front = text.data() + begin;
    const __m256i fronts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(front));
    const __m256i backs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(front + size - 1));
    auto fits = static_cast<unsigned>(_mm256_movemask_epi8(
        _mm256_and_si256(_mm256_cmpeq_epi8(fronts, first), _mm256_cmpeq_epi8(backs, last))));
    fits &= ~0U << (at - begin);
    for (; fits != 0; fits &= fits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(fits));
      if (size <= 2 || std::memcmp(front + i + 1, wanted.data() + 1, size - 2) == 0) return begin + i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

// The same with 16 at a time.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from) {
  constexpr std::size_t kWidth = sizeof(__m128i);
  const std::size_t size = wanted.size();
  if (size == 0 || text.size() < kWidth + size) return text.find(wanted, from);
  if (text.size() >= sizeof(__m256i) + size && may_use_avx2()) return find_avx2(text, wanted, from);
  const std::size_t places = text.size() - size + 1;
  const __m128i first = _mm_set1_epi8(wanted.front()), last = _mm_set1_epi8(wanted.back());
  for (std::size_t at = from; at < places; at += kWidth) {
    // The last vector of places begins with some that were looked at.
    const std::size_t begin = at + kWidth <= places ? at : places - kWidth;
    const char* const front = text.data() + begin;
    const __m128i fronts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(front));
    const __m128i backs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(front + size - 1));
    auto fits = static_cast<unsigned>(
        _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(fronts, first), _mm_cmpeq_epi8(backs, last))));
    fits &= ~0U << (at - begin);
    for (; fits != 0; fits &= fits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(fits));
      if (size <= 2 || std::memcmp(front + i + 1, wanted.data() + 1, size - 2) == 0) return begin + i;
    }
  }
  return std::string_view::npos;
}

#else

std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from) {
  return text.find(wanted, from);
}

#endif

}  // namespace attrib
