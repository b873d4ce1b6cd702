#pragma once

#include "tests/reference/expression.h"
#include "tests/reference/graph.h"

namespace attrib::reference {

// What one demote rule says of one pair; places in State::occurrences.
struct Edge {
  Id cause = 0, effect = 0;
  std::uint32_t rule = 0;
  bool strong = false;
  Nanos margin_lo = 0, margin_hi = 0;  // What effect - cause can be.
};

struct Edges {
  std::vector<Edge> kept;    // By rule, effect, cause.
  std::uint64_t capped = 0;  // Groups of rule, effect and type of cause that had more.
};
Edges find_edges(const State& state, std::size_t causes_per_effect);

}  // namespace attrib::reference
