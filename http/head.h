#pragma once

// A request's head as a value, from the bytes that HeadScanner found.

#include <string_view>
#include <variant>

#include "http/framing.h"
#include "http/message.h"
#include "http/refusal.h"

namespace attrib::http {

struct Head {
  RequestHead request;  // `peer` and `secure` are left to the caller.
  Framing framing;
};

std::variant<Head, Refusal> parse_head(std::string_view bytes);

}  // namespace attrib::http
