#pragma once

// What fired in a run and on which facts, for those who ask how far rules are exercised (`rulec
// cover`). A run fills it only when RunOptions::trace says so, and only where something is put out
// or looked up: the loops that look for facts know nothing of it.

#include <compare>
#include <cstdint>
#include <vector>

#include "model/vocabulary.h"

namespace attrib::vm {

// An output that was reached: an emission, an edge, an ending or a message.
struct Firing {
  std::uint32_t rule = 0;            // Index into Program::rules.
  std::uint32_t instruction = 0;     // Index into Program::code.
  // Of the loops around it, in the order of the rule's variables; an edge's cause and effect. Among
  // rules of one kind and layer a number is one fact; across them it means nothing, for facts move.
  std::vector<std::uint32_t> facts;
  friend auto operator<=>(const Firing&, const Firing&) = default;
};

struct MatchedAlternative {
  std::uint32_t extract = 0;  // Index into Program::extracts.
  std::uint32_t alternative = 0;
  friend auto operator<=>(const MatchedAlternative&, const MatchedAlternative&) = default;
};

struct LookedUp {
  std::uint32_t table = 0;  // Index into Program::tables.
  std::uint32_t row = 0;    // Not the default row.
  friend auto operator<=>(const LookedUp&, const LookedUp&) = default;
};

struct TracedSymptom {
  std::uint32_t type = 0;  // Index into Program::symptoms.
  model::Role role = model::Role::Victim;
};

struct Trace {
  std::vector<Firing> firings;                   // Sorted, each once.
  std::vector<MatchedAlternative> alternatives;  // Those that made something. Sorted, each once.
  std::vector<LookedUp> rows;                    // Sorted, each once.
  std::vector<std::uint32_t> events;             // How many, by event type.
  std::vector<TracedSymptom> symptoms;           // All occurrences.
};

}  // namespace attrib::vm
