#pragma once

// What the job outlived: symptoms that progress followed, and symptoms from before it began.

#include <vector>

#include "vm/state.h"

namespace attrib::vm {

// By occurrence. Ends are never survived.
std::vector<bool> survived(State& state);
// `last` was certainly before the workload's start.
std::vector<bool> history(const State& state);

// By occurrence: it is about a node, or a part or rank of one, that the header's node list leaves out.
std::vector<bool> elsewhere(const State& state);

}  // namespace attrib::vm
