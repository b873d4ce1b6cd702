#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace attrib {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  ATTRIB_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
               "SHA-256 is not available");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace attrib
