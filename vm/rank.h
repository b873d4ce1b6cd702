#pragma once

// Which root compound accounts for the failure, and which only might (docs/semantics.md,
// "6. Ranking"). A port of the reference model of the language's requirements.

#include <cstdint>
#include <string>
#include <vector>

#include "vm/graph.h"

namespace attrib::vm {

struct RankedComponent {
  std::uint32_t component = 0;
  std::vector<std::uint32_t> head;  // Members of the highest role.
  model::Band band = model::Band::Hint;
  bool explains = false;  // Some failure symptom.
  bool explains_end = false;
  bool late = false;  // The job was already failing, unexplained.
  bool accounts = false;
};

struct Lost {
  std::uint32_t candidate = 0;  // Index into Ranking::candidates.
  std::string why;
};

struct Ranking {
  std::vector<RankedComponent> candidates;  // Canonical order of components.
  std::vector<std::uint32_t> best;          // Indexes into candidates: nobody beats them.
  std::vector<Lost> lost;                   // Those that account and are beaten.
  std::vector<bool> failing;                // By occurrence: a failure symptom.
  bool too_many_candidates = false;
  bool too_many_failures = false;
};

constexpr std::size_t kMaxRanked = 16'384;  // Candidates compared with one another.

// `over`: survived or history, by occurrence. `elsewhere`: on a node that is not the attempt's; may be empty (nothing
// is). What happened elsewhere must explain a failure symptom even where the job shows no victim.
Ranking rank(const std::vector<Occurrence>& occurrences, const Graph& graph,
             const std::vector<bool>& over, const std::vector<bool>& elsewhere = {});

std::vector<std::uint32_t> head_of(const std::vector<Occurrence>& occurrences,
                                   const std::vector<std::uint32_t>& component);

}  // namespace attrib::vm
