// Budgets of a run: at the limit it is complete, one past it the verdict is provisional and names
// the rule and the factor.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "evidence/read.h"
#include "tests/fuzz/sample.h"
#include "vm/graph.h"
#include "vm/rank.h"

namespace attrib {
namespace {

constexpr int kLines = 6;

const program::VerifiedProgram& program() {
  static const program::VerifiedProgram kProgram = [] {
    std::string why;
    auto compiled = fuzz::compile({R"rules(
pack t 1.0.0
language 1
event Failure on Node { code u32 }
symptom t.cause on Node { code u32  role origin  domain host }
symptom t.effect on Node { code u32  role victim  domain application }
extract failure from kernel as Failure {
  line   "failure number {code}"
  sample "failure number 7" gives { code: 7 }
  reject "no failure"
}
decode cause { on x: Failure where x.code < 1000  emit t.cause at x.node { code: x.code } }
decode effect { on x: Failure where x.code >= 1000  emit t.effect at x.node { code: x.code } }
symptom t.many on Attempt { role relay  domain host }
infer many {
  each x: t.effect
  when count of y: t.cause where y.code < 1000 >= 2
  emit t.many at attempt {}
}
demote behind {
  cause   c: t.cause
  effect  e: t.effect
  within  0s..1h from c.begin to e.begin
  because "a failure goes on"
}
)rules",
                                   {}},
                                  &why);
    REQUIRE_MESSAGE(compiled.has_value(), why);
    auto verified = program::verify(std::move(*compiled));
    REQUIRE(verified.ok());
    return std::move(verified).value();
  }();
  return kProgram;
}

// kLines causes, each a symptom of its own, then `effects` that all of them explain.
evidence::Evidence evidence_of(int effects) {
  evidence::Input input;
  input.name = "lines.ndjson";
  for (int i = 0; i < kLines + effects; ++i) {
    const int code = i < kLines ? i : 1000 + i;
    input.bytes += fmt::format(
        R"({{"id":"o{}","ts":"2026-05-18T12:{:02}:00.000Z","source":"kernel","node":"n1","message":"failure number {}"}})"
        "\n",
        i, i, code);
  }
  auto read = evidence::read({input}, {});
  REQUIRE(read.ok());
  CHECK(read.value().observations.size() == static_cast<std::size_t>(kLines + effects));
  return std::move(read).value();
}

verdict::Verdict run_with(const vm::Budget& budget, int effects = 1) {
  vm::RunOptions options;
  options.budget = budget;
  return vm::run(program(), evidence_of(effects), options).verdict;
}

void check_passed(const verdict::Verdict& verdict, const std::string& rule,
                  const std::string& factor, std::uint64_t limit) {
  CHECK(verdict.provisional);
  REQUIRE(verdict.incomplete.size() >= 1);
  CHECK(verdict.incomplete[0].rule == rule);
  CHECK(verdict.incomplete[0].factor == factor);
  CHECK(verdict.incomplete[0].limit == limit);
}

TEST_CASE("within its budget a verdict is not provisional") {
  const verdict::Verdict verdict = run_with({});
  CHECK_FALSE(verdict.provisional);
  CHECK(verdict.incomplete.empty());
  CHECK(verdict.symptoms.size() == kLines + 2);
}

TEST_CASE("steps of a rule: enough at what it takes, one less stops that rule") {
  vm::RunOptions options;
  const vm::RunResult whole = vm::run(program(), evidence_of(1), options);
  const vm::RuleStats* most = nullptr;
  for (const vm::RuleStats& each : whole.stats) {
    if (most == nullptr || each.steps > most->steps) most = &each;
  }
  REQUIRE(most != nullptr);
  vm::Budget budget;
  budget.rule_steps = most->steps;
  CHECK_FALSE(run_with(budget).provisional);
  budget.rule_steps = most->steps - 1;
  check_passed(run_with(budget), most->rule, "loop steps", most->steps - 1);
}

TEST_CASE("steps of a run: enough at what all rules take, one less stops the run") {
  const vm::RunResult whole = vm::run(program(), evidence_of(1), {});
  vm::Budget budget;
  budget.total_steps = 0;
  for (const vm::RuleStats& each : whole.stats) budget.total_steps += each.steps;
  CHECK_FALSE(run_with(budget).provisional);
  --budget.total_steps;
  check_passed(run_with(budget), "total", "loop steps", budget.total_steps);
}

TEST_CASE("bytes matched: each line and each template tried on it, with the line end") {
  constexpr std::uint64_t kShort = sizeof("failure number 0");
  constexpr std::uint64_t kLong = sizeof("failure number 1006");
  vm::Budget budget;
  budget.matched_bytes = 2 * (kLines * kShort + kLong);
  CHECK_FALSE(run_with(budget).provisional);
  --budget.matched_bytes;
  check_passed(run_with(budget), "total", "bytes matched", budget.matched_bytes);
}

TEST_CASE("events: the last that fits, and one more") {
  vm::Budget budget;
  budget.events = kLines + 1;
  CHECK_FALSE(run_with(budget).provisional);
  budget.events = kLines;
  const verdict::Verdict verdict = run_with(budget);
  check_passed(verdict, "total", "matches", kLines);
  CHECK(verdict.symptoms.size() == kLines);
}

TEST_CASE("symptoms: the last that fits, and one more") {
  vm::Budget budget;
  budget.symptoms = kLines + 2;
  CHECK_FALSE(run_with(budget).provisional);
  budget.symptoms = kLines;
  const verdict::Verdict verdict = run_with(budget);
  check_passed(verdict, "t.effect", "symptoms", kLines);
  CHECK(verdict.symptoms.size() == kLines);
}

TEST_CASE("facts collected by aggregates: the last that fits, and one more") {
  vm::Budget budget;
  budget.collected = kLines;
  CHECK_FALSE(run_with(budget).provisional);
  budget.collected = kLines - 1;
  check_passed(run_with(budget), "t.many", "facts collected", kLines - 1);
}

TEST_CASE("edges: the last that fits, and one more") {
  vm::Budget budget;
  budget.edges = kLines;
  CHECK_FALSE(run_with(budget).provisional);
  budget.edges = kLines - 1;
  check_passed(run_with(budget), "t.behind", "edges", kLines - 1);
}

TEST_CASE(
    "causes of an effect: those over the limit are left out and counted, and the verdict is "
    "whole") {
  vm::Budget budget;
  budget.causes_per_effect = kLines;
  CHECK(run_with(budget).counters.at("edges") == kLines);
  CHECK(run_with(budget).counters.at("edges_capped") == 0);
  budget.causes_per_effect = kLines - 1;
  const verdict::Verdict verdict = run_with(budget);
  CHECK(verdict.counters.at("edges") == kLines - 1);
  CHECK(verdict.counters.at("edges_capped") == 1);
  CHECK_FALSE(verdict.provisional);
}

TEST_CASE("a budget of nothing still gives a verdict") {
  vm::Budget budget;
  budget.rule_steps = budget.total_steps = budget.matched_bytes = budget.events = 0;
  budget.symptoms = budget.edges = budget.causes_per_effect = 0;
  const verdict::Verdict verdict = run_with(budget);
  CHECK(verdict.provisional);
  CHECK(verdict.symptoms.empty());
}

}  // namespace
}  // namespace attrib
