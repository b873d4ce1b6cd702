#include <algorithm>

#include "compiler/expr_walk.h"
#include "compiler/lowering.h"

namespace attrib::compiler {

using model::ValueKind;
using program::Opcode;

namespace {

constexpr unsigned kNo = 1, kUnknown = 2, kYes = 4, kNotNo = 6;
// Bags of absences stand beside those of expressions.
constexpr std::size_t kAbsentBags = std::size_t{1} << 32U;
constexpr std::int64_t kMaxOutcomeRank = 0xffffffff;

template <typename T>
std::size_t number(T value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

void RuleLowering::run() {
  code_.at(rule_.span);
  if (rule_.kind == RuleKind::Demote) {
    demote();
  } else {
    bind_from(0, [&] { clauses(); });
  }
  code_.at(rule_.span);
  code_.halt();
}

void RuleLowering::bind_from(std::size_t var, const Body& body) {
  if (var == rule_.own_vars) return body();
  const Var& about = rule_.vars[var];
  const VarId id{static_cast<std::uint32_t>(var)};
  const auto conditions = conjuncts(module_, about.where);
  const auto rest = [&] {
    demand(conditions);
    bind_from(var + 1, body);
  };
  switch (about.kind) {
    case VarKind::Fact:
      return each_fact(id, conditions, rest);
    case VarKind::Row:
      lookup(id);
      return rest();
    case VarKind::Member: {
      const CodeBuilder::Scope registers(code_);
      code_.at(about.span);
      const Reg set = value(about.in);
      const Reg member = code_.take(ValueKind::Entity);
      code_.open(Opcode::OpenMembers, member, set);
      bound_[var] = {member, true, std::nullopt};
      rest();
      code_.at(about.span);
      code_.close();
      bound_[var].bound = false;
      return;
    }
  }
}

void RuleLowering::lookup(VarId var) {
  const Var& about = rule_.vars[var.value];
  code_.at(about.span);
  const auto kept = fact_registers_.find(var.value);
  const Reg row = kept != fact_registers_.end() ? kept->second : code_.keep(ValueKind::Row);
  fact_registers_[var.value] = row;
  const CodeBuilder::Scope registers(code_);
  std::vector<ValueKind> kinds;
  for (const ExprId key : about.keys) kinds.push_back(kind_of(module_.exprs[key.value]));
  const Reg first = code_.take(kinds);
  for (std::size_t i = 0; i < about.keys.size(); ++i) {
    const CodeBuilder::Scope temporaries(code_);
    into(static_cast<Reg>(first + i), about.keys[i]);
  }
  code_.emit(Opcode::Lookup, row, first, about.keys.size(), about.table);
  bound_[var.value] = {row, true, std::nullopt};
}

RuleLowering::Conditions RuleLowering::whens() const {
  Conditions out;
  for (const ExprId when : rule_.whens) {
    const auto parts = conjuncts(module_, when);
    out.insert(out.end(), parts.begin(), parts.end());
  }
  return out;
}

void RuleLowering::clauses() {
  const CodeBuilder::Scope registers(code_);
  code_.at(rule_.span);
  const bool three_valued = std::any_of(rule_.emits.begin(), rule_.emits.end(),
                                        [](const Emit& e) { return e.on != EmitOn::True; });
  if (three_valued) return three_valued_clauses();
  // Cheap conditions before the scans of absences.
  demand(whens());
  std::vector<Reg> absences;
  for (std::size_t i = 0; i < rule_.absents.size(); ++i) absences.push_back(absence(i, nullptr));
  if (!absences.empty()) code_.filter(fold(Opcode::And, absences), kYes);
  emit_all(EmitOn::True);
  if (rule_.learn) learn();
  if (rule_.kind == RuleKind::Outcome) {
    const auto rank = std::clamp<std::int64_t>(rule_.outcome_rank, 0, kMaxOutcomeRank);
    code_.emit(Opcode::OutcomeIs, number(rule_.gives), 0, 0, number(rank));
  }
  if (rule_.kind == RuleKind::Ambiguous) messages();
}

// docs/semantics.md §4: what fires when the conditions or the absences are not known.
void RuleLowering::three_valued_clauses() {
  const auto conditions = whens();
  const Reg when = all_of(conditions);
  code_.filter(when, kNotNo);
  std::vector<Reg> absences, possible;
  for (std::size_t i = 0; i < rule_.absents.size(); ++i) {
    std::optional<Reg> some;
    absences.push_back(absence(i, &some));
    possible.push_back(*some);
  }
  const Reg absent = absences.empty() ? yes() : fold(Opcode::And, absences);
  if (!absences.empty()) code_.filter(absent, kNotNo);
  const Reg all = fold(Opcode::And, {when, absent});
  const auto has = [&](EmitOn on) {
    return std::any_of(rule_.emits.begin(), rule_.emits.end(),
                       [&](const Emit& e) { return e.on == on; });
  };
  const auto under = [&](EmitOn on, std::initializer_list<std::pair<Reg, unsigned>> guards) {
    if (!has(on)) return;
    std::vector<std::size_t> skipped;
    for (const auto& [truth, mask] : guards) skipped.push_back(code_.skip(truth, mask));
    emit_all(on);
    for (const std::size_t skip : skipped) code_.land(skip);
  };
  under(EmitOn::True, {{all, kYes}});
  under(EmitOn::Unknown, {{all, kUnknown}});
  if (absences.empty()) return;
  const Reg some = fold(Opcode::Or, possible);
  under(EmitOn::Unsure, {{absent, kUnknown}, {some, kUnknown | kYes}});
  under(EmitOn::Uncovered, {{absent, kUnknown}, {some, kNo}});
}

// Is there no such fact? `possible`: may some member of the bag be one?
Reg RuleLowering::absence(std::size_t index, std::optional<Reg>* possible) {
  const AbsentTest& test = rule_.absents[index];
  const Span outer = code_.span();
  code_.at(test.span);
  const VarId var = module_.queries[test.query.value].var;
  const ExprId where = rule_.vars[var.value].where;
  const Reg out = code_.take(ValueKind::Truth);
  if (possible != nullptr) *possible = code_.take(ValueKind::Truth);
  const CodeBuilder::Scope temporaries(code_);
  const Reg from = code_.take({ValueKind::Moment, ValueKind::Moment});
  const Reg to = static_cast<Reg>(from + 1);
  into(from, test.from);
  into(to, test.to);
  const Reg bag = bag_register(kAbsentBags + index);
  code_.emit(Opcode::BagNew, bag);
  each_fact(var, conjuncts(module_, where), [&] {
    const Reg fact = bound_[var.value].reg;
    std::vector<Reg> member;
    if (where.valid()) member.push_back(value(where));
    const Reg begin = code_.take(ValueKind::Moment);
    const Reg after = code_.take(ValueKind::Truth);
    const Reg before = code_.take(ValueKind::Truth);
    code_.emit(Opcode::LoadAttr, begin, fact, number(model::Attribute::Begin));
    code_.emit(Opcode::NotBefore, after, begin, from);
    code_.emit(Opcode::NotBefore, before, to, begin);
    member.push_back(after);
    member.push_back(before);
    const Reg inside = fold(Opcode::And, member);
    code_.emit(Opcode::BagAdd, bag, inside, inside, fact);
  });
  const Reg covered = code_.take(ValueKind::Truth);
  Reg of;
  if (test.of.valid()) {
    of = value(test.of);
  } else {
    of = code_.take(ValueKind::Entity);
    code_.emit(Opcode::LoadHere, of, 0, 2);
  }
  code_.emit(Opcode::Covered, covered, of, from, test.sources);
  code_.emit(Opcode::Absent, out, bag, covered);
  if (possible != nullptr) {
    const Reg count = code_.take(ValueKind::Count);
    const Reg zero = code_.take(ValueKind::Int);
    code_.emit(Opcode::BagCount, count, bag);
    constant(zero, model::int_constant(0));
    code_.emit(Opcode::Compare, **possible, count, zero, number(model::Compare::Greater));
  }
  code_.at(outer);
  return out;
}

Reg RuleLowering::fold(Opcode op, const std::vector<Reg>& truths) {
  Reg all = truths.front();
  for (std::size_t i = 1; i < truths.size(); ++i) {
    const Reg both = code_.take(ValueKind::Truth);
    code_.emit(op, both, all, truths[i]);
    all = both;
  }
  return all;
}

void RuleLowering::emit_all(EmitOn on) {
  for (const Emit& emit : rule_.emits) {
    if (emit.on == on) emission(emit);
  }
}

// Everything is computed before the emission starts: between its start and its end only plain loads
// may stand.
void RuleLowering::emission(const Emit& emit) {
  const CodeBuilder::Scope registers(code_);
  const Span outer = code_.span();
  code_.at(emit.span);
  std::vector<std::pair<std::uint32_t, Reg>> fields;
  for (const FieldValue& field : emit.fields) {
    const Expr& at = module_.exprs[field.value.value];
    if (at.kind == ExprKind::Constant && at.constant.kind == ValueKind::Null) continue;
    fields.emplace_back(field.field, value(field.value));
  }
  const ExprId metas[] = {emit.role,  emit.domain,   emit.action, emit.retry,
                          emit.blame, emit.severity, emit.title};
  std::vector<std::pair<std::size_t, Reg>> meta;
  for (std::size_t i = 0; i < std::size(metas); ++i) {
    if (metas[i].valid()) meta.emplace_back(i, value(metas[i]));
  }
  std::optional<Reg> begin;
  if (emit.begin_from.valid()) begin = value(emit.begin_from);
  if (emit.begin_from.valid() && emit.begin_to.valid()) {
    const Reg to = value(emit.begin_to);
    const Reg range = code_.take(ValueKind::Moment);
    code_.emit(Opcode::Hull, range, *begin, to);
    begin = range;
  }
  std::optional<Reg> at;
  if (emit.at.valid()) {
    at = value(emit.at);
  } else if (!emit.event) {
    at = code_.take(ValueKind::Entity);
    code_.emit(Opcode::LoadHere, *at, 0, 2);
  }
  code_.emit(emit.event ? Opcode::EmitEvent : Opcode::EmitSymptom, at.value_or(0), emit.type,
             at ? 0 : 1);
  for (const auto& [field, reg] : fields) code_.emit(Opcode::EmitField, reg, field);
  for (const auto& [which, reg] : meta) code_.emit(Opcode::EmitMeta, reg, which);
  if (begin) code_.emit(Opcode::EmitBegin, *begin);
  code_.emit(Opcode::EmitDone, number(rule_.confidence));
  code_.at(outer);
}

void RuleLowering::learn() {
  const CodeBuilder::Scope registers(code_);
  std::vector<ValueKind> kinds;
  for (const ExprId operand : rule_.learn_operands) {
    kinds.push_back(kind_of(module_.exprs[operand.value]));
  }
  const Reg first = code_.take(kinds);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const CodeBuilder::Scope temporaries(code_);
    into(static_cast<Reg>(first + i), rule_.learn_operands[i]);
  }
  code_.emit(Opcode::Learn, number(*rule_.learn), first, kinds.size());
}

// The report comes last, for it ends the rule.
void RuleLowering::messages() {
  for (const Message& ask : rule_.asks) message(ask, 1);
  message(rule_.report, 0);
}

void RuleLowering::message(const Message& message, unsigned which) {
  const CodeBuilder::Scope registers(code_);
  std::vector<Reg> values;
  for (std::size_t i = 0; i < message.values.size(); ++i) {
    const bool fact = !message.values[i].valid();
    values.push_back(fact ? bound_[message.facts[i].value].reg : value(message.values[i]));
  }
  for (std::size_t i = 0; i < message.texts.size(); ++i) {
    if (!message.texts[i].empty() || message.texts.size() == 1) {
      code_.emit(Opcode::SayText, 0, 0, 0, pool_.text(message.texts[i]));
    }
    if (i >= values.size()) continue;
    code_.emit(message.values[i].valid() ? Opcode::SayValue : Opcode::SayFact, values[i]);
  }
  code_.emit(Opcode::SayDone, which);
}

}  // namespace attrib::compiler
