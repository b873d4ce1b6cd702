#pragma once

// The VM: one program over one body of evidence gives one verdict. Same program and evidence, same
// verdict, whatever the order of input; no clock, locale, environment or hash order reaches it.
//
// Stages, each on the frozen result of the one before: extract -> resolve entities -> decode ->
// fold -> infer (layer by layer, folding after each) -> outcome -> demote -> rank -> ambiguous.
// docs/semantics.md says what each means.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "program/verify.h"
#include "verdict/verdict.h"
#include "vm/profile.h"
#include "vm/trace.h"

namespace attrib::vm {

class LineEngine;

// Bounds in counted units, never in seconds. Passing one ends the rule (or the stage), and the
// verdict is provisional and names the rule and the factor. docs/limits.md.
struct Budget {
  std::uint64_t rule_steps = 200'000'000;  // loop steps and instructions of one rule
  std::uint64_t total_steps = 2'000'000'000;
  std::uint64_t matched_bytes = std::uint64_t{64} << 30U;  // bytes looked at by patterns
  std::uint64_t events = 4'000'000;
  std::uint64_t symptoms = 1'000'000;  // before folding
  std::uint64_t edges = 4'000'000;
  std::uint64_t collected = 4'000'000;  // facts in the aggregates of one rule
  std::uint32_t causes_per_effect =
      64;  // kept for one rule and one effect, in canonical order; the rest counted
};

struct RunOptions {
  Budget budget;
  bool trace = false;          // Fill RunResult::trace.
  bool list_events = true;     // Fill RunResult::events and unmatched; else they are only counted.
  bool process_ends = false;   // With this run: its memory is left to the end of the process.
  Profile* profile = nullptr;  // Hears where the run is.
  // The engine of the filter with which the evidence was read. Else one of the program, for what it has made before; or null.
  LineEngine* lines = nullptr;
};

struct ExtractedEvent {  // What an extract made of an observation: for `rulec test` and `attrib-vm
                         // check`.
  std::uint32_t observation = 0;  // Index into Evidence::observations.
  std::string extract;            // Full name.
  std::vector<verdict::NamedField> fields;
};

struct RuleStats {
  std::string rule;
  std::uint64_t steps = 0;
  std::uint64_t made = 0;  // Events, symptoms or edges.
};

// How often an alternative of an extract was looked at: how many lines held one of its literals,
// and how many of them matched. Only of those that were looked at.
struct LineLook {
  std::uint32_t extract = 0;
  std::uint32_t alternative = 0;
  std::uint64_t candidates = 0;
  std::uint64_t matches = 0;
};

// Numbers that a run has at hand when it ends.
struct RunCounts {
  std::uint64_t matched_bytes = 0;  // Looked at by patterns: MatchResult::bytes.
  std::uint64_t events = 0;
  std::uint64_t extracted = 0;    // What RunResult::events lists: no built-in event, but what was learned.
  std::uint64_t unmatched = 0;    // Observations no extract matched.
  std::uint64_t symptoms = 0;     // Before folding.
  std::uint64_t occurrences = 0;  // After it.
  std::uint64_t edges = 0;
};

struct RunResult {
  verdict::Verdict verdict;              // Not folded; call verdict::fold() before printing.
  std::vector<ExtractedEvent> events;    // Canonical order.
  std::vector<std::uint32_t> unmatched;  // Observations no extract matched.
  std::vector<RuleStats> stats;
  std::vector<LineLook> looks;  // By extract and alternative.
  RunCounts counts;
  std::optional<Trace> trace;
};

RunResult run(const program::VerifiedProgram& program, const evidence::Evidence& evidence,
              const RunOptions& options = {});

}  // namespace attrib::vm
