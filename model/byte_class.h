#pragma once

// Sets of bytes, by which a line program's classes are told.

#include <array>
#include <cstddef>
#include <cstdint>

namespace attrib::model {

using ByteClass = std::array<std::uint64_t, 4>;

inline void add_byte(ByteClass* c, unsigned char byte) { (*c)[byte / 64] |= std::uint64_t{1} << (byte % 64); }
inline void drop_line_end(ByteClass* c) { (*c)['\n' / 64] &= ~(std::uint64_t{1} << '\n'); }
inline bool disjoint(const ByteClass& a, const ByteClass& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) return false;
  }
  return true;
}
inline ByteClass every_byte() {
  ByteClass c{};
  c.fill(~std::uint64_t{0});
  return c;
}
inline ByteClass only(char byte) {
  ByteClass c{};
  add_byte(&c, static_cast<unsigned char>(byte));
  return c;
}
inline void add_range(ByteClass* c, char low, char high) {
  for (unsigned b = static_cast<unsigned char>(low); b <= static_cast<unsigned char>(high); ++b)
    add_byte(c, static_cast<unsigned char>(b));
}
// The other case of each letter too.
inline void fold(ByteClass* c) {
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    const auto small = static_cast<unsigned char>(letter);
    const auto capital = static_cast<unsigned char>(letter & ~0x20);
    const auto has = [&](unsigned char b) { return ((*c)[b / 64] >> (b % 64) & 1U) != 0; };
    if (has(small) || has(capital)) {
      add_byte(c, small);
      add_byte(c, capital);
    }
  }
}

}  // namespace attrib::model
