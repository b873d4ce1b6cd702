#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace attrib {

// SHA-256 (FIPS 180-4, by OpenSSL) of `bytes`. About half a millisecond a megabyte where the processor has
// instructions for it, else six times that.
using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256(std::string_view bytes);

// The same as 64 lower-case hex digits; two of each byte.
std::string sha256_hex(std::string_view bytes);
std::string to_hex(std::span<const unsigned char> bytes);

}  // namespace attrib
