#pragma once

// Values of the second evaluator. Everything is copied and compared by walking it: being obvious
// comes first here.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/attribute.h"
#include "model/time.h"
#include "model/value.h"

namespace attrib::reference {

using model::EntityKind;
using model::Moment;
using model::Nanos;
using model::Truth;
using model::ValueKind;

// What a fact is about. `unknown` is "some X of this stream": equal to itself when facts are
// grouped, and Unknown in every comparison a rule writes.
struct Entity {
  EntityKind kind = EntityKind::Attempt;
  std::string key;
  bool unknown = false;
  friend bool operator==(const Entity&, const Entity&) = default;
  friend auto operator<=>(const Entity&, const Entity&) = default;
};

// A set of entities a rule can loop over or ask for membership.
struct Set {
  std::vector<Entity> members;  // Known ones: ranks by number, others by name.
  bool closed = false;          // There are no others.
  bool known = false;           // False: it is the set of something null or unknown.
  bool attempt = false;         // The attempt's ranks: if it is open, any rank is one.
  std::string placed_on;        // The ranks of this node: one placed elsewhere is none.
};

struct Value {
  ValueKind kind = ValueKind::Null;
  std::int64_t number = 0;  // Truth, Int, Duration, Decimal; Count: the certain ones.
  std::int64_t most = 0;    // Count: with the possible ones.
  std::string text;         // String
  Moment moment;            // Moment
  Entity entity;            // Entity
  Set set;                  // Set
};

Value null_value();
Value truth_value(Truth t);
Value int_value(std::int64_t n);
Value string_value(std::string s);
Value duration_value(Nanos n);
Value decimal_value(std::int64_t millionths);
Value moment_value(const Moment& m);
Value entity_value(Entity e);
Value count_value(std::int64_t certain, std::int64_t possible_too);
Value value_of(const model::Constant& c);

Truth truth_of(const Value& v);  // A Null is Unknown.

// The same value, as grouping sees it: Null equals Null and an unknown entity itself.
bool same(const Value& a, const Value& b);
// A total order on values that are not moments or sets.
bool less(const Value& a, const Value& b);

Truth compare(const Value& a, const Value& b, model::Compare op);
Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value negate(const Value& a);

std::string text_of(const Entity& e);
std::string text_of(const Value& v, model::Reader reader);

}  // namespace attrib::reference
