#pragma once

// Lift and fold: emissions become occurrences (docs/semantics.md, "3. Symptoms, copies, bursts").

#include <vector>

#include "vm/facts.h"

namespace attrib::vm {

// Is each emission told by two families? Only decoded ones are. n log n where there are two.
std::vector<bool> lifted(const FactStore& store);

// Folds store.emissions, which it leaves empty, and adds the occurrences to the store.
void fold_emissions(const program::Program& program, FactStore& store);

}  // namespace attrib::vm
