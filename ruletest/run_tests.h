#pragma once

// Runs test blocks against a program.

#include <functional>
#include <string>
#include <vector>

#include "base/source.h"
#include "dsl/ast.h"
#include "program/verify.h"
#include "vm/trace.h"

namespace attrib::ruletest {

struct TestSummary {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;  // Left out by the filter.
  // For each failed expectation three lines (FAIL FILE:LINE "title", expected, actual), then `N
  // passed, N failed`.
  std::string report;
  // Nothing ran is not success.
  [[nodiscard]] bool ok() const { return failed == 0 && passed > 0; }
};

// Tests whose "FILE:LINE title" holds `filter` (all, if empty), by file path and place. Their names
// were checked (check_names.h).
// `watch`, if given, sees the trace of each test that passed.
using TraceWatch = std::function<void(const vm::Trace&)>;
TestSummary run_tests(const std::vector<dsl::File>& files, const SourceMap& sources,
                      const program::VerifiedProgram& program, const std::string& filter,
                      const TraceWatch& watch = {});

// The evidence of the same tests in the same order, one JSON object a line: `test` (FILE title),
// `clock_offsets` (nanoseconds by node, of the `clock` clauses) and `document` (attrib.evidence/1).
std::string test_documents(const std::vector<dsl::File>& files, const SourceMap& sources,
                           const std::string& filter);

// Only the traces, of all tests that can be run, whatever they expect.
void trace_tests(const std::vector<dsl::File>& files, const SourceMap& sources,
                 const program::VerifiedProgram& program, const TraceWatch& watch);

}  // namespace attrib::ruletest
