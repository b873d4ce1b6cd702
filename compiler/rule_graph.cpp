// Layers of infer rules: a rule runs after all that emit what it reads.

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <deque>
#include <map>
#include <set>

#include "compiler/rules.h"

namespace attrib::compiler {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using TypeSet = std::set<std::uint32_t>;

// Symptom types a rule reads, in loops and in scans.
TypeSet reads_of(const Context& c, const Rule& rule) {
  TypeSet out;
  for (const Var& var : rule.vars) {
    if (var.kind != VarKind::Fact || var.scope.events) continue;
    if (var.scope.any) {
      for (std::uint32_t i = 0; i < c.module.symptoms.size(); ++i) out.insert(i);
    }
    out.insert(var.scope.types.begin(), var.scope.types.end());
  }
  return out;
}
TypeSet emits_of(const Rule& rule) {
  TypeSet out;
  for (const Emit& emit : rule.emits) {
    if (!emit.event) out.insert(emit.type);
  }
  return out;
}

class Layers {
 public:
  explicit Layers(Context& context) : c_(context) {
    for (std::size_t i = 0; i < c_.module.rules.size(); ++i) {
      if (c_.module.rules[i].kind == RuleKind::Infer) rules_.push_back(i);
    }
    std::map<std::uint32_t, std::vector<std::size_t>> emitters;
    for (std::size_t v = 0; v < rules_.size(); ++v) {
      reads_.push_back(reads_of(c_, rule(v)));
      for (const std::uint32_t type : emits_of(rule(v))) emitters[type].push_back(v);
    }
    graph_ = Graph(rules_.size());
    for (std::size_t v = 0; v < rules_.size(); ++v) {
      for (const std::uint32_t type : reads_[v]) {
        for (const std::size_t from : emitters[type]) {
          if (via_.try_emplace({from, v}, type).second) boost::add_edge(from, v, graph_);
        }
      }
    }
  }

  void assign() {
    if (report_cycles()) return;
    std::vector<std::size_t> order;
    boost::topological_sort(graph_, std::back_inserter(order));
    std::reverse(order.begin(), order.end());
    std::uint32_t layers = rules_.empty() ? 0 : 1;
    for (const std::size_t v : order) {
      const auto [begin, end] = boost::out_edges(v, graph_);
      for (auto at = begin; at != end; ++at) {
        Rule& next = rule(boost::target(*at, graph_));
        next.stratum = std::max(next.stratum, rule(v).stratum + 1);
        layers = std::max(layers, next.stratum + 1);
      }
    }
    c_.module.infer_strata = layers;
  }

 private:
  Rule& rule(std::size_t v) { return c_.module.rules[rules_[v]]; }
  std::string name(std::size_t v) { return rule(v).pack + "." + rule(v).name; }

  bool report_cycles() {
    std::vector<std::size_t> component(rules_.size());
    if (rules_.empty()) return false;
    const auto index = boost::get(boost::vertex_index, graph_);
    const std::size_t count = boost::strong_components(
        graph_, boost::make_iterator_property_map(component.begin(), index));
    bool found = false;
    std::vector<bool> done(count);
    for (std::size_t v = 0; v < rules_.size(); ++v) {
      if (done[component[v]]) continue;
      const std::vector<std::size_t> cycle = shortest_cycle(v, component);
      if (cycle.empty()) continue;
      done[component[v]] = true;
      found = true;
      report(cycle);
    }
    return found;
  }

  // From v back to v inside its component, without repeating v; empty if there is none.
  std::vector<std::size_t> shortest_cycle(std::size_t v,
                                          const std::vector<std::size_t>& component) {
    std::map<std::size_t, std::size_t> from;
    std::deque<std::size_t> todo = {v};
    while (!todo.empty()) {
      const std::size_t at = todo.front();
      todo.pop_front();
      const auto [begin, end] = boost::out_edges(at, graph_);
      for (auto edge = begin; edge != end; ++edge) {
        const std::size_t next = boost::target(*edge, graph_);
        if (component[next] != component[v]) continue;
        if (next == v) {
          std::vector<std::size_t> cycle = {at};
          while (cycle.back() != v) cycle.push_back(from.at(cycle.back()));
          std::reverse(cycle.begin(), cycle.end());
          return cycle;
        }
        if (from.try_emplace(next, at).second) todo.push_back(next);
      }
    }
    return {};
  }

  void report(const std::vector<std::size_t>& cycle) {
    std::string text = fmt::format("`{}`", name(cycle.front()));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::size_t next = cycle[(i + 1) % cycle.size()];
      const std::uint32_t type = via_.at({cycle[i], next});
      text += fmt::format("{} emits `{}`, read by `{}`", i == 0 ? "" : ", which",
                          c_.module.symptoms[type].name, name(next));
    }
    Diagnostic& d = c_.sink.emit<diag::InferCycle>(rule(cycle.front()).span, text);
    for (std::size_t i = 1; i < cycle.size(); ++i) {
      const std::uint32_t type = via_.at({cycle[i - 1], cycle[i]});
      d.note(rule(cycle[i]).span,
             fmt::format("`{}` reads `{}` here", name(cycle[i]), c_.module.symptoms[type].name));
    }
  }

  Context& c_;
  std::vector<std::size_t> rules_;
  std::vector<TypeSet> reads_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> via_;  // Which symptom an edge is.
  Graph graph_;
};

// Outcome rules emit after all inference, and no outcome rule sees what another emits. A variable
// over `any` simply sees what is there.
void check_late_reads(Context& c) {
  std::map<std::uint32_t, const Rule*> late;
  for (const Rule& rule : c.module.rules) {
    if (rule.kind != RuleKind::Outcome) continue;
    for (const std::uint32_t type : emits_of(rule)) late.try_emplace(type, &rule);
  }
  for (const Rule& rule : c.module.rules) {
    if (rule.kind != RuleKind::Outcome && rule.kind != RuleKind::Infer) continue;
    for (const Var& var : rule.vars) {
      if (var.kind != VarKind::Fact || var.scope.events) continue;
      for (const std::uint32_t type : var.scope.types) {
        const auto found = late.find(type);
        if (found == late.end()) continue;
        c.sink
            .emit<diag::ReadsLater>(var.span, rule.name, c.module.symptoms[type].name,
                                    found->second->name)
            .note(found->second->span, "emitted here");
      }
    }
  }
}

}  // namespace

void layer_rules(Context& c) {
  Layers(c).assign();
  check_late_reads(c);
  // Rules came in by kind and full name; only layers can change that order, and extracts have none.
  std::stable_sort(c.module.rules.begin(), c.module.rules.end(), [](const Rule& a, const Rule& b) {
    return std::tie(a.kind, a.stratum) < std::tie(b.kind, b.stratum);
  });
}

}  // namespace attrib::compiler
