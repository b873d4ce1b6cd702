#include "ruletest/run_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "ruletest/expectations.h"
#include "ruletest/test_evidence.h"

namespace attrib::ruletest {
namespace {

std::vector<const dsl::TestDecl*> in_order(const std::vector<dsl::File>& files,
                                           const SourceMap& sources) {
  std::vector<const dsl::File*> sorted;
  for (const dsl::File& file : files) sorted.push_back(&file);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const dsl::File* a, const dsl::File* b) {
    return sources.path(a->source) < sources.path(b->source);
  });
  std::vector<const dsl::TestDecl*> tests;
  for (const dsl::File* file : sorted) {
    for (const dsl::Decl& decl : file->decls) {
      if (const auto* test = std::get_if<dsl::TestDecl>(&decl)) tests.push_back(test);
    }
  }
  return tests;
}

std::vector<Failure> run_test(const dsl::TestDecl& test, const program::VerifiedProgram& program,
                              const TraceWatch& watch) {
  const Result<TestEvidence> made = make_evidence(test);
  if (!made) return {{test.span, "evidence that can be read", made.error().message}};
  vm::RunOptions options;
  options.trace = static_cast<bool>(watch);
  const vm::RunResult run = vm::run(program, made.value().evidence, options);
  std::vector<Failure> failures = failed_lines(test, made.value(), run);
  for (Failure& failure : failed_expectations(test, run.verdict))
    failures.push_back(std::move(failure));
  if (run.verdict.provisional)
    failures.push_back({test.span, "a run within its budgets", "a provisional verdict"});
  if (run.trace && failures.empty()) watch(*run.trace);
  return failures;
}

std::string line_of(const SourceMap& sources, const Span& span) {
  return fmt::format("{}:{}", sources.path(span.source),
                     sources.line_column(span.source, span.begin).line);
}

bool chosen(const dsl::TestDecl& test, const SourceMap& sources, const std::string& filter) {
  const std::string name = fmt::format("{} {}", line_of(sources, test.span), test.title.value);
  return name.find(filter) != std::string::npos;
}

}  // namespace

TestSummary run_tests(const std::vector<dsl::File>& files, const SourceMap& sources,
                      const program::VerifiedProgram& program, const std::string& filter,
                      const TraceWatch& watch) {
  TestSummary summary;
  for (const dsl::TestDecl* test : in_order(files, sources)) {
    if (!chosen(*test, sources, filter)) {
      ++summary.skipped;
      continue;
    }
    const std::vector<Failure> failures = run_test(*test, program, watch);
    ++(failures.empty() ? summary.passed : summary.failed);
    for (const Failure& failure : failures) {
      summary.report += fmt::format("FAIL {} \"{}\"\n  expected  {}\n  actual    {}\n",
                                    line_of(sources, failure.span), test->title.value,
                                    failure.expected, failure.actual);
    }
  }
  if (summary.passed + summary.failed == 0) {
    summary.report += summary.skipped > 0
                          ? "no test has this in its file, line or title: " + filter + "\n"
                          : "there are no tests\n";
  }
  summary.report += fmt::format("{} passed, {} failed\n", summary.passed, summary.failed);
  return summary;
}

std::string test_documents(const std::vector<dsl::File>& files, const SourceMap& sources,
                           const std::string& filter) {
  std::string lines;
  for (const dsl::TestDecl* test : in_order(files, sources)) {
    if (!chosen(*test, sources, filter)) continue;
    nlohmann::ordered_json line;
    line["test"] = fmt::format("{} {}", sources.path(test->span.source), test->title.value);
    line["clock_offsets"] = nlohmann::ordered_json::object();
    for (const dsl::TestClock& clock : test->clocks)
      line["clock_offsets"][clock.node.value] = clock.offset;
    line["document"] = nlohmann::ordered_json::parse(evidence_document(*test));
    lines += line.dump() + "\n";
  }
  return lines;
}

void trace_tests(const std::vector<dsl::File>& files, const SourceMap& sources,
                 const program::VerifiedProgram& program, const TraceWatch& watch) {
  vm::RunOptions options;
  options.trace = true;
  for (const dsl::TestDecl* test : in_order(files, sources)) {
    const Result<TestEvidence> made = make_evidence(*test);
    if (made) watch(*vm::run(program, made.value().evidence, options).trace);
  }
}

}  // namespace attrib::ruletest
