#pragma once

// For .cpp files only. Objects are sorted maps: the library's ordered ones look through all members
// for each that is added, and clients decide how many there are.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace attrib::service {

using Json = nlohmann::json;

// On one line, with a line end; bytes that are not UTF-8 become U+FFFD.
std::string dumped(const Json& value);
// Without line end, to be stored.
std::string compact(const Json& value);
// None: no JSON, or nested deeper than evidence::kMaxDepth. Costs up to a hundred bytes a value:
// look at `crowded` first.
// Why parsed() gives nothing: the byte where reading stopped, and what was wrong there.
std::string why_not_parsed(std::string_view text);
std::optional<Json> parsed(std::string_view text);
// Does it hold more values than are read as one tree? As many as the placement of a hundred
// thousand ranks.
bool crowded(std::string_view text);

}  // namespace attrib::service
