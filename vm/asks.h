#pragma once

// What to look for next when the verdict names no cause: the sources that could show what each
// unexplained failure symptom began with, and that the evidence lacks.

#include <string>
#include <vector>

#include "vm/state.h"

namespace attrib::vm {

// `unexplained`: failure symptoms that nothing explains. One text a source kind, in kind order.
std::vector<std::string> computed_asks(const State& state,
                                       const std::vector<std::uint32_t>& unexplained);

}  // namespace attrib::vm
