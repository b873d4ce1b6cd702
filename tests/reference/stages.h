#pragma once

// From observations to occurrences: extract, resolve names, decode, infer layer by layer, outcome;
// folding after each.

#include <functional>

#include "tests/reference/expression.h"

namespace attrib::reference {

// Calls `body` for each way to bind the rule's own variables: loops in order, each with its
// condition certain.
void each_binding(const State& state, const compiler::Rule& rule, Bindings& bindings,
                  const std::function<void(Evaluator&)>& body);

void extract(State& state);
void decode(State& state);
void infer(State& state);
// The outcome rules that held.
std::vector<verdict::Ending> outcomes(State& state);

// Lift, fold and add to the occurrences, which are put in canonical order.
void fold_facts(State& state, std::vector<Fact> facts);

// Ids of the observations behind a symptom: at most 8 of them, at most 4 ids each.
std::vector<std::string> evidence_ids(const State& state, const Fact& f, bool* truncated);

constexpr std::uint32_t kNoExtract = 0xffffffff;

}  // namespace attrib::reference
