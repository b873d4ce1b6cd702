#pragma once

// Where a request's body ends and whether the connection goes on, from its fields. Whatever two readers of one stream
// could take for two different ends is refused, also where a standard would let it pass: a proxy before this server may
// have taken the other.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "http/refusal.h"

namespace attrib::http {

using Field = std::pair<std::string, std::string>;  // Name in lower case; value without blanks around.

struct Framing {
  std::optional<std::size_t> length;  // Content-Length.
  bool chunked = false;
  bool keep_alive = true;
  bool expects_continue = false;

  [[nodiscard]] bool has_body() const { return chunked || length.value_or(0) > 0; }
};

// `version` is 10 or 11.
std::variant<Framing, Refusal> framing_of(const std::vector<Field>& fields, int version);

bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII.

}  // namespace attrib::http
