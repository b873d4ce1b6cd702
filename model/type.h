#pragma once

// Types of fields, holes and expressions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary.h"

namespace attrib::model {

enum class ValueKind : std::uint8_t {
  Null,      // No value: an optional field that the line did not have. Comparisons with it are Unknown.
  Truth,     // Three-valued.
  Int,       // 64 bits, saturating.
  String,    // Words, text, addresses, enumeration words.
  Duration,  // Nanoseconds.
  Decimal,   // Millionths, saturating.
  Moment,    // Interval time.
  Entity,
  Set,     // Of entities.
  Row,     // Of a table, after `lookup`.
  Count,   // What an aggregate counted: [certain, possible].
  Fact,    // An event or a symptom, while a rule looks at it.
  Bag,     // What an aggregate collects.
};
std::string_view name(ValueKind kind);

enum class Reader : std::uint8_t {
#define ATTRIB_READER(Enumerator, name, kind, pattern, sentence) Enumerator,
#include "model/reader.def"
};

struct ReaderInfo {
  Reader reader;
  std::string_view name;
  ValueKind kind;
  std::string_view pattern;  // "" for Choice and Entity, see hole_pattern().
  std::string_view sentence;
};
const ReaderInfo& info(Reader reader);
std::optional<Reader> parse_reader(std::string_view name);
std::size_t reader_count();

struct Type {
  ValueKind kind = ValueKind::Null;
  Reader reader = Reader::Word;                // How a hole of this type reads.
  EntityKind entity = EntityKind::Node;        // When kind is Entity (or Set: of what).
  std::vector<std::string> words;              // When reader is Choice.
  friend bool operator==(const Type&, const Type&) = default;
};

// "u16", "Gpu", "(Fatal | Nonfatal)": as written in rules.
std::string to_text(const Type& type);

// The RE2 expression (no captures) a hole of `type` with `reader` matches.
std::string hole_pattern(const Type& type, Reader reader);

}  // namespace attrib::model
