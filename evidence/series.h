#pragma once

#include <vector>

#include "evidence/evidence.h"

namespace attrib::evidence {

// Gives each metric sample the value of the one before it in its series (stream, name, labels).
// Where samples of different values share the place before it, there is no telling which came last,
// and it gets none.
void link_series(std::vector<Observation>* observations);

}  // namespace attrib::evidence
