#include "base/digest.h"

// The functions of SHA-256 itself: EVP loads a configuration file and its providers first, which takes longer than a
// program's whole digest.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>

namespace attrib {

Sha256 sha256(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  Sha256 digest{};
  SHA256_Final(digest.data(), &context);
  return digest;
}

std::string sha256_hex(std::string_view bytes) { return to_hex(sha256(bytes)); }

std::string to_hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex(2 * bytes.size(), '0');
  char* out = hex.data();
  for (const unsigned char byte : bytes) {
    *out++ = kDigits[byte >> 4U];
    *out++ = kDigits[byte & 0xfU];
  }
  return hex;
}

}  // namespace attrib
