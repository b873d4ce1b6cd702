#pragma once

// What a test expects of the verdict, and of each line.

#include <string>
#include <vector>

#include "base/source.h"
#include "dsl/ast.h"
#include "ruletest/test_evidence.h"
#include "vm/machine.h"

namespace attrib::ruletest {

struct Failure {
  Span span;
  std::string expected;
  std::string actual;
};

// Expectations that the verdict does not meet. The set of roots is closed when a test names a
// `root`: any other root fails it, unless it says `roots include`.
std::vector<Failure> failed_expectations(const dsl::TestDecl& test,
                                         const verdict::Verdict& verdict);

// Lines that did not become what they should: each must match the extracts it names, none for
// `nothing`, and at least one when it says nothing.
std::vector<Failure> failed_lines(const dsl::TestDecl& test, const TestEvidence& evidence,
                                  const vm::RunResult& run);

// Does a test's `name` mean the rule or extract with this full name?
bool is_called(const std::string& full_name, const std::string& name);

}  // namespace attrib::ruletest
