#pragma once

#include <string>
#include <string_view>

namespace attrib {

// SHA-256 (FIPS 180-4, by OpenSSL) of `bytes` as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace attrib
