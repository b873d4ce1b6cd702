// The scenarios of the language requirements' reference model (section 6), run on the port.

#include "tests/reference/graph.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

using namespace attrib;
using namespace attrib::reference;

namespace {

using model::Band;
using model::Role;
using model::Truth;

struct S {
  std::string id, kind, entity;
  double lo, hi;
  Band band;
  Role role;
  std::optional<double> last = std::nullopt;
  bool survived = false;
};

using Relation = std::function<Truth(const S&, const S&)>;
struct R {
  std::string cause, effect;
  Relation relation;
  double from, to;
};

Truth yes(const S&, const S&) { return Truth::Yes; }
Truth unknown(const S&, const S&) { return Truth::Unknown; }
Truth same(const S& c, const S& e) { return model::truth(c.entity == e.entity); }

model::Nanos ns(double seconds) { return static_cast<model::Nanos>(seconds * 1e9); }
model::Moment between(double lo, double hi) {
  model::Moment m;
  m.known = true;
  m.lo = ns(lo);
  m.hi = ns(hi);
  return m;
}

// The answer as "a + b" for each best candidate's head.
std::vector<std::string> diagnose(const std::vector<S>& facts, const std::vector<R>& rules) {
  std::vector<Vertex> vertices;
  for (const S& f : facts) {
    vertices.push_back({f.role, f.band, between(f.lo, f.hi),
                        between(f.last.value_or(f.lo), f.last.value_or(f.hi)), f.survived});
  }
  std::set<Pair> any, strong;
  for (Id c = 0; c < facts.size(); ++c) {
    for (Id e = 0; e < facts.size(); ++e) {
      if (c == e || facts[c].role == Role::End || facts[c].role == Role::Note ||
          facts[e].role == Role::Note)
        continue;
      for (const R& rule : rules) {
        if (rule.cause != facts[c].kind || rule.effect != facts[e].kind) continue;
        const Truth relation = rule.relation(facts[c], facts[e]);
        const model::Nanos repeats = ns(facts[c].last.value_or(facts[c].hi)) - ns(facts[c].hi);
        const Truth window = model::within(vertices[c].begin, vertices[e].begin, ns(rule.from),
                                           ns(rule.to), repeats);
        if (relation == Truth::No || window == Truth::No) continue;
        if (relation == Truth::Unknown && facts[e].role == Role::Origin) continue;
        any.insert({c, e});
        if (relation == Truth::Yes && window == Truth::Yes) strong.insert({c, e});
      }
    }
  }
  const Ranking ranking = rank(vertices, any, strong);
  std::vector<std::string> out;
  for (const std::size_t c : ranking.best) {
    std::string text;
    for (const Id m : ranking.heads[c]) text += (text.empty() ? "" : " + ") + facts[m].id;
    out.push_back(text);
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Answer = std::vector<std::string>;
constexpr double d = .25;
constexpr Band kPossible = Band::Possible, kLikely = Band::Likely, kCertain = Band::Certain;

struct WorkedExample {
  S xid{"xid", "xid", "b", 65.12 - d, 65.12 + d, kLikely, Role::Origin};
  S late{"xid", "xid", "b", 690.12 - d, 690.12 + d, kLikely, Role::Origin};
  S a1{"a1", "nccl", "a", 66.3 - d, 66.3 + d, kLikely, Role::Victim};
  S a2{"a2", "wait", "c", 65.98 - d, 65.98 + d, kLikely, Role::Victim};
  S a3{"a3", "ib", "d", 667.73 - 60, 667.73 + d, kPossible, Role::Relay};
  S end{"end", "end", "job", 720 - d, 720 + d, kLikely, Role::End};
  std::vector<R> rules{{"xid", "nccl", yes, 0, 120},
                       {"xid", "wait", yes, -60, 2100},
                       {"wait", "ib", yes, 0, 2100},
                       {"wait", "end", yes, 0, 2400},
                       {"xid", "end", yes, 0, 60}};
};

std::pair<std::vector<S>, std::vector<R>> skew(std::optional<double> second, double e = d) {
  std::vector<S> facts{{"xid", "xid", "17", -e, e, kLikely, Role::Origin},
                       {"n", "nccl", "3", -.18 - e, -.18 + e, kLikely, Role::Victim},
                       {"abort", "abort", "job", 601, 601, kLikely, Role::End}};
  if (second) facts.push_back({"o2", "o2", "9", *second - e, *second + e, kLikely, Role::Origin});
  return {facts,
          {{"xid", "nccl", yes, 0, 120},
           {"xid", "abort", yes, 0, 900},
           {"o2", "abort", yes, 0, 900},
           {"nccl", "abort", yes, 0, 900}}};
}

}  // namespace

TEST_CASE("the worked example names the faulty link whether or not the end is there or linked") {
  const WorkedExample w;
  CHECK(diagnose({w.xid, w.a1, w.a2, w.a3, w.end}, w.rules) == Answer{"xid"});
  CHECK(diagnose({w.xid, w.a1, w.a2, w.a3}, w.rules) == Answer{"xid"});
  CHECK(diagnose({w.xid, w.a1, w.a2, w.a3, w.end}, {w.rules[0], w.rules[1], w.rules[2]}) ==
        Answer{"xid"});
}

TEST_CASE("an XID ten minutes late accounts for nothing, with an end or without") {
  const WorkedExample w;
  CHECK(diagnose({w.late, w.a1, w.a2, w.a3, w.end}, w.rules).empty());
  CHECK(diagnose({w.late, w.a1, w.a2, w.a3}, w.rules).empty());
}

TEST_CASE("only victims in sight never become a culprit") {
  const WorkedExample w;
  CHECK(diagnose({w.a1, w.a2, w.a3, w.end}, w.rules).empty());
}

TEST_CASE("an effect stamped before its cause within the clocks' bounds is still its effect") {
  const WorkedExample w;
  const S early{"a1", "nccl", "a", 65 - d, 65 + d, kLikely, Role::Victim};
  CHECK(diagnose({w.xid, early, w.a2, w.a3, w.end}, w.rules) == Answer{"xid"});
}

TEST_CASE("an unrelated second cause within a second ties") {
  WorkedExample w;
  w.rules.push_back({"lus", "wait", yes, -60, 2100});
  const S lus{"lus", "lus", "d", 64 - d, 64 + d, kLikely, Role::Origin};
  CHECK(diagnose({w.xid, w.a1, w.a2, w.a3, w.end, lus}, w.rules) == Answer{"lus", "xid"});
}

TEST_CASE("a stray origin beside unexplained waits is not blamed") {
  const WorkedExample w;
  const S benign{"b", "benign", "d", 10, 10, kLikely, Role::Origin};
  CHECK(diagnose({benign, w.a1, w.a2, w.end}, w.rules).empty());
}

TEST_CASE("clock bounds decide whether an effect 180 ms early is one") {
  const auto [bounded, rules] = skew(std::nullopt);
  CHECK(diagnose(bounded, rules) == Answer{"xid"});
  const auto [exact, exact_rules] = skew(std::nullopt, 0);
  CHECK(diagnose(exact, exact_rules).empty());
}

TEST_CASE("a second cause 0.3 s in ties, 45 s in does not") {
  const auto [close, rules] = skew(.3);
  CHECK(diagnose(close, rules) == Answer{"o2", "xid"});
  const auto [far, far_rules] = skew(45);
  CHECK(diagnose(far, far_rules) == Answer{"xid"});
}

TEST_CASE("a crash that was survived hours before is not the cause; without progress it ties") {
  S o{"o", "o1", "a", 0, 0, kLikely, Role::Origin, std::nullopt, true};
  S v{"v", "abort", "a", 1, 1, kLikely, Role::Victim, std::nullopt, true};
  const S x{"x", "xid", "b", 20000, 20000, kLikely, Role::Origin};
  const S w{"w", "wait", "c", 20001, 20001, kLikely, Role::Victim};
  const std::vector<R> rules{{"o1", "abort", yes, 0, 60}, {"xid", "wait", yes, -60, 2100}};
  CHECK(diagnose({o, v, x, w}, rules) == Answer{"x"});
  o.survived = v.survived = false;
  CHECK(diagnose({o, v, x, w}, rules) == Answer{"o", "x"});
}

TEST_CASE(
    "a hang and then the time limit is unattributed; with progress to the end it is the time "
    "limit") {
  const S hang{"h", "hang", "j", 0, 0, kLikely, Role::Victim};
  const S limit{"t", "limit", "j", 7200, 7200, kCertain, Role::Origin};
  const S end{"s", "end", "j", 7200, 7200, kLikely, Role::End};
  CHECK(
      diagnose({hang, limit, end}, {{"hang", "limit", yes, 0, 86400}, {"limit", "end", yes, 0, 60}})
          .empty());
  const S killed{"k", "term", "j", 7200.2, 7200.2, kLikely, Role::Victim};
  CHECK(diagnose({limit, killed, end},
                 {{"limit", "end", yes, 0, 60}, {"limit", "term", yes, 0, 120}}) == Answer{"t"});
}

TEST_CASE("an OOM printed after the death it caused is the cause") {
  CHECK(diagnose({{"o", "oom", "n", -600, 45.2, kLikely, Role::Origin},
                  {"k", "killed", "n", 45, 45, kLikely, Role::Victim}},
                 {{"oom", "killed", same, 0, 60}}) == Answer{"o"});
}

TEST_CASE("an hour of link errors explains an effect at minute 50") {
  CHECK(diagnose({{"x", "xid", "b", 0, 0, kLikely, Role::Origin, 3600},
                  {"n", "nccl", "a", 3000, 3000, kLikely, Role::Victim}},
                 {{"xid", "nccl", yes, 0, 120}}) == Answer{"x"});
}

TEST_CASE("peers that waited 2 s before the death are behind it") {
  CHECK(diagnose({{"o", "oom", "n2", 2, 2, kLikely, Role::Origin},
                  {"w", "wait", "n1", 0, 0, kLikely, Role::Victim}},
                 {{"oom", "wait", yes, -60, 2100}}) == Answer{"o"});
}

TEST_CASE("the head of a compound is its origin") {
  CHECK(diagnose({{"o", "x31", "b", 0, 1, kLikely, Role::Origin},
                  {"v", "nccl", "c", .5, 1.5, kLikely, Role::Victim}},
                 {{"x31", "nccl", yes, 0, 60}, {"nccl", "x31", yes, 0, 60}}) == Answer{"o"});
}

TEST_CASE("two origins that demote each other are one compound and none is lost") {
  CHECK(diagnose({{"a", "a", "n", 0, 1, kLikely, Role::Origin},
                  {"b", "b", "n", .5, 1.5, kLikely, Role::Origin}},
                 {{"a", "b", yes, -60, 60}, {"b", "a", yes, -60, 60}}) == Answer{"a + b"});
}

TEST_CASE("the death of an unmapped peer and then status 12 is unattributed") {
  CHECK(diagnose({{"hb", "hb", "03", -d, d, kLikely, Role::Victim},
                  {"i1", "ib", "05", 8 - d, 12 + d, kPossible, Role::Relay},
                  {"i2", "ib", "06", 8, 12.1 + d, kPossible, Role::Relay}},
                 {{"hb", "ib", unknown, 0, 120}})
            .empty());
}

TEST_CASE("a failed header and an XID that nothing links is the XID") {
  CHECK(diagnose({{"x", "x79", "n", 0, 0, kLikely, Role::Origin},
                  {"e", "end", "j", 300, 300, kLikely, Role::End}},
                 {}) == Answer{"x"});
}
