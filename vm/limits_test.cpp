// Limits that no budget sets. docs/limits.md lists them.

#include <doctest/doctest.h>

#include "vm/rank.h"
#include "vm/topology.h"

namespace attrib::vm {
namespace {

std::vector<Occurrence> occurrences(std::size_t n, model::Role role) {
  Occurrence one;
  one.credence = model::Band::Likely;
  one.meta.role = role;
  one.begin.known = true;
  one.last = one.begin;
  return std::vector<Occurrence>(n, one);
}

TEST_CASE("candidates over the limit are not compared, and the ranking says so") {
  for (const std::size_t n : {kMaxRanked, kMaxRanked + 1}) {
    const auto all = occurrences(n, model::Role::Origin);
    const Graph graph(all, {});
    const Ranking ranking = rank(all, graph, std::vector<bool>(n));
    CHECK(ranking.candidates.size() == n);
    CHECK(ranking.best.size() == kMaxRanked);  // They are all alike.
    CHECK(ranking.too_many_candidates == (n > kMaxRanked));
  }
}

TEST_CASE("failure symptoms over the limit are not looked at, and the ranking says so") {
  for (const std::size_t n : {Reach::kMaxClasses, Reach::kMaxClasses + 1}) {
    auto all = occurrences(n + 1, model::Role::Victim);
    all[0].meta.role = model::Role::Origin;
    // One that the origin explains, so that it accounts.
    EdgeList edges;
    edges.push_back({0, 1, 0, true});
    const Graph graph(all, edges);
    CHECK(rank(all, graph, std::vector<bool>(n + 1)).too_many_failures == (n > Reach::kMaxClasses));
  }
}

TEST_CASE("aliases of aliases are followed eight steps") {
  evidence::Evidence evidence;
  EntityTable entities;
  Topology topology(evidence, entities);
  for (int i = 0; i < 9; ++i) {
    const EntityId target = entities.node("n" + std::to_string(i + 1));
    topology.learn({model::LearnKind::Alias, "n" + std::to_string(i), 0, target, EntityId::None});
  }
  topology.resolve();
  CHECK(topology.canonical(entities.node("n1")) == entities.node("n9"));
  CHECK(topology.canonical(entities.node("n0")) == entities.node("n8"));
}

}  // namespace
}  // namespace attrib::vm
