#pragma once

// One host under two names, with its domain and without: `node-7` in the scheduler's record,
// `node-7.cluster.local` in its own log.

#include <string>
#include <vector>

#include "evidence/evidence.h"

namespace attrib::evidence {

// Renames the hosts at `names` (empty: none) where it is certain that two names mean one host.
void settle_hosts(const Workload& workload, const std::vector<std::string*>& names);

}  // namespace attrib::evidence
