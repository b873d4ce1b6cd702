#pragma once

// The causality graph: pairs of occurrences, which of them demote, the compounds that demoting
// edges close, and what reaches what. Everything is linear but the rows of Reach.

#include <cstdint>
#include <utility>
#include <vector>

#include "vm/edges.h"
#include "vm/facts.h"

namespace attrib::vm {

// Strongly connected components of a directed graph, numbered so that edges go from higher to lower
// numbers (or stay).
std::vector<std::uint32_t> strong_components(
    std::uint32_t vertices, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

// All edges from one cause to one effect, as the strongest of them.
struct Pair {
  std::uint32_t cause = 0;
  std::uint32_t effect = 0;
  bool strong = false;
  bool demotes = false;
};

class Graph {
 public:
  Graph(const std::vector<Occurrence>& occurrences, const std::vector<Edge>& edges);

  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }  // By cause, effect.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Compounds in canonical order of their first member; members sorted. Notes belong to none.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& components() const {
    return components_;
  }
  [[nodiscard]] std::uint32_t component_of(std::uint32_t v) const { return component_of_[v]; }
  [[nodiscard]] bool is_root(std::uint32_t component) const { return root_[component]; }

  // Vertices reached from (or, `backwards`, reaching) the marked ones, these included.
  [[nodiscard]] std::vector<bool> reach(const std::vector<bool>& from, bool backwards) const;

 private:
  void find_components(const std::vector<Occurrence>& occurrences);

  std::uint32_t size_ = 0;
  std::vector<Pair> pairs_;
  std::vector<std::vector<std::uint32_t>> components_;
  std::vector<std::uint32_t> component_of_;
  std::vector<bool> root_;
};

// Which failure symptoms each of some vertices explains: rows of bits, equal rows once. A bit
// stands for the failure symptoms of one component of the whole graph, for what reaches one reaches
// all.
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
  std::vector<Row> propagate(const Graph& graph, const std::vector<std::uint32_t>& sources) const;

  std::vector<std::uint32_t> condensed_;  // Component of each vertex over all pairs.
  std::uint32_t condensed_count_ = 0;
  std::vector<std::uint32_t> class_of_;  // By component; kNone: no failure symptom in it.
  std::vector<std::vector<std::uint32_t>> members_;  // Failure symptoms by class.
  std::vector<std::uint32_t> row_of_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> any_;  // All words of a row together, for a quick no.
  bool truncated_ = false;
};

}  // namespace attrib::vm
