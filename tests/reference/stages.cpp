#include "tests/reference/stages.h"

#include <algorithm>
#include <functional>

namespace attrib::reference {
namespace {

using compiler::Emit;
using compiler::EmitOn;
using compiler::Rule;
using compiler::RuleKind;
using model::Band;

template <typename T>
T word_or(const Value& v, T otherwise) {
  if (v.kind != ValueKind::String) return otherwise;
  return model::parse_word<T>(v.text).value_or(otherwise);
}

// Runs a rule of one kind and gathers what it emits.
class Firing {
 public:
  Firing(const State& state, const Rule& rule, std::uint32_t index)
      : state_(state), rule_(rule), index_(index) {}

  void each_binding(const std::function<void(Evaluator&)>& body) {
    reference::each_binding(state_, rule_, bindings_, body);
  }

  std::vector<Fact> emitted;

  void fire_on_true(Evaluator& evaluate) {
    for (const compiler::ExprId when : rule_.whens) {
      if (evaluate.truth(when) != Truth::Yes) return;
    }
    emit_all(evaluate, EmitOn::True, {});
  }

  void fire_inference(Evaluator& evaluate) {
    std::vector<Evaluator::Absence> absences;
    Truth a = Truth::Yes;
    bool possible = false;
    for (const compiler::AbsentTest& test : rule_.absents) {
      absences.push_back(evaluate.absent(test));
      a = a & absences.back().truth;
      possible = possible || absences.back().possible;
    }
    Truth w = Truth::Yes;
    for (const compiler::ExprId when : rule_.whens) w = w & evaluate.truth(when);
    if (w == Truth::No || a == Truth::No) return;
    if (w == Truth::Yes && a == Truth::Yes) {
      emit_all(evaluate, EmitOn::True, absences);
      return;
    }
    emit_all(evaluate, EmitOn::Unknown, absences);
    if (a == Truth::Unknown)
      emit_all(evaluate, possible ? EmitOn::Unsure : EmitOn::Uncovered, absences);
  }

 private:
  // The facts of the open loops, in their order.
  std::vector<const Fact*> loop_facts() const {
    std::vector<const Fact*> out;
    for (const auto& [var, fact] : bindings_.facts) {
      if (var < rule_.own_vars) out.push_back(fact);
    }
    return out;
  }

  void emit_all(Evaluator& evaluate, EmitOn on, const std::vector<Evaluator::Absence>& absences) {
    for (const Emit& emit : rule_.emits) {
      if (emit.on != on) continue;
      Fact f = make(evaluate, emit);
      for (const Evaluator::Absence& a : absences) {
        if (a.what) f.absences.push_back(*a.what);
      }
      emitted.push_back(std::move(f));
    }
  }

  Fact make(Evaluator& evaluate, const Emit& emit) {
    const model::SymptomType& type = state_.module.symptoms.at(emit.type);
    const std::vector<const Fact*> facts = loop_facts();
    Fact f;
    f.type = emit.type;
    f.rule = index_;
    f.credence = rule_.confidence;
    f.decoded = rule_.kind == RuleKind::Decode;
    f.stream = facts.front()->stream;
    f.seen = facts.front()->seen;
    f.begin = facts.front()->begin;
    f.entity = entity(evaluate, emit, type, f.stream);
    const Value at = emit.at.valid() ? evaluate.value(emit.at) : null_value();
    f.unknown_part = f.decoded && at.kind == ValueKind::Entity && at.entity.unknown &&
                     sits_on_node(at.entity.kind);
    f.table_row = bindings_.row_place;
    fields(evaluate, emit, type, f);
    meta(evaluate, emit, type, f);
    begin(evaluate, emit, f);
    if (f.decoded) {
      const Fact& event = *facts.front();
      f.event_id = event.id;
      f.node = event.node;
      f.rank = event.rank;
      f.families = event.families;
      f.observations = event.observations;
      if (event.extract != kNoExtract) f.extracts = {event.extract};
    } else {
      inputs(facts, f);
    }
    // Its entity knows better than whoever printed it.
    if (const auto rank = rank_number(f.entity)) f.rank = rank;
    if (const auto node = state_.world.node_of(f.entity)) f.node = node->key;
    f.last = f.begin;
    return f;
  }

  static Entity entity(Evaluator& evaluate, const Emit& emit, const model::SymptomType& type,
                       std::uint32_t stream) {
    if (!emit.at.valid()) return {EntityKind::Attempt, "", false};
    const Value at = evaluate.value(emit.at);
    if (at.kind == ValueKind::Entity && !at.entity.unknown) return at.entity;
    return unknown_entity(type.on.front(), stream);
  }

  static void fields(Evaluator& evaluate, const Emit& emit, const model::SymptomType& type,
                     Fact& f) {
    f.fields.assign(type.fields.size(), null_value());
    for (const compiler::FieldValue& field : emit.fields)
      f.fields[field.field] = evaluate.value(field.value);
  }

  static void meta(Evaluator& evaluate, const Emit& emit, const model::SymptomType& type, Fact& f) {
    const auto given = [&](compiler::ExprId id) {
      return id.valid() ? evaluate.value(id) : null_value();
    };
    f.role = word_or(given(emit.role), type.role);
    f.domain = word_or(given(emit.domain), type.domain);
    f.retry = word_or(given(emit.retry), type.retry);
    f.severity = word_or(given(emit.severity), type.severity);
    const Value action = given(emit.action);
    const Value title = given(emit.title);
    f.action = action.kind == ValueKind::String ? action.text : type.action;
    f.title = title.kind == ValueKind::String ? title.text
              : type.title.empty()            ? type.name
                                              : type.title;
    const model::Blame blame = word_or(
        given(emit.blame), type.blame.value_or(model::default_blame(f.domain, f.entity.kind)));
    f.accuses = blame == model::Blame::Self;
  }

  static void begin(Evaluator& evaluate, const Emit& emit, Fact& f) {
    if (!emit.begin_from.valid()) return;
    const auto moment = [&](compiler::ExprId id) {
      const Value v = evaluate.value(id);
      return v.kind == ValueKind::Moment ? v.moment : Moment{};
    };
    f.begin = moment(emit.begin_from);
    if (!emit.begin_to.valid()) return;
    const Moment to = moment(emit.begin_to);
    f.begin = f.begin.known && to.known ? model::hull(f.begin, to) : Moment{};
  }

  void inputs(const std::vector<const Fact*>& facts, Fact& f) {
    const auto take = [&](const Fact& from) {
      f.observations.insert(from.observations.begin(), from.observations.end());
      if (from.event) {
        if (from.extract != kNoExtract) f.extracts.insert(from.extract);
        return;
      }
      f.extracts.insert(from.extracts.begin(), from.extracts.end());
      f.inputs.push_back(from.id);
    };
    for (const Fact* fact : facts) {
      take(*fact);
      if (!fact->event) f.credence = std::min(f.credence, fact->credence);
    }
    for (const auto& [query, members] : bindings_.collected) {
      for (const Fact* fact : members) take(*fact);
    }
  }

  const State& state_;
  const Rule& rule_;
  std::uint32_t index_;
  Bindings bindings_;
};

std::vector<Fact> run_rule(const State& state, std::uint32_t index) {
  const Rule& rule = state.module.rules[index];
  Firing firing(state, rule, index);
  firing.each_binding([&](Evaluator& evaluate) {
    if (rule.kind == RuleKind::Infer) {
      firing.fire_inference(evaluate);
    } else {
      firing.fire_on_true(evaluate);
    }
  });
  return std::move(firing.emitted);
}

void append(std::vector<Fact>& to, std::vector<Fact> more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Not called `bind`: the arguments would bring std::bind along, and that does nothing.
void bind_vars(const State& state, const Rule& rule, Bindings& bindings, std::uint32_t var,
               const std::function<void(Evaluator&)>& body) {
  Evaluator evaluate(state, rule, bindings);
  if (var == rule.own_vars) {
    body(evaluate);
    return;
  }
  const compiler::Var& v = rule.vars.at(var);
  const auto collected =
      bindings.collected;  // What other bindings of this variable collect does not count.
  const auto go_on = [&] {
    bindings.collected = collected;
    if (evaluate.truth(v.where) == Truth::Yes) bind_vars(state, rule, bindings, var + 1, body);
  };
  switch (v.kind) {
    case compiler::VarKind::Fact:
      for (const Fact* f : range_of(state, v.scope)) {
        bindings.facts[var] = f;
        go_on();
      }
      bindings.facts.erase(var);
      break;
    case compiler::VarKind::Member: {
      const Value set = evaluate.value(v.in);
      for (const Entity& member : set.set.members) {
        bindings.members[var] = member;
        go_on();
      }
      bindings.members.erase(var);
      break;
    }
    case compiler::VarKind::Row:
      bindings.rows[var] = evaluate.row(v);
      go_on();
      bindings.rows.erase(var);
      break;
  }
}

}  // namespace

void each_binding(const State& state, const Rule& rule, Bindings& bindings,
                  const std::function<void(Evaluator&)>& body) {
  bind_vars(state, rule, bindings, 0, body);
}

void decode(State& state) {
  std::vector<Fact> facts;
  for (std::uint32_t i = 0; i < state.module.rules.size(); ++i) {
    if (state.module.rules[i].kind == RuleKind::Decode) append(facts, run_rule(state, i));
  }
  fold_facts(state, std::move(facts));
}

void infer(State& state) {
  for (std::uint32_t layer = 0; layer < state.module.infer_strata; ++layer) {
    std::vector<Fact> facts;
    for (std::uint32_t i = 0; i < state.module.rules.size(); ++i) {
      const Rule& rule = state.module.rules[i];
      if (rule.kind == RuleKind::Infer && rule.stratum == layer) append(facts, run_rule(state, i));
    }
    fold_facts(state, std::move(facts));
  }
}

std::vector<verdict::Ending> outcomes(State& state) {
  std::vector<verdict::Ending> endings;
  std::vector<Fact> facts;
  for (std::uint32_t i = 0; i < state.module.rules.size(); ++i) {
    const Rule& rule = state.module.rules[i];
    if (rule.kind != RuleKind::Outcome) continue;
    Firing firing(state, rule, i);
    bool held = false;
    firing.each_binding([&](Evaluator& evaluate) {
      held = held || std::all_of(rule.whens.begin(), rule.whens.end(), [&](compiler::ExprId when) {
               return evaluate.truth(when) == Truth::Yes;
             });
      firing.fire_on_true(evaluate);
    });
    if (held) endings.push_back({rule.pack + "." + rule.name, rule.gives, rule.outcome_rank});
    append(facts, std::move(firing.emitted));
  }
  fold_facts(state, std::move(facts));
  std::stable_sort(endings.begin(), endings.end(),
                   [](const verdict::Ending& a, const verdict::Ending& b) {
                     return a.rank != b.rank ? a.rank > b.rank : a.rule < b.rule;
                   });
  return endings;
}

}  // namespace attrib::reference
