#pragma once

// The parts of verify(). Each refuses with a message that names the place, or returns nothing.

#include <optional>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace attrib::program {

using Refusal = std::optional<Error>;

// Event and symptom types, tables, constants.
Refusal verify_schema(const Program& program);
Refusal verify_tables(const Program& program);
// Extracts: templates, literals, captures.
Refusal verify_extracts(const Program& program);
// The code of each rule; after verify_order() and verify_extracts().
Refusal verify_rules(const Program& program);
// No infer rule reads what its own or a later layer makes.
Refusal verify_strata(const Program& program);

// Names of a section that other sections find by name: sorted, each once, not empty.
template <typename T>
Refusal verify_names(const std::vector<T>& items, std::string_view what) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name.empty()) return Error{std::string(what) + " without a name"};
    if (i > 0 && !(items[i - 1].name < items[i].name)) {
      return Error{std::string(what) + " `" + items[i].name + "` is out of order"};
    }
  }
  return std::nullopt;
}

// May a field, hole or column have this type?
bool is_value_type(const model::Type& type);
// Null, truth, number, word, duration, decimal: what constants and cells hold.
bool is_constant(const model::Constant& constant);

}  // namespace attrib::program
