#pragma once

// Random evidence that hits a rule set: an attrib.evidence/1 document, kept in parts so that
// shrinking can leave parts out.

#include <string>
#include <vector>

#include "tests/reference/differential_rules.h"

namespace attrib::differential {

struct EvidenceText {
  std::vector<std::string> header;        // Members of `workload`.
  std::vector<std::string> sources;       // Items.
  std::vector<std::string> observations;  // Items.
  [[nodiscard]] std::string text() const;
};

EvidenceText random_evidence(Random& random, const RuleSet& rules);

}  // namespace attrib::differential
