#pragma once

#include <string_view>

namespace attrib {

// Ends the process with a message: the program's own mistake. Never used on input.
[[noreturn]] void check_failed(const char* file, int line, std::string_view condition,
                               std::string_view message);

}  // namespace attrib

// On in release builds too.
#define ATTRIB_CHECK(condition, message)                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ::attrib::check_failed(__FILE__, __LINE__, #condition, message);          \
    }                                                                           \
  } while (false)
