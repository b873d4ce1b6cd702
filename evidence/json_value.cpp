#include "evidence/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace attrib::evidence {
namespace {

using Json = nlohmann::json;

// Builds the tree. `open_` points into containers whose siblings cannot grow while they are open.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonValue root;
  std::string failure;
  bool overflow = false;  // It failed at a number that no double holds.

  bool null() override { return put(JsonValue::Kind::Null, {}); }
  bool boolean(bool value) override { return put(JsonValue::Kind::Bool, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return put(JsonValue::Kind::Number, fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put(JsonValue::Kind::Number, fmt::format("{}", value));
  }
  bool number_float(number_float_t /*value*/, const string_t& written) override {
    return put(JsonValue::Kind::Number, written);
  }
  bool string(string_t& value) override { return put(JsonValue::Kind::Text, std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return enter(JsonValue::Kind::Object); }
  bool start_array(std::size_t /*size*/) override { return enter(JsonValue::Kind::List); }
  bool end_array() override { return leave(); }
  bool end_object() override {
    std::set<std::string_view> names;
    for (const auto& member : open_.back()->members) {
      if (names.insert(member.name).second) continue;
      failure = fmt::format("field `{}` is given twice", member.name);
      return false;
    }
    return leave();
  }
  bool key(string_t& name) override {
    open_.back()->members.push_back({std::move(name), {}});
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& why) override {
    constexpr int kNumberOverflow = 406;
    overflow = why.id == kNumberOverflow;
    failure = fmt::format("not JSON from byte {} on", position);
    return false;
  }

 private:
  JsonValue* slot() {
    if (open_.empty()) return &root;
    JsonValue& parent = *open_.back();
    if (parent.kind == JsonValue::Kind::Object) return &parent.members.back().value;
    return &parent.items.emplace_back();
  }
  bool put(JsonValue::Kind kind, std::string text) {
    JsonValue* value = slot();
    value->kind = kind;
    value->text = std::move(text);
    return true;
  }
  bool enter(JsonValue::Kind kind) {
    JsonValue* value = slot();
    value->kind = kind;
    open_.push_back(value);
    return true;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }

  std::vector<JsonValue*> open_;
};

// The same text with the largest double in place of each number that is greater.
std::string saturated(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      out += text.substr(at, end - at);
    } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      end = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
      const std::string number(text.substr(at, end - at));
      const bool is_greater = std::isinf(std::strtod(number.c_str(), nullptr));
      out += !is_greater ? number : number.front() == '-' ? "-1e308" : "1e308";
    } else {
      out += text[at];
    }
    at = end;
  }
  return out;
}

bool is_ascii(char c) { return (static_cast<unsigned char>(c) & 0x80U) == 0; }

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.name == name; });
  return found == members.end() ? nullptr : &found->value;
}

std::string described(const JsonValue& value) {
  constexpr std::size_t kShown = 40;
  switch (value.kind) {
    case JsonValue::Kind::Null:
      return "null";
    case JsonValue::Kind::Bool:
      return value.text;
    case JsonValue::Kind::Number:
      return "number " + value.text.substr(0, kShown);
    case JsonValue::Kind::Text: {
      if (value.text.size() <= kShown) return fmt::format("text \"{}\"", value.text);
      // The cut may split a character; what is left of it is escaped.
      return fmt::format("text \"{}...\"",
                         escape_invalid_utf8(std::string_view(value.text).substr(0, kShown)));
    }
    case JsonValue::Kind::List:
      return "a list";
    case JsonValue::Kind::Object:
      return "an object";
  }
  return "";
}

// Escaping happens in runs of bytes above 127, where no backslash of the input can stand, so that
// each backslash of the escaped run is one that was added.
std::string escape_json_bytes(std::string_view slice, std::size_t* escaped) {
  std::string out;
  out.reserve(slice.size());
  while (!slice.empty()) {
    const auto high = std::find_if_not(slice.begin(), slice.end(), is_ascii);
    out.append(slice.begin(), high);
    slice.remove_prefix(static_cast<std::size_t>(high - slice.begin()));
    const auto low = std::find_if(slice.begin(), slice.end(), is_ascii);
    const auto run = slice.substr(0, static_cast<std::size_t>(low - slice.begin()));
    for (const char c : escape_invalid_utf8(run, escaped)) {
      if (c == '\\') out += '\\';
      out += c;
    }
    slice.remove_prefix(run.size());
  }
  return out;
}

Result<JsonValue> parse_json(std::string_view slice) {
  TreeBuilder builder;
  if (Json::sax_parse(slice.begin(), slice.end(), &builder)) return std::move(builder.root);
  if (!builder.overflow) return Error{builder.failure};
  const std::string text = saturated(slice);
  TreeBuilder again;
  if (!Json::sax_parse(text.begin(), text.end(), &again)) return Error{again.failure};
  return std::move(again.root);
}

}  // namespace attrib::evidence
