#include "evidence/plain_data.h"

#include <fmt/format.h>

#include "base/text.h"
#include "evidence/json_scan.h"
#include "evidence/json_value.h"
#include "evidence/number_text.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

using Kind = PlainValue::Kind;

class FromJson {
 public:
  // The JSON is at most kMaxDepth deep: the scanner told.
  std::uint32_t add(const JsonValue& from) {
    const auto index = static_cast<std::uint32_t>(out.values.size());
    out.values.emplace_back();
    PlainValue made;
    switch (from.kind) {
      case JsonValue::Kind::Null:
        break;
      case JsonValue::Kind::Bool:
        made.kind = Kind::Truth;
        made.number = from.text == "true" ? 1 : 0;
        break;
      case JsonValue::Kind::Number:
        number(from.text, &made);
        break;
      case JsonValue::Kind::Text:
        made.kind = Kind::Text;
        made.text = kept(from.text);
        break;
      case JsonValue::Kind::List:
        made.kind = Kind::List;
        for (const JsonValue& item : from.items) made.items.push_back(add(item));
        break;
      case JsonValue::Kind::Object:
        made.kind = Kind::Dictionary;
        for (const JsonMember& member : from.members) {
          const auto key = static_cast<std::uint32_t>(out.values.size());
          PlainValue name;
          name.kind = Kind::Text;
          name.text = kept(member.name);
          out.values.push_back(std::move(name));
          made.items.push_back(key);
          made.items.push_back(add(member.value));
        }
        break;
    }
    out.values[index] = std::move(made);
    return index;
  }

  PlainData out;

 private:
  std::string_view kept(const std::string& text) { return out.texts.emplace_back(text); }
  static void number(const std::string& text, PlainValue* made) {
    if (const auto whole = read_integer(text)) {
      made->kind = Kind::Integer;
      made->number = *whole;
      return;
    }
    made->kind = Kind::Real;
  }
};

// Values at most: each is a comma, a bracket or a colon further.
std::size_t most_values(std::string_view text) {
  std::size_t count = 1;
  for (const char c : text) count += c == ',' || c == '[' || c == '{' || c == ':' ? 1 : 0;
  return count;
}

}  // namespace

const PlainValue* PlainData::find(const PlainValue& dictionary, std::string_view key) const {
  if (dictionary.kind != Kind::Dictionary) return nullptr;
  for (std::size_t i = dictionary.items.size(); i >= 2; i -= 2) {
    const PlainValue& name = values[dictionary.items[i - 2]];
    if (name.kind == Kind::Text && name.text == key) return &values[dictionary.items[i - 1]];
  }
  return nullptr;
}

Result<PlainData> read_plain_json(std::string_view text) {
  JsonScanner scan(text);
  std::size_t depth = 0;
  if (!scan.value(&depth) || !scan.done()) {
    return Error{fmt::format(
        "byte {}: {}", scan.error().at,
        scan.error().torn ? "the JSON ends too early" : "expected " + scan.error().expected)};
  }
  if (depth > kMaxPlainDepth)
    return Error{fmt::format("nested {} deep: expected at most {}", depth, kMaxPlainDepth)};
  if (most_values(text) > kMaxPlainValues)
    return Error{fmt::format("more than {} values", kMaxPlainValues)};
  std::size_t escaped = 0;
  ATTRIB_TRY(const JsonValue parsed, parse_json(escape_json_bytes(text, &escaped)));
  FromJson from;
  from.out.root = from.add(parsed);
  return std::move(from.out);
}

std::string described(const PlainValue& value) {
  constexpr std::size_t kShown = 60;
  switch (value.kind) {
    case Kind::Nothing:
      return "nothing";
    case Kind::Truth:
      return value.number != 0 ? "true" : "false";
    case Kind::Integer:
      return fmt::format("number {}", value.number);
    case Kind::Real:
      return "a number with a fraction";
    case Kind::Text: {
      std::size_t escaped = 0;
      return fmt::format("text \"{}\"",
                         escape_invalid_utf8(value.text.substr(0, kShown), &escaped));
    }
    case Kind::List:
      return "a list";
    case Kind::Dictionary:
      return "a dictionary";
  }
  return "nothing";
}

}  // namespace attrib::evidence
