#pragma once

// What the server answers when it will not take a request: the status, and one sentence that names what was wrong and
// quotes nothing of the request.

#include <string>

namespace attrib::http {

struct Refusal {
  unsigned status = 400;
  std::string detail;
};

}  // namespace attrib::http
