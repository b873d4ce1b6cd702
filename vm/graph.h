#pragma once

// The causality graph: edges between occurrences, which of them demote, the compounds that demoting
// edges close, and what reaches what. Everything is linear in edges but the rows of Reach.

#include <cstdint>
#include <span>
#include <vector>

#include "vm/edges.h"
#include "vm/facts.h"

namespace attrib::vm {

// An edge of one rule into the effect by which it is filed. Several rules may name one pair: it demotes if one of
// its edges does.
struct Arc {  // Without initial values: millions of them are made at once.
  std::uint32_t cause;
  std::uint16_t rule;
  bool strong;
  bool demotes;
};

// Arcs by effect.
struct ArcsByEffect {
  std::vector<std::uint32_t> begin;  // By effect, and one more.
  std::vector<Arc> arcs;
  [[nodiscard]] std::uint32_t vertices() const {
    return begin.empty() ? 0 : static_cast<std::uint32_t>(begin.size() - 1);
  }
};

// Strongly connected components, numbered so that causes have lower numbers than their effects (or
// the same). Tarjan's algorithm, without recursion.
std::vector<std::uint32_t> strong_components(const ArcsByEffect& graph);

class Graph {
 public:
  Graph(const std::vector<Occurrence>& occurrences, const EdgeList& edges);

  [[nodiscard]] std::size_t arcs() const { return by_effect_.arcs.size(); }
  [[nodiscard]] std::span<const Arc> causes_of(std::uint32_t effect) const {
    const std::uint32_t begin = by_effect_.begin[effect];
    return std::span(by_effect_.arcs).subspan(begin, by_effect_.begin[effect + 1] - begin);
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Compounds in canonical order of their first member; members sorted. Notes belong to none.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& components() const {
    return components_;
  }
  [[nodiscard]] std::uint32_t component_of(std::uint32_t v) const { return component_of_[v]; }
  [[nodiscard]] bool is_root(std::uint32_t component) const { return root_[component]; }
  // Components over all edges, demoting or not: causes have higher numbers than their effects.
  [[nodiscard]] const std::vector<std::uint32_t>& condensed() const { return condensed_; }
  // The vertices, the effects before their causes.
  [[nodiscard]] std::vector<std::uint32_t> effects_first() const;

  // Vertices reached from (or, `backwards`, reaching) the marked ones, these included.
  [[nodiscard]] std::vector<bool> reach(const std::vector<bool>& from, bool backwards) const;

 private:
  void sort_arcs(const std::vector<Occurrence>& occurrences, const EdgeList& edges);
  void find_components(const std::vector<Occurrence>& occurrences);
  [[nodiscard]] std::vector<bool> reach_causes(std::vector<bool> seen) const;

  std::uint32_t size_ = 0;
  ArcsByEffect by_effect_;
  std::vector<std::uint32_t> condensed_;
  std::vector<std::vector<std::uint32_t>> components_;
  std::vector<std::uint32_t> component_of_;
  std::vector<bool> root_;
};

// Which failure symptoms each of some vertices explains: rows of bits, equal rows once. A bit
// stands for failure symptoms of which each source explains all or none: those of one component of
// the whole graph, at least.
class Reach {
 public:
  static constexpr std::size_t kMaxClasses = 65'536;

  Reach(const Graph& graph, const std::vector<bool>& failing,
        const std::vector<std::uint32_t>& sources);

  [[nodiscard]] std::uint32_t row_of(std::size_t source) const { return row_of_[source]; }
  [[nodiscard]] bool covers(std::uint32_t row, std::uint32_t other) const;  // other is within row
  [[nodiscard]] std::vector<std::uint32_t> symptoms(std::uint32_t row) const;
  [[nodiscard]] std::size_t classes() const { return members_.size(); }
  [[nodiscard]] std::vector<std::uint32_t> classes_of(std::uint32_t row) const;
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  using Row = std::vector<std::uint64_t>;
  void classify(const Graph& graph, const std::vector<bool>& failing);
  std::vector<Row> by_classes(const Graph& graph, const std::vector<std::uint32_t>& sources) const;
  std::vector<Row> by_sources(const Graph& graph, const std::vector<std::uint32_t>& sources);

  std::uint32_t condensed_count_ = 0;
  std::vector<std::uint32_t> class_of_;  // By component; kNone: no failure symptom in it.
  std::vector<std::vector<std::uint32_t>> members_;  // Failure symptoms by class.
  std::vector<std::uint32_t> row_of_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> any_;  // All words of a row together, for a quick no.
  bool truncated_ = false;
};

}  // namespace attrib::vm
