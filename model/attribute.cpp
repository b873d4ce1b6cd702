#include "model/attribute.h"

#include <array>

namespace attrib::model {
namespace {

constexpr auto kAttributes = std::to_array<AttributeInfo>({
#define ATTRIB_ATTRIBUTE(Enumerator, name, kind, events, symptoms, sentence) \
  {Attribute::Enumerator, name, ValueKind::kind, events, symptoms, sentence},
#include "model/attribute.def"
});
constexpr auto kRelations = std::to_array<RelationInfo>({
#define ATTRIB_RELATION(Enumerator, name, from, to, sentence) \
  {Relation::Enumerator, name, EntityKind::from, EntityKind::to, sentence},
#include "model/attribute.def"
});
constexpr auto kSets = std::to_array<SetInfo>({
#define ATTRIB_SET(Enumerator, name, from, element, sentence) \
  {SetKind::Enumerator, name, EntityKind::from, EntityKind::element, sentence},
#include "model/attribute.def"
});
constexpr auto kLearnKinds =
    std::to_array<std::string_view>({"address", "place", "world", "member", "alias"});

}  // namespace

std::span<const AttributeInfo> attributes() { return kAttributes; }
std::span<const RelationInfo> relations() { return kRelations; }
std::span<const SetInfo> sets() { return kSets; }

std::optional<Attribute> find_attribute(std::string_view name) {
  for (const AttributeInfo& row : kAttributes) {
    if (row.name == name) return row.attribute;
  }
  return std::nullopt;
}

std::optional<Relation> find_relation(EntityKind from, std::string_view name) {
  for (const RelationInfo& row : kRelations) {
    if (row.from == from && row.name == name) return row.relation;
  }
  return std::nullopt;
}

std::optional<SetKind> find_set(EntityKind from, std::string_view name) {
  for (const SetInfo& row : kSets) {
    if (row.from == from && row.name == name) return row.set;
  }
  return std::nullopt;
}

std::string_view to_text(Compare op) {
  constexpr auto kTexts = std::to_array<std::string_view>({"==", "!=", "<", "<=", ">", ">="});
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view to_text(TextTest op) {
  constexpr auto kTexts = std::to_array<std::string_view>({"contains", "starts_with", "ends_with"});
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view to_text(Point point) {
  constexpr auto kTexts = std::to_array<std::string_view>({"begin", "seen", "last"});
  return kTexts[static_cast<std::size_t>(point)];
}

std::string_view to_text(LearnKind kind) { return kLearnKinds[static_cast<std::size_t>(kind)]; }

std::optional<LearnKind> parse_learn_kind(std::string_view name) {
  for (std::size_t i = 0; i < kLearnKinds.size(); ++i) {
    if (kLearnKinds[i] == name) return static_cast<LearnKind>(i);
  }
  return std::nullopt;
}

}  // namespace attrib::model
