#pragma once

// Comparison and arithmetic of values (docs/semantics.md, "4. Rules"). Pure.

#include "model/attribute.h"
#include "model/time.h"
#include "model/truth.h"
#include "vm/entity_table.h"
#include "vm/value.h"

namespace attrib::vm {

// How many: at least lo, at most hi.
struct Count {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
};

model::Truth compare(model::Compare op, const Value& a, const Value& b, const EntityTable& entities,
                     const TextPool& texts);
model::Truth compare(model::Compare op, const Count& a, const Count& b);
// Numbers, durations and decimals of one kind; Null for anything else.
Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value negate(const Value& a);

model::Truth text_test(model::TextTest test, const std::string& text, const std::string& part);

}  // namespace attrib::vm
