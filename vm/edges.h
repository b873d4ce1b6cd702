#pragma once

// Edges of the causality graph and the bound on their number: a burst on one side must not make the
// join quadratic.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/time.h"

namespace attrib::vm {

struct Edge {
  std::uint32_t cause = 0;  // Occurrences.
  std::uint32_t effect = 0;
  std::uint32_t rule = 0;
  bool strong = false;
  model::Nanos margin_lo = 0, margin_hi = 0;  // What effect - cause can be.
};

// Keeps at most `limit` edges for one rule, effect and type of cause: strong ones first, then in
// canonical order of the cause, which is the order they must be added in. The search for an
// effect's causes may end at `limit` strong ones, or at kSearch * limit in all.
class EdgeCollector {
 public:
  static constexpr std::uint32_t kSearch = 16;

  EdgeCollector(std::uint32_t limit, std::uint64_t budget) : limit_(limit), budget_(budget) {}

  void begin_rule();
  // False when the effect needs no more causes of that type.
  bool add(const Edge& edge, std::uint32_t cause_type);
  [[nodiscard]] bool full(std::uint32_t effect, std::uint32_t cause_type) const;
  // Cuts what is over the limit and files the rest.
  void end_rule();

  [[nodiscard]] bool over_budget() const { return edges_.size() + fresh_.size() > budget_; }
  [[nodiscard]] std::uint64_t capped() const { return capped_; }
  [[nodiscard]] std::uint64_t made() const { return made_; }  // By the rule that ended last.
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  std::vector<Edge> take() { return std::move(edges_); }

 private:
  struct Tally {
    std::uint32_t strong = 0;
    std::uint32_t weak = 0;
  };
  struct Fresh {
    Edge edge;
    std::uint32_t cause_type;
  };
  [[nodiscard]] bool full(const Tally& t) const {
    const std::uint32_t all = t.strong + t.weak;
    return (t.strong >= limit_ && all > limit_) || all >= kSearch * limit_;
  }

  std::uint32_t limit_;
  std::uint64_t budget_;
  std::unordered_map<std::uint64_t, Tally> tallies_;  // By cause type and effect; never walked.
  std::vector<Fresh> fresh_;
  std::vector<Edge> edges_;
  std::uint64_t capped_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace attrib::vm
