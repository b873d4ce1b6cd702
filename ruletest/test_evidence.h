#pragma once

// A test block's made-up job as evidence. It is written as an evidence document and read by the
// reader that reads real ones, so that framing, clocks, copies and coverage are the same.

#include <string>
#include <vector>

#include "base/result.h"
#include "dsl/ast.h"
#include "evidence/evidence.h"

namespace attrib::ruletest {

struct TestEvidence {
  evidence::Evidence evidence;
  // Which observation each line of each log became: [log][line].
  std::vector<std::vector<std::uint32_t>> observations;
};

// Fields that `job { ... }` may have.
const std::vector<std::string>& job_fields();

// The document, schema attrib.evidence/1. Times count from a fixed day; a line of a node is stamped
// by that node's clock.
std::string evidence_document(const dsl::TestDecl& test);

// An error means that a value is not what evidence can hold.
Result<TestEvidence> make_evidence(const dsl::TestDecl& test);

// The sample lines of all extracts as evidence, each sample a log of its own from the extract's
// first source.
Result<evidence::Evidence> sample_evidence(const std::vector<dsl::File>& files);

}  // namespace attrib::ruletest
