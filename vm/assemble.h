#pragma once

// The last stage: what the ranking found, as a verdict (docs/semantics.md, "6. Ranking").

#include "vm/rank.h"
#include "vm/state.h"

namespace attrib::vm {

struct Finding {
  const std::vector<Occurrence>* occurrences = nullptr;
  const Graph& graph;
  const Ranking& ranking;
  const std::vector<bool>& survived;
  const std::vector<bool>& history;
  model::Outcome outcome = model::Outcome::Unknown;
};

// How the attempt ended: the greatest rank wins, rules of that rank that disagree cancel. Sorts the
// endings.
model::Outcome outcome_of(std::vector<verdict::Ending>* endings);
// Attributed, ambiguous, unattributed or no failure; with its domain.
model::VerdictStatus status_of(const State& state, const Finding& finding, model::Domain* domain);
// Indexes of the candidates that the answer consists of: none if nothing failed.
std::vector<std::uint32_t> answer_of(const Finding& finding);

verdict::Verdict assemble(State& state, const Finding& finding);

}  // namespace attrib::vm
