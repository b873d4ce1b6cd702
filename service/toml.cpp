#include "service/toml.h"

#include <fmt/format.h>

#include "base/text.h"

namespace attrib::service {

std::string TomlErrors::place(const toml::source_region& where) const {
  return fmt::format("{}:{}:{}", path_, where.begin.line, where.begin.column);
}

void TomlErrors::add(const toml::source_region& where, std::string_view message) {
  text_ += fmt::format("{}{}: {}", text_.empty() ? "" : "\n", place(where), message);
}

void TomlErrors::unknown_key(const toml::source_region& where, std::string_view what,
                             std::string_view key, std::span<const std::string> known) {
  const auto near = nearest(key, known);
  const std::string hint = near ? fmt::format("did you mean `{}`?", *near)
                                : fmt::format("known are {}", fmt::join(known, ", "));
  add(where, fmt::format("no {} is named `{}`; {}", what, escape_invalid_utf8(key), hint));
}

Result<toml::table> parse_toml(const std::string& path, std::string_view text) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    TomlErrors errors(path);
    errors.add(error.source(), error.description());
    return errors.error();
  }
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a decimal number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char each : escape_invalid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out += '\\';
      out += each;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += each;
    }
  }
  return out + "\"";
}

}  // namespace attrib::service
