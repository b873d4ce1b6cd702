#include "vm/assemble_symptoms.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "vm/near_index.h"

namespace attrib::vm {

using model::EntityKind;
using model::Role;
using model::ValueKind;
using verdict::SymptomState;

namespace {

constexpr std::size_t kMaxDemotions = 8;

std::optional<std::string> gpu_of(State& state, const Occurrence& o) {
  const auto name = [&](EntityId id) -> std::optional<std::string> {
    const std::string_view text = state.entities.short_name(id);
    return text.empty() ? std::nullopt : std::optional(std::string(text));
  };
  const EntityKind kind = state.entities[o.entity].kind;
  if (kind == EntityKind::Gpu) return name(o.entity);
  if (const EntityId gpu = state.entities.gpu_of_link(o.entity); gpu != EntityId::None) {
    return name(gpu);
  }
  for (const Value& v : o.fields) {
    if (v.is(ValueKind::Entity) && state.entities[v.entity()].kind == EntityKind::Gpu) {
      return name(v.entity());
    }
  }
  if (const auto rank = state.entities.rank_number(o.entity)) {
    const EntityId gpu = state.topology.gpu_of_rank(*rank);
    if (gpu != EntityId::None) return name(gpu);
  }
  return std::nullopt;
}

// The edges into one occurrence that demote it, in the order they are listed in.
class Demotions {
 public:
  explicit Demotions(const Finding& finding) : finding_(finding) {}

  std::vector<Arc> of(std::uint32_t v) const {
    const std::vector<std::uint32_t> causes = causes_of(v);
    std::vector<Arc> listed;
    const std::uint32_t last = causes.empty() ? 0 : causes.back();
    for (const Arc& a : finding_.graph.causes_of(v)) {
      if (a.cause > last) continue;
      if (std::binary_search(causes.begin(), causes.end(), a.cause)) listed.push_back(a);
    }
    std::sort(listed.begin(), listed.end(), [](const Arc& a, const Arc& b) {
      return std::tie(a.cause, a.rule) < std::tie(b.cause, b.rule);
    });
    if (listed.size() > kMaxDemotions) listed.resize(kMaxDemotions);
    return listed;
  }

 private:
  // The first that demote it: of those outside its compound (or in the head, if it is not), if
  // there are any; else of the others.
  std::vector<std::uint32_t> causes_of(std::uint32_t v) const {
    const Graph& graph = finding_.graph;
    const std::uint32_t own = graph.component_of(v);
    const std::vector<std::uint32_t>& head = head_of_component(own);
    const auto in_head = [&](std::uint32_t x) {
      return std::binary_search(head.begin(), head.end(), x);
    };
    const bool is_head = in_head(v);
    std::vector<std::uint32_t> outer, inner;
    outer.reserve(kMaxDemotions + 1);
    std::uint32_t last = kNone;  // Once there are enough, only those before it are of interest.
    for (const Arc& a : graph.causes_of(v)) {
      if (!a.demotes || a.cause >= last) continue;
      const bool outside = graph.component_of(a.cause) != own;
      keep_first(a.cause, outside || (!is_head && in_head(a.cause)) ? &outer : &inner);
      if (outer.size() == kMaxDemotions) last = outer.back();
    }
    return outer.empty() ? inner : outer;
  }

  // Of the causes of a flood, in whatever order, the first few are kept, sorted.
  static void keep_first(std::uint32_t cause, std::vector<std::uint32_t>* kept) {
    if (kept->size() == kMaxDemotions && cause >= kept->back()) return;
    const auto at = std::lower_bound(kept->begin(), kept->end(), cause);
    if (at != kept->end() && *at == cause) return;
    kept->insert(at, cause);
    if (kept->size() > kMaxDemotions) kept->pop_back();
  }

  const std::vector<std::uint32_t>& head_of_component(std::uint32_t component) const {
    if (component != head_component_) {
      head_component_ = component;
      head_ = head_of(*finding_.occurrences, finding_.graph.components()[component]);
    }
    return head_;
  }

  const Finding& finding_;
  mutable std::uint32_t head_component_ = kNone;
  mutable std::vector<std::uint32_t> head_;
};

}  // namespace

namespace {

// The `window` instructions of rules, each looked for once.
class Windows {
 public:
  explicit Windows(const State& state) : state_(state), found_(state.program.rules.size()) {}

  // What effect - cause can be, from point to point of the rule's window.
  model::Span64 margin(const Arc& a, std::uint32_t effect) {
    const program::Instruction* window = of(a.rule);
    if (window == nullptr) return {};
    const auto point = [&](std::uint32_t occurrence, std::uint32_t which) -> const model::Moment& {
      return point_of(state_.facts.occurrences[occurrence], static_cast<model::Point>(which));
    };
    const bool ends_at_cause = (window->d & 16U) != 0;
    const auto& p = point(ends_at_cause ? effect : a.cause, window->d & 3U);
    const auto& q = point(ends_at_cause ? a.cause : effect, (window->d >> 2U) & 3U);
    if (!p.known || !q.known) return {};
    const model::Span64 d = model::difference(p, q);
    return ends_at_cause ? model::Span64{-d.hi, -d.lo} : d;
  }

 private:
  const program::Instruction* of(std::uint32_t rule) {
    std::optional<const program::Instruction*>& found = found_[rule];
    if (found) return *found;
    const auto begin = state_.program.code.begin() + state_.program.rules[rule].code_begin;
    const auto end = state_.program.code.begin() + state_.program.rules[rule].code_end;
    const auto window = std::find_if(
        begin, end, [](const program::Instruction& i) { return i.op == program::Opcode::Window; });
    found = window == end ? nullptr : &*window;
    return *found;
  }

  const State& state_;
  std::vector<std::optional<const program::Instruction*>> found_;  // By rule, as far as asked for.
};

}  // namespace

verdict::EntityRef ref_of(const State& state, EntityId id) {
  const Entity& entity = state.entities[id];
  return {entity.kind, entity.known ? entity.key : std::string()};
}

std::string node_name(const State& state, const Occurrence& o) {
  return state.entities.known(o.node) ? state.entities[o.node].key : std::string();
}

std::vector<verdict::NamedField> named_fields(const State& state,
                                              const std::vector<model::Field>& fields,
                                              std::span<const Value> values) {
  std::vector<verdict::NamedField> out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (values[i].null()) continue;
    model::Constant value = constant_of(values[i], state.entities, state.texts);
    const bool nameless =
        values[i].is(ValueKind::Entity) && value.kind == ValueKind::String && value.text.empty();
    if (!nameless) out.push_back({fields[i].name, std::move(value), fields[i].type.reader});
  }
  return out;
}

std::vector<SymptomState> states_of(const State& state, const Finding& finding) {
  const auto& occurrences = state.facts.occurrences;
  const Graph& graph = finding.graph;
  std::vector<SymptomState> out(occurrences.size(), SymptomState::Unexplained);
  for (std::size_t v = 0; v < out.size(); ++v) {
    if (finding.survived[v]) out[v] = SymptomState::Survived;
    if (finding.history[v]) out[v] = SymptomState::History;
  }
  for (const RankedComponent& c : finding.ranking.candidates) {
    if (!c.late) continue;
    for (const std::uint32_t v : c.head) {
      if (out[v] == SymptomState::Unexplained) out[v] = SymptomState::Late;
    }
  }
  for (std::uint32_t c = 0; c < graph.components().size(); ++c) {
    const auto& members = graph.components()[c];
    const auto head = head_of(occurrences, members);
    for (const std::uint32_t v : members) {
      const bool in_head = std::binary_search(head.begin(), head.end(), v);
      if (!graph.is_root(c) || !in_head) out[v] = SymptomState::Demoted;
    }
  }
  for (const std::uint32_t b : answer_of(finding)) {
    for (const std::uint32_t v : finding.ranking.candidates[b].head) out[v] = SymptomState::Root;
  }
  for (std::size_t v = 0; v < out.size(); ++v) {
    if (occurrences[v].meta.role == Role::Note) out[v] = SymptomState::Note;
  }
  return out;
}

verdict::Symptom symptom_of(State& state, const Occurrence& o) {
  const model::SymptomType& type = state.program.symptoms[o.type];
  verdict::Symptom s;
  s.symptom = type.name;
  s.title = state.texts.text(o.meta.title);
  s.role = o.meta.role;
  s.domain = o.meta.domain;
  s.severity = o.meta.severity;
  s.confidence = blame_of(o);
  s.entity = ref_of(state, o.entity);
  if (const std::string node = node_name(state, o); !node.empty()) s.node = node;
  if (o.rank != kNone) s.rank = o.rank;
  s.gpu = gpu_of(state, o);
  s.fields = named_fields(state, type.fields, o.fields);
  s.begin = o.begin;
  s.last = o.last;
  s.count = o.count;
  s.evidence = state.facts.evidence_ids(o.evidence, &s.evidence_truncated);
  for (const Absence& a : o.absences) {
    s.absences.push_back(
        {state.texts.text(a.type), state.entities.text(a.of), a.from, a.to, a.covered});
  }
  s.action = state.texts.text(o.meta.action);
  s.owner = type.owner;
  s.retry = o.meta.retry;
  s.accuses = o.meta.accuses;
  s.proof.rule = state.program.rules[o.rule].name;
  if (o.table_row >= 0) s.proof.table_row = state.texts.text(o.table_row);
  s.proof.inputs = o.inputs;
  for (const std::uint32_t extract : o.extracts) {
    s.proof.extracts.push_back(state.program.extracts[extract].name);
  }
  std::sort(s.proof.extracts.begin(), s.proof.extracts.end());
  return s;
}

void list_demotions(const State& state, const Finding& finding,
                    std::vector<verdict::Symptom>* symptoms) {
  const Demotions demotions(finding);
  Windows windows(state);
  for (std::uint32_t v = 0; v < symptoms->size(); ++v) {
    if ((*symptoms)[v].state != SymptomState::Demoted) continue;
    const std::vector<Arc> arcs = demotions.of(v);
    std::vector<verdict::Demotion>& listed = (*symptoms)[v].demoted_by;
    listed.reserve(arcs.size());
    for (const Arc& a : arcs) {
      const program::Rule& rule = state.program.rules[a.rule];
      const model::Span64 margin = windows.margin(a, v);
      listed.push_back({a.cause, rule.name, rule.because, a.strong, margin.lo, margin.hi});
    }
  }
}

}  // namespace attrib::vm
