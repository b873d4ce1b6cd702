#include "base/random.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "base/check.h"

namespace attrib {

std::string random_hex(std::size_t bytes) {
  std::array<unsigned char, 64> block{};  // The system gives so many whole, or none.
  ATTRIB_CHECK(bytes <= block.size(), "so many random bytes are not asked for");
  ATTRIB_CHECK(::getrandom(block.data(), bytes, 0) == static_cast<ssize_t>(bytes),
               "the system gives no random bytes");
  std::string hex;
  for (std::size_t i = 0; i < bytes; ++i) hex += fmt::format("{:02x}", block[i]);
  return hex;
}

}  // namespace attrib
