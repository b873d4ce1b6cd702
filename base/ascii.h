#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace attrib {

// Are all bytes below 0x80? Eight at a time.
inline bool is_ascii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::uint64_t all = 0, word = 0;
  std::size_t at = 0;
  for (; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    all |= word;
  }
  for (; at < text.size(); ++at) all |= static_cast<unsigned char>(text[at]);
  return (all & kHighBits) == 0;
}

}  // namespace attrib
