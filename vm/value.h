#pragma once

// Values of a run. Strings and entities are interned, so a value is two words and equality is
// equality of numbers.

#include <compare>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/truth.h"
#include "model/type.h"
#include "model/value.h"

namespace attrib::vm {

enum class EntityId : std::uint32_t { None = 0xffffffff };
constexpr std::uint32_t index_of(EntityId id) { return static_cast<std::uint32_t>(id); }

constexpr std::uint32_t kNone = 0xffffffff;  // No rank, no rule, no observation.

// Null, Truth, Int, Duration and Decimal as in model::Constant; String: a text of the pool; Entity:
// an EntityId.
struct Value {
  model::ValueKind kind = model::ValueKind::Null;
  std::int64_t number = 0;

  [[nodiscard]] bool null() const { return kind == model::ValueKind::Null; }
  [[nodiscard]] bool is(model::ValueKind k) const { return kind == k; }
  [[nodiscard]] EntityId entity() const {
    return is(model::ValueKind::Entity) ? static_cast<EntityId>(number) : EntityId::None;
  }
  friend bool operator==(const Value&, const Value&) = default;
  friend auto operator<=>(const Value&, const Value&) = default;
};

inline Value int_value(std::int64_t n) { return {model::ValueKind::Int, n}; }
inline Value truth_value(model::Truth t) {
  return {model::ValueKind::Truth, static_cast<std::int64_t>(t)};
}
inline Value entity_value(EntityId id) {
  if (id == EntityId::None) return {};
  return {model::ValueKind::Entity, static_cast<std::int64_t>(index_of(id))};
}
inline model::Truth truth_of(const Value& v) {
  return v.is(model::ValueKind::Truth) ? static_cast<model::Truth>(v.number)
                                       : model::Truth::Unknown;
}

// Each text once. Ids are given in order of first use, which is deterministic; results never depend
// on their order all the same.
class TextPool {
 public:
  std::int64_t intern(std::string_view text) {
    const auto it = ids_.find(text);
    if (it != ids_.end()) return it->second;
    texts_.emplace_back(text);
    const auto id = static_cast<std::int64_t>(texts_.size() - 1);
    ids_.emplace(texts_.back(), id);
    return id;
  }
  [[nodiscard]] const std::string& text(std::int64_t id) const {
    return texts_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  Value value(std::string_view text) { return {model::ValueKind::String, intern(text)}; }
  // Of constants that are not entities' names.
  Value value(const model::Constant& c) {
    if (c.kind == model::ValueKind::String) return value(c.text);
    if (c.kind == model::ValueKind::Null) return {};
    return {c.kind, c.number};
  }

 private:
  std::deque<std::string> texts_;  // A deque: the map's keys point into it.
  std::unordered_map<std::string_view, std::int64_t> ids_;
};

}  // namespace attrib::vm
