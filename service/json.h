#pragma once

// For .cpp files only: the JSON library with members in the order in which they are set.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace attrib::service {

using Json = nlohmann::ordered_json;

// On one line, with a line end; bytes that are not UTF-8 become U+FFFD.
std::string dumped(const Json& value);
// Without line end, to be stored.
std::string compact(const Json& value);
// None: no JSON, or nested deeper than evidence::kMaxDepth.
std::optional<Json> parsed(std::string_view text);

}  // namespace attrib::service
