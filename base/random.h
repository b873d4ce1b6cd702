#pragma once

#include <cstddef>
#include <string>

namespace attrib {

// `bytes` of the system's random bytes, good enough for secrets, as twice as many lower-case hex digits.
std::string random_hex(std::size_t bytes);

}  // namespace attrib
