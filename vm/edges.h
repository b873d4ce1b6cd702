#pragma once

// Edges of the causality graph and the bound on their number: a burst on one side must not make the
// join quadratic.

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace attrib::vm {

struct Edge {
  std::uint32_t cause = 0;  // Occurrences.
  std::uint32_t effect = 0;
  std::uint16_t rule = 0;  // program::kMaxRules
  bool strong = false;
};

// There may be millions, so growing never copies: lists of kChunk, the last one shorter.
class EdgeList {
 public:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;

  void push_back(const Edge& edge) {
    if (size_ % kChunk == 0) start_chunk();
    chunks_.back().push_back(edge);
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <typename F>
  void for_each(const F& f) const {
    for (const std::vector<Edge>& chunk : chunks_) {
      for (const Edge& edge : chunk) f(edge);
    }
  }

 private:
  void start_chunk();
  std::vector<std::vector<Edge>> chunks_;
  std::size_t size_ = 0;
};

// Keeps at most `limit` edges for one rule, effect and type of cause: strong ones first, then in
// canonical order of the cause, which is the order they must be added in. The search for an
// effect's causes may end at `limit` strong ones, or at kSearch * limit in all.
class EdgeCollector {
 public:
  static constexpr std::uint32_t kSearch = 16;

  EdgeCollector(std::uint32_t limit, std::uint64_t budget) : limit_(limit), budget_(budget) {}

  // `by_effect`: the rule goes from effect to effect, which begin_effect() tells, and comes to none
  // twice, nor to a cause of it. Then nothing needs to be sorted.
  void begin_rule(bool by_effect);
  void begin_effect();
  // False when the effect needs no more causes of that type.
  bool add(const Edge& edge, std::uint32_t cause_type) {
    Tally& tally = tally_of(edge.effect, cause_type);
    if (full(tally)) return false;
    std::uint32_t& n = edge.strong ? tally.strong : tally.weak;
    ++n;
    if (n <= limit_) fresh_.push_back({edge, cause_type});
    if (tally.strong + tally.weak == limit_ + 1) ++capped_;
    return !full(tally);
  }
  [[nodiscard]] bool full(std::uint32_t effect, std::uint32_t cause_type) const;
  // More than `limit` were found: of those to come, only strong ones will be kept.
  [[nodiscard]] bool wants_strong_only(std::uint32_t effect, std::uint32_t cause_type) const;
  [[nodiscard]] std::uint32_t limit() const { return limit_; }
  // Cuts what is over the limit and files the rest.
  void end_rule();

  // A rule may use half of what is left, so that those after it are not left without, or kLeast.
  static constexpr std::uint64_t kLeast = 10'000;
  [[nodiscard]] bool over_budget() const { return edges_.size() + fresh_.size() > share_; }
  [[nodiscard]] std::uint64_t capped() const { return capped_; }
  [[nodiscard]] std::uint64_t made() const { return edges_.size() - made_before_; }
  [[nodiscard]] const EdgeList& edges() const { return edges_; }
  // They are in the graph now.
  void forget_edges() { edges_ = {}; }

 private:
  struct Tally {
    std::uint32_t strong = 0;
    std::uint32_t weak = 0;
    std::uint32_t weak_kept = 0;
    std::uint32_t visit = 0;  // Of begin_effect(): another one's says nothing.
  };
  struct Fresh {
    Edge edge;
    std::uint32_t cause_type;
  };
  [[nodiscard]] bool full(const Tally& t) const {
    const std::uint32_t all = t.strong + t.weak;
    return (t.strong >= limit_ && all > limit_) || all >= kSearch * limit_;
  }
  [[nodiscard]] const Tally* find(std::uint32_t effect, std::uint32_t cause_type) const;
  Tally& tally_of(std::uint32_t effect, std::uint32_t cause_type) {
    const bool told = by_effect_ && cause_type < of_type_.size();
    if (told && of_type_[cause_type].visit == visit_) return of_type_[cause_type];
    return start_tally(effect, cause_type);
  }
  Tally& start_tally(std::uint32_t effect, std::uint32_t cause_type);
  void file_effect();

  std::uint32_t limit_;
  std::uint64_t budget_;
  std::uint64_t share_ = 0;  // What the rule may bring the number of edges to.
  bool by_effect_ = false;
  std::uint32_t visit_ = 0;
  std::vector<Tally> of_type_;                        // Of the effect in work.
  std::unordered_map<std::uint64_t, Tally> tallies_;  // By cause type and effect; never walked.
  std::vector<Fresh> fresh_;
  EdgeList edges_;
  std::uint64_t capped_ = 0;
  std::uint64_t made_before_ = 0;
};

}  // namespace attrib::vm
