#pragma once

// One JSON value of bounded size as a small tree. Numbers keep the characters they were written
// with: how many digits a stamp has says how sharp it is, and no float gets into a result.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace attrib::evidence {

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { Null, Bool, Number, Text, List, Object };
  Kind kind = Kind::Null;
  std::string text;  // Of a text, a number as written, or "true" / "false".
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  // As written; names are unique.

  [[nodiscard]] const JsonValue* find(std::string_view name) const;
};

// No std::pair: clang wants its halves complete inside JsonValue.
struct JsonMember {
  std::string name;
  JsonValue value;
};

// "text "abc"", "number 12", "a list": what a message says was there.
std::string described(const JsonValue& value);

// Bytes as a JSON library can take them: what is not UTF-8 becomes `\\xFF`, so that the string it
// stands in reads
// `\xFF`. Adds the number of bytes to `*escaped`.
std::string escape_json_bytes(std::string_view slice, std::size_t* escaped);

// `slice` is at most kMaxDepth deep (JsonScanner told). An error names the byte in the slice.
Result<JsonValue> parse_json(std::string_view slice);

}  // namespace attrib::evidence
