#pragma once

// Edges of the causality graph and the bound on their number: a burst on one side must not make the
// join quadratic.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace attrib::vm {

struct Edge {
  std::uint32_t cause = 0;  // Occurrences.
  std::uint32_t effect = 0;
  std::uint16_t rule = 0;  // program::kMaxRules
  bool strong = false;
};

// There may be millions, mostly many of one rule and effect: such a run is told once, and each of its causes takes four
// bytes. Growing never copies causes: they lie in lists of at least kChunk.
class EdgeList {
 public:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;
  // A cause, and whether the edge is strong; occurrences are fewer than 2^31.
  static constexpr std::uint32_t kStrong = std::uint32_t{1} << 31U;

  void push_back(const Edge& edge) {
    const std::uint32_t cause = edge.cause | (edge.strong ? kStrong : 0);
    append(edge.effect, edge.rule, std::span(&cause, 1));
  }
  // Causes as above. A run never lies in two lists.
  void append(std::uint32_t effect, std::uint16_t rule, std::span<const std::uint32_t> causes);
  [[nodiscard]] std::size_t size() const { return size_; }
  // Run by run: effect, rule and causes.
  template <typename F>
  void for_each_run(const F& f) const {
    for (const Run& run : runs_) {
      f(run.effect, run.rule, std::span(chunks_[run.chunk]).subspan(run.begin, run.count));
    }
  }
  template <typename F>
  void for_each(const F& f) const {
    for_each_run([&](std::uint32_t effect, std::uint16_t rule, std::span<const std::uint32_t> causes) {
      for (const std::uint32_t c : causes) f(Edge{c & ~kStrong, effect, rule, (c & kStrong) != 0});
    });
  }

 private:
  struct Run {
    std::uint32_t effect;
    std::uint32_t begin, count;  // In its list.
    std::uint16_t rule;
    std::uint16_t chunk;
  };
  std::vector<std::vector<std::uint32_t>> chunks_;
  std::vector<Run> runs_;
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
  // add() of many: causes of one type of the effect in work, of a rule that goes by effect. None after it wants no
  // more, and it ends before anything else is added.
  class Adding {
   public:
    Adding(EdgeCollector& to, std::uint32_t effect, std::uint16_t rule, std::uint32_t cause_type);
    Adding(const Adding&) = delete;
    Adding& operator=(const Adding&) = delete;
    ~Adding();
    bool add(std::uint32_t cause, bool strong) {
      std::uint32_t& n = strong ? strong_ : weak_;
      ++n;
      if (n <= limit_) kept_[count_++] = cause | (strong ? EdgeList::kStrong : 0);
      return !full_after(strong_ + weak_);
    }
    [[nodiscard]] bool wants_strong_only() const { return strong_ + weak_ > limit_; }
    [[nodiscard]] bool over_budget() const { return count_ > room_; }

   private:
    [[nodiscard]] bool full_after(std::uint32_t all) const {
      return all > limit_ && (strong_ >= limit_ || all >= most_);
    }
    EdgeCollector& to_;
    std::uint32_t effect_, cause_type_;
    std::uint16_t rule_;
    std::uint32_t limit_, most_;
    std::uint32_t strong_, weak_, before_;
    std::uint32_t* kept_;
    std::uint64_t count_ = 0, room_;
  };
  [[nodiscard]] bool full(std::uint32_t effect, std::uint32_t cause_type) const;
  // More than `limit` were found: of those to come, only strong ones will be kept.
  [[nodiscard]] bool wants_strong_only(std::uint32_t effect, std::uint32_t cause_type) const;
  [[nodiscard]] std::uint32_t limit() const { return limit_; }
  // Cuts what is over the limit and files the rest.
  void end_rule();

  // A rule may use half of what is left, so that those after it are not left without, or kLeast.
  static constexpr std::uint64_t kLeast = 10'000;
  [[nodiscard]] bool over_budget() const { return in_work() > share_; }
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
  // With those of the effect in work that may still give way, or have.
  [[nodiscard]] std::uint64_t in_work() const { return edges_.size() + fresh_.size() + given_way_; }
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
  std::vector<std::uint32_t> adding_;
  std::uint64_t given_way_ = 0;
  EdgeList edges_;
  std::uint64_t capped_ = 0;
  std::uint64_t made_before_ = 0;
};

}  // namespace attrib::vm
