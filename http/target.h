#pragma once

// The target of a request line: "/v2/x%20y?limit=5" or "http://host/v2/...".

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "http/refusal.h"

namespace attrib::http {

struct Target {
  std::string path;  // Decoded; begins with '/'; valid UTF-8 without control characters.
  std::map<std::string, std::string>
      query;  // Decoded, '+' too; valid UTF-8 without NUL; of a name given twice the last.
};

std::variant<Target, Refusal> parse_target(std::string_view target);

}  // namespace attrib::http
