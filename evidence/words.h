#pragma once

// Eight bytes of a text at a time, in plain arithmetic.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace attrib::evidence {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// The bytes from `at` on, the first one lowest.
inline std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
  std::memcpy(&out, text.data() + at, kWordBytes);
  if constexpr (std::endian::native == std::endian::big) out = __builtin_bswap64(out);
  return out;
}

// The top bit of each byte of `word` that is `c`; all other bits are 0.
constexpr std::uint64_t bytes_that_are(std::uint64_t word, char c) {
  constexpr std::uint64_t kEach = 0x0101010101010101U, kLow = 0x7F7F7F7F7F7F7F7FU;
  const std::uint64_t other = word ^ (kEach * static_cast<unsigned char>(c));
  return ~(((other & kLow) + kLow) | other | kLow);
}

// How many bytes that is, of what bytes_that_are() returned.
constexpr unsigned count_of(std::uint64_t bytes) {
  return static_cast<unsigned>((bytes >> 7U) * 0x0101010101010101U >> 56U);
}

inline bool is_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::uint64_t any = 0;
  std::size_t at = 0;
  for (; at + kWordBytes <= text.size(); at += kWordBytes) any |= word_at(text, at);
  for (; at < text.size(); ++at) any |= static_cast<unsigned char>(text[at]);
  return (any & kHighBits) == 0;
}

}  // namespace attrib::evidence
