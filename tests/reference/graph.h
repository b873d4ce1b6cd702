#pragma once

// Demotion and ranking: a plain port of the model in the language requirements, section 6. It knows
// nothing of rules or evidence, so that the model's scenarios can be run on it as they are.

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "model/time.h"
#include "model/vocabulary.h"

namespace attrib::reference {

using Id = std::size_t;

struct Vertex {
  model::Role role = model::Role::Victim;
  model::Band credence = model::Band::Likely;
  model::Moment begin, last;
  bool survived = false;   // Or history.
  bool elsewhere = false;  // On a node that is not the attempt's.
  [[nodiscard]] model::Band blame() const { return std::min(credence, model::role_cap(role)); }
};

using Pair = std::pair<Id, Id>;  // cause, effect

struct Ranking {
  std::vector<std::vector<Id>>
      components;                  // Strongly connected over demoting edges; sorted; no notes.
  std::vector<std::size_t> roots;  // Indexes into components, as all lists below.
  std::vector<std::size_t> candidates;
  std::vector<std::size_t> late;  // Candidates that came when the job was already failing.
  std::vector<std::size_t> accounting;
  std::vector<std::size_t> best;       // None: unattributed. Several: tied.
  std::vector<std::vector<Id>> heads;  // Of each component.
  std::set<Pair> demoting;
  std::set<Id> failures;  // Unsurvived victims, and ends.

  // Of two accounting candidates, why the first beats the second.
  enum class Win { None, ExplainsEnd, Confidence, Failing };
  std::vector<std::vector<Win>> wins;  // By place in `accounting`.
  [[nodiscard]] std::size_t component_of(Id id) const;
};

// `strong` edges and all edges (`any`, weak ones among them).
Ranking rank(const std::vector<Vertex>& vertices, const std::set<Pair>& any,
             const std::set<Pair>& strong);

// What can be reached over `edges` from these, themselves included.
std::set<Id> reachable(const std::set<Pair>& edges, const std::vector<Id>& from);

}  // namespace attrib::reference
