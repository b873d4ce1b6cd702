#include "tests/reference/edges.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/reference/stages.h"

namespace attrib::reference {
namespace {

constexpr std::size_t kSearched = 16;  // Times the limit.

const Moment& point_of(const Fact& f, model::Point point) {
  return point == model::Point::Begin ? f.begin : point == model::Point::Seen ? f.seen : f.last;
}

// How much later than its first its last repeat may open the window.
Nanos repeats_of(const Fact& cause) {
  if (!cause.begin.known || !cause.last.known) return 0;
  return std::max<Nanos>(0, model::sub_nanos(cause.last.lo, cause.begin.lo));
}

Truth in_window(const compiler::Rule& rule, Evaluator& evaluate, const Fact& cause,
                const Fact& effect) {
  const Value a = evaluate.value(rule.window_from);
  const Value b = evaluate.value(rule.window_to);
  if (a.kind != ValueKind::Duration || b.kind != ValueKind::Duration) return Truth::Unknown;
  if (rule.window_reversed) {
    return model::within(point_of(effect, rule.window_start), point_of(cause, rule.window_end),
                         model::sub_nanos(a.number, repeats_of(cause)), b.number);
  }
  return model::within(point_of(cause, rule.window_start), point_of(effect, rule.window_end),
                       a.number, model::add_nanos(b.number, repeats_of(cause)));
}

model::Span64 margin_of(const compiler::Rule& rule, const Fact& cause, const Fact& effect) {
  const Moment& c = point_of(cause, rule.window_reversed ? rule.window_end : rule.window_start);
  const Moment& e = point_of(effect, rule.window_reversed ? rule.window_start : rule.window_end);
  return c.known && e.known ? model::difference(c, e) : model::Span64{};
}

// Of one rule, effect and type of cause: looked for in the order of the causes, kept strong ones
// first.
void keep_some(const std::vector<Edge>& edges, const State& state, std::size_t limit, Edges& out) {
  std::map<std::pair<Id, std::uint32_t>, std::vector<Edge>> by_effect;
  for (const Edge& e : edges) by_effect[{e.effect, state.occurrences[e.cause].type}].push_back(e);
  for (auto& [effect, all] : by_effect) {
    std::sort(all.begin(), all.end(),
              [](const Edge& a, const Edge& b) { return a.cause < b.cause; });
    std::vector<Edge> found;
    std::size_t strong = 0;
    for (const Edge& e : all) {
      if ((strong >= limit && found.size() > limit) || found.size() >= kSearched * limit) break;
      found.push_back(e);
      strong += e.strong ? 1 : 0;
    }
    if (found.size() > limit) ++out.capped;
    std::stable_sort(found.begin(), found.end(),
                     [](const Edge& a, const Edge& b) { return a.strong > b.strong; });
    if (found.size() > limit) found.resize(limit);
    out.kept.insert(out.kept.end(), found.begin(), found.end());
  }
}

}  // namespace

Edges find_edges(const State& state, std::size_t causes_per_effect) {
  Edges out;
  for (std::uint32_t i = 0; i < state.module.rules.size(); ++i) {
    const compiler::Rule& rule = state.module.rules[i];
    if (rule.kind != compiler::RuleKind::Demote) continue;
    std::vector<Edge> found;
    Bindings bindings;
    each_binding(state, rule, bindings, [&](Evaluator& evaluate) {
      const Fact& cause = *bindings.facts.at(0);
      const Fact& effect = *bindings.facts.at(1);
      using model::Role;
      if (cause.id == effect.id || cause.role == Role::End || cause.role == Role::Note ||
          effect.role == Role::Note)
        return;
      Truth relation = Truth::Yes;
      for (const compiler::ExprId when : rule.whens) relation = relation & evaluate.truth(when);
      const Truth window = in_window(rule, evaluate, cause, effect);
      if (relation == Truth::No || window == Truth::No) return;
      if (relation == Truth::Unknown && effect.role == Role::Origin) return;
      const model::Span64 margin = margin_of(rule, cause, effect);
      found.push_back({static_cast<Id>(&cause - state.occurrences.data()),
                       static_cast<Id>(&effect - state.occurrences.data()), i,
                       relation == Truth::Yes && window == Truth::Yes, margin.lo, margin.hi});
    });
    keep_some(found, state, causes_per_effect, out);
  }
  return out;
}

}  // namespace attrib::reference
