#pragma once

// "127.0.0.1:8000", "[::1]:0", "localhost:8000". No names but localhost are looked up: where a service listens must not
// depend on a name server.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace attrib::http {

struct ListenAddress {
  std::string host;  // Numeric, without brackets.
  std::uint16_t port = 0;
};

Result<ListenAddress> parse_listen(const std::string& text);

}  // namespace attrib::http
