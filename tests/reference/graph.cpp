#include "tests/reference/graph.h"

#include <algorithm>

namespace attrib::reference {
namespace {

using model::Band;
using model::Moment;
using model::Role;

bool certainly_before(const Moment& a, const Moment& b) {
  return model::before(a, b) == model::Truth::Yes;
}

std::vector<std::vector<Id>> components_of(const std::vector<Vertex>& vertices,
                                           const std::set<Pair>& demoting) {
  std::set<std::vector<Id>> out;
  std::vector<std::set<Id>> forward;
  for (Id v = 0; v < vertices.size(); ++v) forward.push_back(reachable(demoting, {v}));
  for (Id v = 0; v < vertices.size(); ++v) {
    if (vertices[v].role == Role::Note) continue;
    std::vector<Id> component;
    for (const Id w : forward[v]) {
      if (forward[w].contains(v)) component.push_back(w);
    }
    out.insert(component);
  }
  return {out.begin(), out.end()};
}

class Model {
 public:
  Model(const std::vector<Vertex>& vertices, const std::set<Pair>& any,
        const std::set<Pair>& strong)
      : v_(vertices), any_(any) {
    for (const Pair& e : any) {
      const bool weak_demotes =
          v_[e.second].role != Role::Origin && v_[e.first].blame() >= v_[e.second].blame();
      if (strong.contains(e) || weak_demotes) r_.demoting.insert(e);
    }
    r_.components = components_of(v_, r_.demoting);
    for (const auto& c : r_.components) {
      r_.heads.push_back(head(c));
      reach_.push_back(reachable(any_, c));
    }
  }

  Ranking run() {
    find_roots();
    find_failures();
    for (const std::size_t c : r_.roots) {
      const auto& members = r_.components[c];
      const bool all_survived =
          std::all_of(members.begin(), members.end(), [&](Id m) { return v_[m].survived; });
      if (band(c) > Band::Hint && !all_survived) r_.candidates.push_back(c);
    }
    std::set<Id> told;
    for (const std::size_t c : r_.candidates) told.insert(reach_[c].begin(), reach_[c].end());
    for (const std::size_t c : r_.candidates) {
      if (is_late(c, told)) {
        r_.late.push_back(c);
      } else if (explains_failure(c) || (victims_.empty() && !is_elsewhere(c))) {
        r_.accounting.push_back(c);
      }
    }
    compete();
    return std::move(r_);
  }

 private:
  bool is_elsewhere(std::size_t c) const {
    const auto& head = r_.heads[c];
    return std::all_of(head.begin(), head.end(), [&](Id m) { return v_[m].elsewhere; });
  }
  std::vector<Id> head(const std::vector<Id>& component) const {
    Role best = Role::Note;
    for (const Id m : component) best = std::min(best, v_[m].role);
    std::vector<Id> out;
    for (const Id m : component) {
      if (v_[m].role == best) out.push_back(m);
    }
    return out;
  }

  [[nodiscard]] Band band(std::size_t c) const {
    Band out = Band::Hint;
    for (const Id m : r_.heads[c]) out = std::max(out, v_[m].blame());
    return out;
  }

  void find_roots() {
    for (std::size_t c = 0; c < r_.components.size(); ++c) {
      const bool demoted = std::any_of(r_.demoting.begin(), r_.demoting.end(), [&](const Pair& e) {
        return v_[e.first].role != Role::Note && r_.component_of(e.second) == c &&
               r_.component_of(e.first) != c;
      });
      if (!demoted) r_.roots.push_back(c);
    }
  }

  void find_failures() {
    for (Id i = 0; i < v_.size(); ++i) {
      if (v_[i].role == Role::Victim && !v_[i].survived) victims_.insert(i);
      if (v_[i].role == Role::End) ends_.insert(i);
    }
    r_.failures = victims_;
    r_.failures.insert(ends_.begin(), ends_.end());
  }

  [[nodiscard]] bool explains_failure(std::size_t c) const {
    return std::any_of(reach_[c].begin(), reach_[c].end(),
                       [&](Id i) { return r_.failures.contains(i); });
  }
  [[nodiscard]] bool explains_end(std::size_t c) const {
    return std::any_of(reach_[c].begin(), reach_[c].end(), [&](Id i) { return ends_.contains(i); });
  }

  [[nodiscard]] bool before_all_of(Id symptom, const std::vector<Id>& head) const {
    return std::all_of(head.begin(), head.end(),
                       [&](Id h) { return certainly_before(v_[symptom].begin, v_[h].begin); });
  }

  // The job was already failing, and no candidate says why.
  [[nodiscard]] bool is_late(std::size_t c, const std::set<Id>& told) const {
    return std::any_of(r_.failures.begin(), r_.failures.end(),
                       [&](Id f) { return !told.contains(f) && before_all_of(f, r_.heads[c]); });
  }

  // a explains every failure symptom that b explains, and one of its victims certainly began before
  // b.
  [[nodiscard]] bool failing(std::size_t a, std::size_t b) const {
    for (const Id f : reach_[b]) {
      if (r_.failures.contains(f) && !reach_[a].contains(f)) return false;
    }
    const auto& own = r_.components[a];
    return std::any_of(reach_[a].begin(), reach_[a].end(), [&](Id f) {
      return victims_.contains(f) && std::find(own.begin(), own.end(), f) == own.end() &&
             before_all_of(f, r_.heads[b]);
    });
  }

  [[nodiscard]] bool tangled(std::size_t a, std::size_t b) const {
    for (const Id x : r_.components[a]) {
      for (const Id y : r_.components[b]) {
        if (any_.contains({x, y}) || any_.contains({y, x})) return true;
      }
    }
    return false;
  }

  [[nodiscard]] Ranking::Win beats(std::size_t a, std::size_t b) const {
    if (tangled(a, b)) return Ranking::Win::None;
    if (explains_end(a) != explains_end(b))
      return explains_end(a) ? Ranking::Win::ExplainsEnd : Ranking::Win::None;
    if (band(a) != band(b))
      return band(a) > band(b) ? Ranking::Win::Confidence : Ranking::Win::None;
    return failing(a, b) && !failing(b, a) ? Ranking::Win::Failing : Ranking::Win::None;
  }

  void compete() {
    for (const std::size_t a : r_.accounting) {
      std::vector<Ranking::Win> row;
      for (const std::size_t b : r_.accounting)
        row.push_back(a == b ? Ranking::Win::None : beats(a, b));
      r_.wins.push_back(row);
    }
    for (std::size_t b = 0; b < r_.accounting.size(); ++b) {
      const bool beaten = std::any_of(r_.wins.begin(), r_.wins.end(), [&](const auto& row) {
        return row[b] != Ranking::Win::None;
      });
      if (!beaten) r_.best.push_back(r_.accounting[b]);
    }
  }

  const std::vector<Vertex>& v_;
  const std::set<Pair>& any_;
  std::vector<std::set<Id>> reach_;
  std::set<Id> victims_, ends_;
  Ranking r_;
};

}  // namespace

std::set<Id> reachable(const std::set<Pair>& edges, const std::vector<Id>& from) {
  std::set<Id> seen(from.begin(), from.end());
  std::vector<Id> todo = from;
  while (!todo.empty()) {
    const Id x = todo.back();
    todo.pop_back();
    for (const Pair& e : edges) {
      if (e.first == x && seen.insert(e.second).second) todo.push_back(e.second);
    }
  }
  return seen;
}

std::size_t Ranking::component_of(Id id) const {
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (std::find(components[c].begin(), components[c].end(), id) != components[c].end()) return c;
  }
  return components.size();
}

Ranking rank(const std::vector<Vertex>& vertices, const std::set<Pair>& any,
             const std::set<Pair>& strong) {
  return Model(vertices, any, strong).run();
}

}  // namespace attrib::reference
