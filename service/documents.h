#pragma once

// The documents of docs/ that the service serves, put into the program when it is built.

#include <string_view>

namespace attrib::service {

std::string_view openapi_document();
std::string_view evidence_schema();
std::string_view verdict_schema();

}  // namespace attrib::service
