#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/type.h"

namespace attrib::model {

enum class Attribute : std::uint8_t {
#define ATTRIB_ATTRIBUTE(Enumerator, name, kind, events, symptoms, sentence) Enumerator,
#include "model/attribute.def"
};
enum class Relation : std::uint8_t {
#define ATTRIB_RELATION(Enumerator, name, from, to, sentence) Enumerator,
#include "model/attribute.def"
};
enum class SetKind : std::uint8_t {
#define ATTRIB_SET(Enumerator, name, from, element, sentence) Enumerator,
#include "model/attribute.def"
};

struct AttributeInfo {
  Attribute attribute;
  std::string_view name;
  ValueKind kind;
  bool of_events;
  bool of_symptoms;
  std::string_view sentence;
};
struct RelationInfo {
  Relation relation;
  std::string_view name;
  EntityKind from;
  EntityKind to;
  std::string_view sentence;
};
struct SetInfo {
  SetKind set;
  std::string_view name;
  EntityKind from;
  EntityKind element;
  std::string_view sentence;
};

std::span<const AttributeInfo> attributes();
std::span<const RelationInfo> relations();
std::span<const SetInfo> sets();

std::optional<Attribute> find_attribute(std::string_view name);
std::optional<Relation> find_relation(EntityKind from, std::string_view name);
std::optional<SetKind> find_set(EntityKind from, std::string_view name);

// Comparison and string tests of rules.
enum class Compare : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
enum class TextTest : std::uint8_t { Contains, StartsWith, EndsWith };
// Which moment of a fact a window runs from or to.
enum class Point : std::uint8_t { Begin, Seen, Last };
std::string_view to_text(Compare op);
std::string_view to_text(TextTest op);
std::string_view to_text(Point point);

// What `learn` records. Facts have evidence and no time; contradicting facts cancel to unknown and are reported.
enum class LearnKind : std::uint8_t {
  Address,  // a: address, b: node
  Place,    // a: rank, b: node, c: gpu (optional)
  World,    // a: number of ranks
  Member,   // a: rank, b: communicator
  Alias,    // a: another name, b: node or gpu
};
std::string_view to_text(LearnKind kind);
std::optional<LearnKind> parse_learn_kind(std::string_view name);

}  // namespace attrib::model
