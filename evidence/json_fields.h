#pragma once

// Typed reading of the fields of one JSON object. A field that is absent or null is not there; one
// of a wrong type is not there either and leaves a text: "field `rank`: expected a whole number
// from 0, got text "three"".

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/json_value.h"
#include "evidence/time_parse.h"

namespace attrib::evidence {

class FieldReader {
 public:
  // `path` is "" or ends in a dot: it precedes field names in texts.
  FieldReader(const JsonValue& object, std::string path, std::vector<std::string>* problems)
      : object_(object), path_(std::move(path)), problems_(problems) {}

  const JsonValue* any(std::string_view name) const;  // None when absent or null.
  std::optional<std::string> text(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name);
  std::optional<std::uint64_t> natural(std::string_view name, std::uint64_t most);
  std::optional<std::uint32_t> rank(std::string_view name);
  std::optional<std::int64_t> millionths(std::string_view name);
  std::optional<Stamp> stamp(std::string_view name);
  std::optional<model::Nanos> length(std::string_view name);
  const JsonValue* list(std::string_view name);
  const JsonValue* object(std::string_view name);
  // An object whose values are texts, numbers or truth values, all as text; others are named as
  // wrong.
  std::map<std::string, std::string> text_map(std::string_view name);
  template <typename Word>
  std::optional<Word> word(std::string_view name);

  void wrong(std::string_view name, std::string_view expected, const JsonValue& got);
  void problem(std::string text) { problems_->push_back(std::move(text)); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const JsonValue* of_kind(std::string_view name, JsonValue::Kind kind, std::string_view expected);

  const JsonValue& object_;
  std::string path_;
  std::vector<std::string>* problems_;
};

constexpr std::string_view kExpectedTime = "a time (RFC 3339, or Unix seconds or nanoseconds)";

// A time given as text or number.
std::optional<Stamp> stamp_of(const JsonValue& value);

}  // namespace attrib::evidence
