#include "evidence/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "evidence/number_text.h"
#include "model/vocabulary.h"

namespace attrib::evidence {

const JsonValue* FieldReader::any(std::string_view name) const {
  const JsonValue* value = object_.find(name);
  return value == nullptr || value->kind == JsonValue::Kind::Null ? nullptr : value;
}

void FieldReader::wrong(std::string_view name, std::string_view expected, const JsonValue& got) {
  problem(fmt::format("field `{}{}`: expected {}, got {}", path_, name, expected, described(got)));
}

const JsonValue* FieldReader::of_kind(std::string_view name, JsonValue::Kind kind,
                                      std::string_view expected) {
  const JsonValue* value = any(name);
  if (value == nullptr || value->kind == kind) return value;
  wrong(name, expected, *value);
  return nullptr;
}

std::optional<std::string> FieldReader::text(std::string_view name) {
  const JsonValue* value = of_kind(name, JsonValue::Kind::Text, "text");
  return value == nullptr ? std::nullopt : std::optional(value->text);
}

std::optional<std::int64_t> FieldReader::integer(std::string_view name) {
  const JsonValue* value = any(name);
  if (value == nullptr) return std::nullopt;
  const auto number =
      value->kind == JsonValue::Kind::Number ? read_integer(value->text) : std::nullopt;
  if (!number) wrong(name, "a whole number", *value);
  return number;
}

std::optional<std::uint64_t> FieldReader::natural(std::string_view name, std::uint64_t most) {
  const JsonValue* value = any(name);
  if (value == nullptr) return std::nullopt;
  const auto number =
      value->kind == JsonValue::Kind::Number ? read_integer(value->text) : std::nullopt;
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) <= most)
    return static_cast<std::uint64_t>(*number);
  wrong(name, fmt::format("a whole number from 0 to {}", most), *value);
  return std::nullopt;
}

std::optional<std::uint32_t> FieldReader::rank(std::string_view name) {
  constexpr std::uint64_t kMostRank = std::numeric_limits<std::int32_t>::max();
  const auto number = natural(name, kMostRank);
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::optional<std::int64_t> FieldReader::millionths(std::string_view name) {
  const JsonValue* value = of_kind(name, JsonValue::Kind::Number, "a number");
  if (value == nullptr) return std::nullopt;
  const auto number = read_millionths(value->text);
  if (!number) wrong(name, "a number of at most 40 digits", *value);
  return number;
}

std::optional<Stamp> stamp_of(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::Number) return read_unix(value.text);
  return value.kind == JsonValue::Kind::Text ? read_stamp(value.text) : std::nullopt;
}

std::optional<Stamp> FieldReader::stamp(std::string_view name) {
  const JsonValue* value = any(name);
  if (value == nullptr) return std::nullopt;
  auto stamp = stamp_of(*value);
  if (!stamp) wrong(name, kExpectedTime, *value);
  return stamp;
}

std::optional<model::Nanos> FieldReader::length(std::string_view name) {
  const JsonValue* value = any(name);
  if (value == nullptr) return std::nullopt;
  const auto length =
      value->kind == JsonValue::Kind::Text ? read_length(value->text) : std::nullopt;
  if (!length) wrong(name, "a length of time such as `250ms`", *value);
  return length;
}

const JsonValue* FieldReader::list(std::string_view name) {
  return of_kind(name, JsonValue::Kind::List, "a list");
}

const JsonValue* FieldReader::object(std::string_view name) {
  return of_kind(name, JsonValue::Kind::Object, "an object");
}

std::map<std::string, std::string> FieldReader::text_map(std::string_view name) {
  std::map<std::string, std::string> out;
  const JsonValue* value = object(name);
  if (value == nullptr) return out;
  FieldReader inner(*value, path_ + std::string(name) + ".", problems_);
  for (const auto& [key, item] : value->members) {
    switch (item.kind) {
      case JsonValue::Kind::Null:
        break;
      case JsonValue::Kind::List:
      case JsonValue::Kind::Object:
        inner.wrong(key, "text, a number or a truth value", item);
        break;
      default:
        out.emplace(key, item.text);
    }
  }
  return out;
}

template <typename Word>
std::optional<Word> FieldReader::word(std::string_view name) {
  const JsonValue* value = any(name);
  if (value == nullptr) return std::nullopt;
  const auto word =
      value->kind == JsonValue::Kind::Text ? model::parse_word<Word>(value->text) : std::nullopt;
  if (!word) wrong(name, fmt::format("one of {}", fmt::join(model::words<Word>(), ", ")), *value);
  return word;
}

template std::optional<model::SourceKind> FieldReader::word(std::string_view);
template std::optional<model::Family> FieldReader::word(std::string_view);

}  // namespace attrib::evidence
