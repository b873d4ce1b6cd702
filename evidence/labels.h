#pragma once

#include <vector>

#include "evidence/draft.h"

namespace attrib::evidence {

// Turns the labels of launchers into ranks where the workload's shape makes that certain: a local
// rank on a node whose ranks are known, a task number where there are as many tasks as ranks.
void settle_labels(Drafts* drafts, const Workload& workload);

}  // namespace attrib::evidence
