#pragma once

// Occurrences as the verdict lists them.

#include "vm/assemble.h"

namespace attrib::vm {

std::vector<verdict::SymptomState> states_of(const State& state, const Finding& finding);
// Everything but state, demotions and confidence.
verdict::Symptom symptom_of(State& state, const Occurrence& o);
verdict::EntityRef ref_of(const State& state, EntityId id);
// Fills demoted_by of symptoms that are demoted.
void list_demotions(const State& state, const Finding& finding,
                    std::vector<verdict::Symptom>* symptoms);
// Its node by name; empty: not known.
std::string node_name(const State& state, const Occurrence& o);
std::vector<verdict::NamedField> named_fields(const State& state,
                                              const std::vector<model::Field>& fields,
                                              std::span<const Value> values);

}  // namespace attrib::vm
