#include "vm/rank.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_set>

#include "vm/before_index.h"

namespace attrib::vm {

using model::Band;
using model::Moment;
using model::Role;
using model::Truth;

std::vector<std::uint32_t> head_of(const std::vector<Occurrence>& occurrences,
                                   const std::vector<std::uint32_t>& component) {
  Role best = Role::Note;
  for (const std::uint32_t v : component) best = std::min(best, occurrences[v].meta.role);
  std::vector<std::uint32_t> head;
  for (const std::uint32_t v : component) {
    if (occurrences[v].meta.role == best) head.push_back(v);
  }
  return head;
}

namespace {

// A set of failure symptoms that can be asked: did one certainly begin before all of these?
class Begun {
 public:
  Begun(const std::vector<Occurrence>& occurrences, std::vector<std::uint32_t> members)
      : occurrences_(occurrences), members_(std::move(members)) {
    std::vector<Moment> begins;
    for (const std::uint32_t v : members_) begins.push_back(occurrences[v].begin);
    index_ = BeforeIndex(begins);
  }

  // `except`: members of this compound do not count (none: kNone).
  [[nodiscard]] bool before_all(const std::vector<std::uint32_t>& head, const Graph& graph,
                                std::uint32_t except) const {
    for (const std::uint32_t v : head) {
      if (!index_.any_before(occurrences_[v].begin)) return false;
    }
    if (head.size() == 1 && except == kNone) return true;
    return std::any_of(members_.begin(), members_.end(), [&](std::uint32_t p) {
      if (graph.component_of(p) == except) return false;
      return std::all_of(head.begin(), head.end(), [&](std::uint32_t q) {
        return model::before(occurrences_[p].begin, occurrences_[q].begin) == Truth::Yes;
      });
    });
  }

 private:
  const std::vector<Occurrence>& occurrences_;
  std::vector<std::uint32_t> members_;
  BeforeIndex index_;
};

class Ranker {
 public:
  Ranker(const std::vector<Occurrence>& occurrences, const Graph& graph,
         const std::vector<bool>& over)
      : occurrences_(occurrences), graph_(graph), over_(over) {}

  Ranking run() {
    find_failures();
    find_candidates();
    find_late();
    for (RankedComponent& c : out_.candidates) {
      c.accounts = !c.late && (!any_victim_ || c.explains);
    }
    compare_all();
    return std::move(out_);
  }

 private:
  bool is_victim(std::uint32_t v) const {
    return occurrences_[v].meta.role == Role::Victim && !over_[v];
  }

  void find_failures() {
    ends_.assign(occurrences_.size(), false);
    out_.failing.assign(occurrences_.size(), false);
    for (std::uint32_t v = 0; v < occurrences_.size(); ++v) {
      ends_[v] = occurrences_[v].meta.role == Role::End;
      any_victim_ = any_victim_ || is_victim(v);
      out_.failing[v] = ends_[v] || is_victim(v);
    }
  }

  void find_candidates() {
    const std::vector<bool> explains = graph_.reach(out_.failing, true);
    const std::vector<bool> explains_end = graph_.reach(ends_, true);
    for (std::uint32_t c = 0; c < graph_.components().size(); ++c) {
      if (!graph_.is_root(c)) continue;
      const auto& members = graph_.components()[c];
      if (std::all_of(members.begin(), members.end(), [&](std::uint32_t v) { return over_[v]; })) {
        continue;
      }
      RankedComponent found;
      found.component = c;
      found.head = head_of(occurrences_, members);
      for (const std::uint32_t v : found.head) {
        found.band = std::max(found.band, blame_of(occurrences_[v]));
      }
      if (found.band == Band::Hint) continue;
      // All members of a compound reach the same.
      found.explains = explains[members.front()];
      found.explains_end = explains_end[members.front()];
      out_.candidates.push_back(std::move(found));
    }
  }

  void find_late() {
    std::vector<bool> sources(occurrences_.size(), false);
    for (const RankedComponent& c : out_.candidates) {
      for (const std::uint32_t v : graph_.components()[c.component]) sources[v] = true;
    }
    const std::vector<bool> told = graph_.reach(sources, false);
    std::vector<std::uint32_t> untold;
    for (std::uint32_t v = 0; v < occurrences_.size(); ++v) {
      if (out_.failing[v] && !told[v]) untold.push_back(v);
    }
    const Begun begun(occurrences_, std::move(untold));
    for (RankedComponent& c : out_.candidates) c.late = begun.before_all(c.head, graph_, kNone);
  }

  int key(std::uint32_t c) const {
    const RankedComponent& x = out_.candidates[c];
    return (x.explains_end ? 8 : 0) + static_cast<int>(x.band);
  }

  void find_tangled() {
    std::vector<std::uint32_t> candidate(graph_.components().size(), kNone);
    for (const std::uint32_t c : accounting_) candidate[out_.candidates[c].component] = c;
    for (const Pair& p : graph_.pairs()) {
      const std::uint32_t a = candidate[graph_.component_of(p.cause)];
      const std::uint32_t b = candidate[graph_.component_of(p.effect)];
      if (a != kNone && b != kNone && a != b) tangled_.insert(pair_key(a, b));
    }
  }
  static std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
    return (std::uint64_t{std::min(a, b)} << 32U) | std::max(a, b);
  }

  // The strongest first, so that the bound on their number never costs the answer.
  void choose_accounting() {
    for (std::uint32_t c = 0; c < out_.candidates.size(); ++c) {
      if (out_.candidates[c].accounts) accounting_.push_back(c);
    }
    if (accounting_.size() > kMaxRanked) {
      out_.too_many_candidates = true;
      std::stable_sort(accounting_.begin(), accounting_.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
      accounting_.resize(kMaxRanked);
      std::sort(accounting_.begin(), accounting_.end());
    }
    std::vector<std::uint32_t> sources;
    for (const std::uint32_t c : accounting_) sources.push_back(out_.candidates[c].head.front());
    reach_ = std::make_unique<Reach>(graph_, out_.failing, sources);
    out_.too_many_failures = reach_->truncated();
    row_.assign(out_.candidates.size(), kNone);
    for (std::size_t i = 0; i < accounting_.size(); ++i) {
      row_[accounting_[i]] = reach_->row_of(i);
    }
    own_victims_.assign(out_.candidates.size(), false);
    for (const std::uint32_t c : accounting_) {
      const auto& members = graph_.components()[out_.candidates[c].component];
      own_victims_[c] = std::any_of(members.begin(), members.end(),
                                    [&](std::uint32_t v) { return is_victim(v); });
    }
  }

  // Did a victim that `a` explains, and is no part of it, certainly begin before b?
  bool explained_before(std::uint32_t a, std::uint32_t b) {
    if (begun_row_ != row_[a]) {
      begun_row_ = row_[a];
      std::vector<std::uint32_t> victims;
      for (const std::uint32_t v : reach_->symptoms(begun_row_)) {
        if (is_victim(v)) victims.push_back(v);
      }
      begun_.emplace(occurrences_, std::move(victims));
      before_.assign(out_.candidates.size(), -1);
    }
    const auto& head = out_.candidates[b].head;
    if (own_victims_[a]) return begun_->before_all(head, graph_, out_.candidates[a].component);
    if (before_[b] < 0) before_[b] = begun_->before_all(head, graph_, kNone) ? 1 : 0;
    return before_[b] == 1;
  }

  bool failing(std::uint32_t a, std::uint32_t b) {
    return any_victim_ && reach_->covers(row_[a], row_[b]) && explained_before(a, b);
  }

  bool beats(std::uint32_t a, std::uint32_t b) {
    if (key(a) < key(b)) return false;
    if (key(a) == key(b) && (!failing(a, b) || failing(b, a))) return false;
    return !tangled_.contains(pair_key(a, b));
  }

  // The strongest first, so that the first to beat a candidate gives the weightiest reason; rows of
  // one kind together, for explained_before() keeps one at a time.
  void compare_all() {
    choose_accounting();
    find_tangled();
    std::vector<std::uint32_t> order = accounting_;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(-key(a), row_[a]) < std::pair(-key(b), row_[b]);
    });
    std::vector<std::uint32_t> beaten_by(out_.candidates.size(), kNone);
    for (const std::uint32_t a : order) {
      for (const std::uint32_t b : accounting_) {
        if (a != b && beaten_by[b] == kNone && beats(a, b)) beaten_by[b] = a;
      }
    }
    for (const std::uint32_t c : accounting_) {
      if (beaten_by[c] == kNone) {
        out_.best.push_back(c);
      } else {
        out_.lost.push_back({c, reason(beaten_by[c], c)});
      }
    }
  }

  std::string reason(std::uint32_t a, std::uint32_t b) const {
    const RankedComponent& x = out_.candidates[a];
    const RankedComponent& y = out_.candidates[b];
    if (x.explains_end != y.explains_end) return "lost: explains no end";
    if (x.band != y.band) return "lost: lower confidence";
    return "lost: began after a failure symptom that the answer explains";
  }

  const std::vector<Occurrence>& occurrences_;
  const Graph& graph_;
  const std::vector<bool>& over_;
  Ranking out_;
  std::vector<bool> ends_;
  bool any_victim_ = false;
  std::vector<std::uint32_t> accounting_;      // Indexes into out_.candidates.
  std::unordered_set<std::uint64_t> tangled_;  // Asked, never walked.
  std::unique_ptr<Reach> reach_;
  std::vector<std::uint32_t> row_;
  std::vector<bool> own_victims_;
  std::optional<Begun> begun_;
  std::uint32_t begun_row_ = kNone;
  std::vector<int> before_;
};

}  // namespace

Ranking rank(const std::vector<Occurrence>& occurrences, const Graph& graph,
             const std::vector<bool>& over) {
  return Ranker(occurrences, graph, over).run();
}

}  // namespace attrib::vm
