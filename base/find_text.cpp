#include "base/find_text.h"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace attrib {

#if defined(__SSE2__)

// Places where the first and the last byte fit, 16 at a time (http://0x80.pl/articles/simd-strfind.html, "generic SIMD").
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from) {
  constexpr std::size_t kWidth = sizeof(__m128i);
  const std::size_t size = wanted.size();
  if (size == 0 || text.size() < kWidth + size) return text.find(wanted, from);
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
