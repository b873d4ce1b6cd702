#pragma once

// The bytes that go before a response's body.

#include <chrono>
#include <string>

#include "http/message.h"

namespace attrib::http {

// Status line, fields and the empty line. A control character in a field becomes a blank, so that no value can begin
// another field.
std::string head_of(const Response& response, bool keep_alive, std::chrono::system_clock::time_point now);

// Whether a response of this status has a body at all.
bool has_body(unsigned status);

}  // namespace attrib::http
