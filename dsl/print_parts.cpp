#include "dsl/print_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/print.h"

namespace attrib::dsl {
namespace {

bool is_word(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

std::string pair_text(const Pair& pair) {
  std::string value;
  if (pair.object) {
    value = object_text(*pair.object);
  } else if (pair.list) {
    for (const ExprPtr& item : *pair.list) value += (value.empty() ? "" : ", ") + print(*item);
    value = "[" + value + "]";
  } else {
    value = print(*pair.value);
  }
  return fmt::format("{}: {}", key_text(pair.name), value);
}

}  // namespace

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string duration_text(std::int64_t nanoseconds) {
  if (nanoseconds % 1'000'000'000 == 0) return fmt::format("{}s", nanoseconds / 1'000'000'000);
  if (nanoseconds % 1'000'000 == 0) return fmt::format("{}ms", nanoseconds / 1'000'000);
  if (nanoseconds % 1'000 == 0) return fmt::format("{}us", nanoseconds / 1'000);
  return fmt::format("{}ns", nanoseconds);
}

std::string key_text(const Name& name) {
  return is_word(name.text) ? name.text : quoted(name.text);
}

std::string names_text(const std::vector<Name>& names, std::string_view between) {
  std::string out;
  for (const Name& name : names) {
    if (&name != &names.front()) out += between;
    out += name.text;
  }
  return out;
}

std::string variable_text(const VariableDecl& variable) {
  std::string out = fmt::format("{}: {}", variable.name.text, names_text(variable.types, " | "));
  if (variable.where) out += " where " + print(*variable.where);
  return out;
}

std::string object_text(const PairList& object) {
  std::string out;
  for (const Pair& pair : object.pairs) out += (out.empty() ? " " : ", ") + pair_text(pair);
  return "{" + out + (out.empty() ? "}" : " }");
}

}  // namespace attrib::dsl
