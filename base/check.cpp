#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace attrib {

void check_failed(const char* file, int line, std::string_view condition, std::string_view message) {
  std::fprintf(stderr, "%s:%d: internal error: %.*s (%.*s)\n", file, line,
               static_cast<int>(message.size()), message.data(), static_cast<int>(condition.size()),
               condition.data());
  std::abort();
}

}  // namespace attrib
