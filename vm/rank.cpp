#include "vm/rank.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
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
         const std::vector<bool>& over, const std::vector<bool>& elsewhere)
      : occurrences_(occurrences), graph_(graph), over_(over), elsewhere_(elsewhere) {}

  Ranking run() {
    find_failures();
    find_candidates();
    find_late();
    for (RankedComponent& c : out_.candidates) {
      c.accounts = !c.late && (c.explains || !(any_victim_ || is_elsewhere(c)));
    }
    compare_all();
    return std::move(out_);
  }

 private:
  bool is_elsewhere(const RankedComponent& c) const {
    return !elsewhere_.empty() && std::all_of(c.head.begin(), c.head.end(),
                                              [&](std::uint32_t v) { return elsewhere_[v]; });
  }
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
    // Notes are in no compound, and have no edges.
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      const auto causes = graph_.causes_of(v);
      const std::uint32_t b = causes.empty() ? kNone : candidate[graph_.component_of(v)];
      if (b == kNone) continue;
      for (const Arc& p : causes) {
        const std::uint32_t a = candidate[graph_.component_of(p.cause)];
        if (a != kNone && a != b) tangled_.insert(pair_key(a, b));
      }
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

  [[nodiscard]] bool tangled(std::uint32_t a, std::uint32_t b) const {
    return tangled_.contains(pair_key(a, b));
  }

  // Candidates of one key that explain the same and have no victim among their own members: they
  // beat alike. Any other candidate is alone, and its own victims do not count for it.
  struct Group {
    int key = 0;
    std::uint32_t row = 0;
    std::uint32_t except = kNone;  // Its compound.
    std::vector<std::uint32_t> members;
  };
  [[nodiscard]] std::uint32_t except_of(std::uint32_t c) const {
    return own_victims_[c] ? out_.candidates[c].component : kNone;
  }

  std::vector<Group> groups() const {
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, Group> found;
    for (const std::uint32_t c : accounting_) {
      Group& group = found[{-key(c), row_[c], except_of(c)}];
      group.key = key(c);
      group.row = row_[c];
      group.except = except_of(c);
      group.members.push_back(c);
    }
    std::vector<Group> out;
    for (auto& [order, group] : found) out.push_back(std::move(group));
    return out;
  }

  // (1) and (2) of the requirements: who explains an end, and whose band is higher.
  void beat_by_key() {
    std::vector<std::uint32_t> order = accounting_;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
    for (const std::uint32_t b : accounting_) {
      for (const std::uint32_t a : order) {
        if (key(a) <= key(b)) break;
        if (tangled(a, b)) continue;
        beaten_by_[b] = a;
        break;
      }
    }
  }

  // (3): a explains all that b explains, and one of these began before b, and not the other way
  // round. Whom a group may beat is found by the rarest class of failures that each explains.
  void beat_by_time() {
    const std::vector<Group> all = groups();
    std::vector<std::uint32_t> users(reach_->classes(), 0);
    for (const Group& g : all) {
      for (const std::uint32_t c : reach_->classes_of(g.row)) ++users[c];
    }
    std::vector<std::vector<std::uint32_t>> by_rarest(reach_->classes());  // Groups.
    for (std::uint32_t g = 0; g < all.size(); ++g) {
      const auto classes = reach_->classes_of(all[g].row);
      const auto rarest =
          std::min_element(classes.begin(), classes.end(),
                           [&](std::uint32_t x, std::uint32_t y) { return users[x] < users[y]; });
      if (rarest != classes.end()) by_rarest[*rarest].push_back(g);
    }
    std::uint32_t begun_row = kNone;
    std::optional<Begun> begun;
    for (const Group& a : all) {
      if (begun_row != a.row) {
        begun_row = a.row;
        std::vector<std::uint32_t> victims;
        for (const std::uint32_t v : reach_->symptoms(a.row)) {
          if (is_victim(v)) victims.push_back(v);
        }
        begun.emplace(occurrences_, std::move(victims));
      }
      std::vector<std::uint32_t> ahead;  // Members that nothing they explain came before.
      for (const std::uint32_t c : a.members) {
        if (!begun->before_all(out_.candidates[c].head, graph_, kNone)) ahead.push_back(c);
      }
      for (const std::uint32_t c : reach_->classes_of(a.row)) {
        for (const std::uint32_t g : by_rarest[c]) {
          if (all[g].key == a.key && reach_->covers(a.row, all[g].row)) {
            group_beats(a, all[g], *begun, ahead);
          }
        }
      }
    }
  }

  void group_beats(const Group& a, const Group& b, const Begun& begun,
                   const std::vector<std::uint32_t>& ahead) {
    const bool mutual = a.row == b.row;  // Then b may explain a victim before a, too.
    const bool plain = b.except == kNone;
    for (const std::uint32_t loser : b.members) {
      if (beaten_by_[loser] != kNone) continue;
      if (!begun.before_all(out_.candidates[loser].head, graph_, a.except)) continue;
      for (const std::uint32_t winner : mutual&& plain ? ahead : a.members) {
        if (winner == loser || tangled(winner, loser)) continue;
        if (mutual && !plain && begun.before_all(out_.candidates[winner].head, graph_, b.except)) {
          continue;
        }
        beaten_by_[loser] = winner;
        break;
      }
    }
  }

  void compare_all() {
    choose_accounting();
    find_tangled();
    beaten_by_.assign(out_.candidates.size(), kNone);
    beat_by_key();
    if (any_victim_) beat_by_time();
    for (const std::uint32_t c : accounting_) {
      if (beaten_by_[c] == kNone) {
        out_.best.push_back(c);
      } else {
        out_.lost.push_back({c, reason(beaten_by_[c], c)});
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
  const std::vector<bool>& elsewhere_;
  Ranking out_;
  std::vector<bool> ends_;
  bool any_victim_ = false;
  std::vector<std::uint32_t> accounting_;      // Indexes into out_.candidates.
  std::unordered_set<std::uint64_t> tangled_;  // Asked, never walked.
  std::unique_ptr<Reach> reach_;
  std::vector<std::uint32_t> row_;
  std::vector<bool> own_victims_;
  std::vector<std::uint32_t> beaten_by_;
};

}  // namespace

Ranking rank(const std::vector<Occurrence>& occurrences, const Graph& graph,
             const std::vector<bool>& over, const std::vector<bool>& elsewhere) {
  return Ranker(occurrences, graph, over, elsewhere).run();
}

}  // namespace attrib::vm
