// The scenarios of the language's requirements, §6: demotion, account and ranking on occurrences
// that are built here, without rules.

#include "vm/rank.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>

namespace attrib::vm {
namespace {

using model::Band;
using model::Role;
using model::Truth;

constexpr auto kHint = Band::Hint;
constexpr auto kPossible = Band::Possible;
constexpr auto kLikely = Band::Likely;
constexpr auto kCertain = Band::Certain;

struct Symptom {
  std::string id, kind, entity;
  double lo, hi;
  Band band;
  Role role;
  std::optional<double> last = {};
  bool survived = false;
};

using Relation = std::function<Truth(const Symptom&, const Symptom&)>;
struct Rule {
  std::string cause, effect;
  Relation relation;
  double from, to;
};

const Relation kYes = [](const Symptom&, const Symptom&) { return Truth::Yes; };
const Relation kUnknown = [](const Symptom&, const Symptom&) { return Truth::Unknown; };
const Relation kSame = [](const Symptom& c, const Symptom& e) {
  return model::truth(c.entity == e.entity);
};

model::Nanos nanos(double seconds) { return static_cast<model::Nanos>(seconds * 1e9); }

model::Moment moment(double lo, double hi) {
  model::Moment m;
  m.known = true;
  m.lo = nanos(lo);
  m.hi = nanos(hi);
  return m;
}

std::vector<Occurrence> occurrences_of(const std::vector<Symptom>& symptoms) {
  std::vector<Occurrence> out;
  for (const Symptom& s : symptoms) {
    Occurrence o;
    o.credence = s.band;
    o.meta.role = s.role;
    o.begin = moment(s.lo, s.hi);
    o.last = s.last ? moment(*s.last, *s.last) : o.begin;
    out.push_back(o);
  }
  return out;
}

EdgeList edges_of(const std::vector<Symptom>& symptoms,
                           const std::vector<Occurrence>& occurrences,
                           const std::vector<Rule>& rules) {
  EdgeList edges;
  for (std::uint32_t c = 0; c < symptoms.size(); ++c) {
    for (std::uint32_t e = 0; e < symptoms.size(); ++e) {
      const Role cause = symptoms[c].role;
      const Role effect = symptoms[e].role;
      if (c == e || cause == Role::End || cause == Role::Note || effect == Role::Note) continue;
      for (std::uint32_t r = 0; r < rules.size(); ++r) {
        if (symptoms[c].kind != rules[r].cause || symptoms[e].kind != rules[r].effect) continue;
        const Truth related = rules[r].relation(symptoms[c], symptoms[e]);
        const Truth in =
            model::within(occurrences[c].begin, occurrences[e].begin, nanos(rules[r].from),
                          nanos(rules[r].to), repeats_of(occurrences[c]));
        if (related == Truth::No || in == Truth::No) continue;
        if (related == Truth::Unknown && effect == Role::Origin) continue;
        edges.push_back({c, e, static_cast<std::uint16_t>(r),
                         related == Truth::Yes && in == Truth::Yes});
      }
    }
  }
  return edges;
}

// The heads of the answer: "x", "a + b" for a compound, several when tied.
std::vector<std::string> answer(std::vector<Symptom> symptoms, const std::vector<Rule>& rules) {
  std::stable_sort(symptoms.begin(), symptoms.end(),
                   [](const Symptom& a, const Symptom& b) { return a.lo < b.lo; });
  const auto occurrences = occurrences_of(symptoms);
  std::vector<bool> over;
  for (const Symptom& s : symptoms) over.push_back(s.survived && s.role != Role::End);
  const Graph graph(occurrences, edges_of(symptoms, occurrences, rules));
  const Ranking ranking = rank(occurrences, graph, over);
  std::vector<std::string> out;
  for (const std::uint32_t b : ranking.best) {
    std::vector<std::string> ids;
    for (const std::uint32_t v : ranking.candidates[b].head) ids.push_back(symptoms[v].id);
    std::sort(ids.begin(), ids.end());
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : " + ") + id;
    out.push_back(text);
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Answer = std::vector<std::string>;
constexpr double d = .25;

struct WorkedExample {
  Symptom xid{"xid", "xid", "b", 65.12 - d, 65.12 + d, kLikely, Role::Origin};
  Symptom late{"xid", "xid", "b", 690.12 - d, 690.12 + d, kLikely, Role::Origin};
  Symptom a1{"a1", "nccl", "a", 66.3 - d, 66.3 + d, kLikely, Role::Victim};
  Symptom a2{"a2", "wait", "c", 65.98 - d, 65.98 + d, kLikely, Role::Victim};
  Symptom a3{"a3", "ib", "d", 667.73 - 60, 667.73 + d, kPossible, Role::Relay};
  Symptom end{"end", "end", "job", 720 - d, 720 + d, kLikely, Role::End};
  std::vector<Rule> unlinked{{"xid", "nccl", kYes, 0, 120},
                             {"xid", "wait", kYes, -60, 2100},
                             {"wait", "ib", kYes, 0, 2100}};
  std::vector<Rule> rules = with({{"wait", "end", kYes, 0, 2400}, {"xid", "end", kYes, 0, 60}});
  std::vector<Rule> with(const std::vector<Rule>& more) const {
    std::vector<Rule> all = unlinked;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_CASE_FIXTURE(WorkedExample,
                  "the faulty link is the root with an end linked, unlinked or absent") {
  CHECK(answer({xid, a1, a2, a3, end}, rules) == Answer{"xid"});
  CHECK(answer({xid, a1, a2, a3}, rules) == Answer{"xid"});
  CHECK(answer({xid, a1, a2, a3, end}, unlinked) == Answer{"xid"});
}

TEST_CASE_FIXTURE(WorkedExample, "an XID ten minutes after the first error is no answer") {
  CHECK(answer({late, a1, a2, a3, end}, rules).empty());
  CHECK(answer({late, a1, a2, a3}, rules).empty());
}

TEST_CASE_FIXTURE(WorkedExample, "without the kernel log nothing is blamed") {
  CHECK(answer({a1, a2, a3, end}, rules).empty());
}

TEST_CASE_FIXTURE(WorkedExample,
                  "an effect stamped a little before its cause is still its effect") {
  const Symptom early{"a1", "nccl", "a", 65 - d, 65 + d, kLikely, Role::Victim};
  CHECK(answer({xid, early, a2, a3, end}, rules) == Answer{"xid"});
}

TEST_CASE_FIXTURE(WorkedExample, "an unrelated second cause within a second ties") {
  const Symptom lus{"lus", "lus", "d", 64 - d, 64 + d, kLikely, Role::Origin};
  std::vector<Rule> all = rules;
  all.push_back({"lus", "wait", kYes, -60, 2100});
  CHECK(answer({xid, a1, a2, a3, end, lus}, all) == Answer{"lus", "xid"});
}

TEST_CASE_FIXTURE(WorkedExample, "a stray origin beside unexplained waits explains nothing") {
  const Symptom stray{"b", "benign", "d", 10, 10, kLikely, Role::Origin};
  CHECK(answer({stray, a1, a2, end}, rules).empty());
}

Answer skewed(std::optional<double> second, double e = d) {
  std::vector<Symptom> symptoms{{"xid", "xid", "17", -e, e, kLikely, Role::Origin},
                                {"n", "nccl", "3", -.18 - e, -.18 + e, kLikely, Role::Victim},
                                {"abort", "abort", "job", 601, 601, kLikely, Role::End}};
  if (second) {
    symptoms.push_back({"o2", "o2", "9", *second - e, *second + e, kLikely, Role::Origin});
  }
  return answer(symptoms, {{"xid", "nccl", kYes, 0, 120},
                           {"xid", "abort", kYes, 0, 900},
                           {"o2", "abort", kYes, 0, 900},
                           {"nccl", "abort", kYes, 0, 900}});
}

TEST_CASE("an effect 180 ms before its cause needs the clocks' error to be its effect") {
  CHECK(skewed({}) == Answer{"xid"});
  CHECK(skewed({}, 0).empty());
}

TEST_CASE("a second cause ties only while it may have come first") {
  CHECK(skewed(.3) == Answer{"o2", "xid"});
  CHECK(skewed(45) == Answer{"xid"});
}

TEST_CASE("a crash that progress followed is not the answer, one without progress ties") {
  const std::vector<Rule> rules{{"o1", "abort", kYes, 0, 60}, {"xid", "wait", kYes, -60, 2100}};
  const Symptom x{"x", "xid", "b", 20000, 20000, kLikely, Role::Origin};
  const Symptom w{"w", "wait", "c", 20001, 20001, kLikely, Role::Victim};
  Symptom o{"o", "o1", "a", 0, 0, kLikely, Role::Origin, {}, true};
  Symptom v{"v", "abort", "a", 1, 1, kLikely, Role::Victim, {}, true};
  CHECK(answer({o, v, x, w}, rules) == Answer{"x"});
  o.survived = v.survived = false;
  CHECK(answer({o, v, x, w}, rules) == Answer{"o", "x"});
}

TEST_CASE("a time limit after a hang does not explain the hang") {
  const std::vector<Rule> rules{{"hang", "limit", kYes, 0, 86400}, {"limit", "end", kYes, 0, 60}};
  CHECK(answer({{"h", "hang", "j", 0, 0, kLikely, Role::Victim},
                {"t", "limit", "j", 7200, 7200, kCertain, Role::Origin},
                {"s", "end", "j", 7200, 7200, kLikely, Role::End}},
               rules)
            .empty());
}

TEST_CASE("a time limit with progress to the end is the answer") {
  CHECK(answer({{"t", "limit", "j", 7200, 7200, kCertain, Role::Origin},
                {"k", "term", "j", 7200.2, 7200.2, kLikely, Role::Victim},
                {"s", "end", "j", 7200, 7200, kLikely, Role::End}},
               {{"limit", "end", kYes, 0, 60}, {"limit", "term", kYes, 0, 120}}) == Answer{"t"});
}

TEST_CASE("an OOM printed after the death it caused is its cause") {
  CHECK(answer({{"o", "oom", "n", -600, 45.2, kLikely, Role::Origin},
                {"k", "killed", "n", 45, 45, kLikely, Role::Victim}},
               {{"oom", "killed", kSame, 0, 60}}) == Answer{"o"});
}

TEST_CASE("an hour of link errors explains an effect in its fiftieth minute") {
  CHECK(answer({{"x", "xid", "b", 0, 0, kLikely, Role::Origin, 3600},
                {"n", "nccl", "a", 3000, 3000, kLikely, Role::Victim}},
               {{"xid", "nccl", kYes, 0, 120}}) == Answer{"x"});
}

TEST_CASE("peers that waited before the death are its victims") {
  CHECK(answer({{"o", "oom", "n2", 2, 2, kLikely, Role::Origin},
                {"w", "wait", "n1", 0, 0, kLikely, Role::Victim}},
               {{"oom", "wait", kYes, -60, 2100}}) == Answer{"o"});
}

TEST_CASE("the head of a compound of origin and victim is the origin") {
  CHECK(answer({{"o", "x31", "b", 0, 1, kLikely, Role::Origin},
                {"v", "nccl", "c", .5, 1.5, kLikely, Role::Victim}},
               {{"x31", "nccl", kYes, 0, 60}, {"nccl", "x31", kYes, 0, 60}}) == Answer{"o"});
}

TEST_CASE("two origins that demote each other are one compound and none is lost") {
  CHECK(answer({{"a", "a", "n", 0, 1, kLikely, Role::Origin},
                {"b", "b", "n", .5, 1.5, kLikely, Role::Origin}},
               {{"a", "b", kYes, -60, 60}, {"b", "a", kYes, -60, 60}}) == Answer{"a + b"});
}

TEST_CASE("the death of a peer that nothing places leaves the cause open") {
  CHECK(answer({{"hb", "hb", "03", -d, d, kLikely, Role::Victim},
                {"i1", "ib", "05", 8 - d, 12 + d, kPossible, Role::Relay},
                {"i2", "ib", "06", 8, 12.1 + d, kPossible, Role::Relay}},
               {{"hb", "ib", kUnknown, 0, 120}})
            .empty());
}

TEST_CASE("an XID that nothing links accounts for a failure without victims") {
  CHECK(answer({{"x", "x79", "n", 0, 0, kLikely, Role::Origin},
                {"e", "end", "j", 300, 300, kLikely, Role::End}},
               {}) == Answer{"x"});
}

TEST_CASE("hints are never candidates") {
  CHECK(answer({{"x", "x79", "n", 0, 0, kHint, Role::Origin}}, {}).empty());
}

// The reference model, word for word, with no thought of speed.
class Naive {
 public:
  Naive(const std::vector<Occurrence>& o, const Graph& graph, const std::vector<bool>& over)
      : o_(o), graph_(graph), over_(over) {}

  std::vector<std::uint32_t> best() {
    std::vector<std::uint32_t> candidates, accounting;
    for (std::uint32_t c = 0; c < graph_.components().size(); ++c) {
      bool all_over = true;
      for (const std::uint32_t v : members(c)) all_over = all_over && over_[v];
      if (graph_.is_root(c) && band(c) > 0 && !all_over) candidates.push_back(c);
    }
    std::set<std::uint32_t> told;
    for (const std::uint32_t c : candidates) told.merge(reach(c));
    bool any_victim = false;
    for (std::uint32_t v = 0; v < o_.size(); ++v) any_victim = any_victim || victim(v);
    for (const std::uint32_t c : candidates) {
      bool late = false;
      for (std::uint32_t v = 0; v < o_.size(); ++v) {
        late = late || (failing(v) && !told.contains(v) && before_head(v, c));
      }
      if (!late && (!any_victim || !explained(c).empty())) accounting.push_back(c);
    }
    std::vector<std::uint32_t> out;
    for (const std::uint32_t b : accounting) {
      bool beaten = false;
      for (const std::uint32_t a : accounting) beaten = beaten || (a != b && beats(a, b));
      if (!beaten) out.push_back(b);
    }
    return out;
  }

 private:
  const std::vector<std::uint32_t>& members(std::uint32_t c) const {
    return graph_.components()[c];
  }
  bool victim(std::uint32_t v) const { return o_[v].meta.role == Role::Victim && !over_[v]; }
  bool failing(std::uint32_t v) const { return victim(v) || o_[v].meta.role == Role::End; }
  std::vector<std::uint32_t> head(std::uint32_t c) const { return head_of(o_, members(c)); }
  int band(std::uint32_t c) const {
    int best = 0;
    for (const std::uint32_t v : head(c)) best = std::max(best, static_cast<int>(blame_of(o_[v])));
    return best;
  }
  bool before_head(std::uint32_t v, std::uint32_t c) const {
    bool all = true;
    for (const std::uint32_t h : head(c)) {
      all = all && model::before(o_[v].begin, o_[h].begin) == Truth::Yes;
    }
    return all;
  }
  std::set<std::uint32_t> reach(std::uint32_t c) const {
    std::set<std::uint32_t> seen(members(c).begin(), members(c).end());
    for (std::size_t n = 0; n != seen.size();) {
      n = seen.size();
      for (std::uint32_t effect = 0; effect < graph_.size(); ++effect) {
        for (const Arc& p : graph_.causes_of(effect)) {
          if (seen.contains(p.cause)) seen.insert(effect);
        }
      }
    }
    return seen;
  }
  std::set<std::uint32_t> explained(std::uint32_t c) const {
    std::set<std::uint32_t> out;
    for (const std::uint32_t v : reach(c)) {
      if (failing(v)) out.insert(v);
    }
    return out;
  }
  std::pair<bool, int> key(std::uint32_t c) const {
    bool end = false;
    for (const std::uint32_t v : explained(c)) end = end || o_[v].meta.role == Role::End;
    return {end, band(c)};
  }
  bool fails_first(std::uint32_t a, std::uint32_t b) const {
    const auto x = explained(a);
    const auto y = explained(b);
    if (!std::includes(x.begin(), x.end(), y.begin(), y.end())) return false;
    bool any = false;
    for (const std::uint32_t v : x) {
      any = any || (victim(v) && graph_.component_of(v) != a && before_head(v, b));
    }
    return any;
  }
  bool beats(std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t effect = 0; effect < graph_.size(); ++effect) {
      for (const Arc& p : graph_.causes_of(effect)) {
        const auto x = graph_.component_of(p.cause);
        const auto y = graph_.component_of(effect);
        if ((x == a && y == b) || (x == b && y == a)) return false;
      }
    }
    return key(a) > key(b) || (key(a) == key(b) && fails_first(a, b) && !fails_first(b, a));
  }

  const std::vector<Occurrence>& o_;
  const Graph& graph_;
  const std::vector<bool>& over_;
};

TEST_CASE("ranking agrees with the reference model on random graphs") {
  std::mt19937 random(20260518);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::size_t tied = 0;
  std::size_t alone = 0;
  std::size_t none = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<Occurrence> o(3 + below(9));
    std::vector<bool> over;
    for (Occurrence& x : o) {
      constexpr Role kRoles[] = {Role::Origin, Role::Origin, Role::Relay, Role::Victim,
                                 Role::Victim, Role::End,    Role::Note};
      x.meta.role = kRoles[below(7)];
      x.credence = static_cast<Band>(below(4));
      const double lo = below(20);
      x.begin = moment(lo, lo + below(3));
      x.begin.clock = below(3);
      x.begin.error = x.begin.clock == 0 ? 0 : (x.begin.hi - x.begin.lo) / 2;
      x.begin.known = below(12) != 0;
      x.last = x.begin;
      over.push_back(below(8) == 0 && x.meta.role != Role::End);
    }
    EdgeList edges;
    for (std::uint32_t n = below(static_cast<std::uint32_t>(3 * o.size())); n > 0; --n) {
      const std::uint32_t c = below(static_cast<std::uint32_t>(o.size()));
      const std::uint32_t e = below(static_cast<std::uint32_t>(o.size()));
      const bool possible = c != e && o[c].meta.role < Role::End && o[e].meta.role != Role::Note;
      if (possible) edges.push_back({c, e, 0, below(2) == 0});
    }
    const Graph graph(o, edges);
    const Ranking ranking = rank(o, graph, over);
    std::vector<std::uint32_t> best;
    for (const std::uint32_t b : ranking.best) best.push_back(ranking.candidates[b].component);
    CAPTURE(round);
    REQUIRE(best == Naive(o, graph, over).best());
    ++(best.empty() ? none : best.size() == 1 ? alone : tied);
  }
  CHECK(tied > 100);
  CHECK(alone > 100);
  CHECK(none > 100);
}

TEST_CASE(
    "what happened elsewhere is no answer for a job without victims, unless it explains the end") {
  const auto occurrences = occurrences_of({{"x", "x", "n", 0, 0, kLikely, Role::Origin},
                                           {"e", "e", "j", 300, 300, kLikely, Role::End}});
  const std::vector<bool> over(2);
  const std::vector<bool> elsewhere = {true, false};
  const Graph unrelated(occurrences, EdgeList());
  CHECK(rank(occurrences, unrelated, over).best.size() == 1);
  CHECK(rank(occurrences, unrelated, over, elsewhere).best.empty());
  EdgeList edges;
  edges.push_back({0, 1, 0, true});
  CHECK(rank(occurrences, Graph(occurrences, edges), over, elsewhere).best.size() == 1);
}

TEST_CASE("thousands of candidates are ranked in time") {
  std::vector<Symptom> symptoms;
  for (int i = 0; i < 4'000; ++i) {
    const std::string n = std::to_string(i);
    symptoms.push_back({"x" + n, "x", n, i / 1000.0, i / 1000.0, kLikely, Role::Origin});
    symptoms.push_back({"v" + n, "v", n, 20, 20.5, kLikely, Role::Victim});
  }
  const auto occurrences = occurrences_of(symptoms);
  EdgeList edges;
  for (std::uint32_t i = 0; i < 8'000; i += 2) {
    edges.push_back({i, i + 1, 0, true});
    for (std::uint32_t k = 0; k < 32; ++k) edges.push_back({k * 2, i + 1, 0, true});
  }
  const Graph graph(occurrences, edges);
  const Ranking ranking = rank(occurrences, graph, std::vector<bool>(symptoms.size(), false));
  // No victim began before any of the candidates, so all stand.
  CHECK(ranking.candidates.size() == 4'000);
  CHECK(ranking.best.size() == 4'000);
}

}  // namespace
}  // namespace attrib::vm
