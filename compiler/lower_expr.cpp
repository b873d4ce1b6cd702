#include "base/check.h"
#include "compiler/expr_walk.h"
#include "compiler/lowering.h"

namespace attrib::compiler {

using model::ValueKind;
using program::Opcode;

namespace {

constexpr unsigned kYes = 4, kNotNo = 6;

template <typename T>
std::size_t number(T value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

ValueKind RuleLowering::kind_of(const Expr& at) const {
  switch (at.kind) {
    case ExprKind::Aggregate:
      return at.aggregate == Aggregate::Count || at.aggregate == Aggregate::CountDistinct
                 ? ValueKind::Count
                 : kind_of(module_.exprs[at.a.value]);
    case ExprKind::Param:
      return rule_.params[at.index].value.kind;
    case ExprKind::Constant:
      // A null may stand in a register of any kind.
      return at.constant.kind != ValueKind::Null ? at.constant.kind
             : at.type.kind != ValueKind::Null   ? at.type.kind
                                                 : ValueKind::String;
    default:
      return at.type.kind;
  }
}

void RuleLowering::constant(Reg out, const model::Constant& value) {
  code_.emit(Opcode::LoadConst, out, 0, 0, pool_.constant(value));
}

Reg RuleLowering::yes() {
  const Reg out = code_.take(ValueKind::Truth);
  constant(out, model::truth_constant(true));
  return out;
}

Reg RuleLowering::value(ExprId id) {
  const Expr& at = module_.exprs[id.value];
  if (at.kind == ExprKind::Member) return bound_[at.var.value].reg;
  const Reg out = code_.take(kind_of(at));
  const CodeBuilder::Scope temporaries(code_);
  into(out, id);
  return out;
}

void RuleLowering::into(Reg out, ExprId id) {
  const Expr& at = module_.exprs[id.value];
  const Span outer = code_.span();
  if (at.span != Span{}) code_.at(at.span);
  switch (at.kind) {
    case ExprKind::Constant:
      constant(out, at.constant);
      break;
    case ExprKind::Param:
      code_.emit(Opcode::LoadParam, out, 0, 0, at.index);
      break;
    case ExprKind::FieldOf:
      field(out, at);
      break;
    case ExprKind::AttributeOf:
      code_.emit(Opcode::LoadAttr, out, bound_[at.var.value].reg, number(at.attribute));
      break;
    case ExprKind::Cell:
      code_.emit(Opcode::LoadCell, out, bound_[at.var.value].reg, at.index);
      break;
    case ExprKind::Capture:
      code_.emit(Opcode::LoadCapture, out, 0, at.index);
      break;
    case ExprKind::Seen:
      code_.emit(Opcode::LoadSeen, out);
      break;
    case ExprKind::ObservationMessage:
      code_.emit(Opcode::LoadMessage, out);
      break;
    case ExprKind::MetricName:
      code_.emit(Opcode::MetricName, out);
      break;
    case ExprKind::MetricValue:
      code_.emit(Opcode::MetricValue, out);
      break;
    case ExprKind::MetricRises:
      code_.emit(Opcode::MetricRises, out);
      break;
    case ExprKind::MetricLabel:
      code_.emit(Opcode::MetricLabel, out, 0, 0, pool_.text(at.text));
      break;
    case ExprKind::RecordField:
      code_.emit(Opcode::RecordField, out, 0, 0, pool_.text(at.text));
      break;
    case ExprKind::ReadText:
      code_.emit(Opcode::ReadText, out, value(at.a), number(at.type.reader));
      break;
    case ExprKind::Add:
    case ExprKind::Sub: {
      const Reg a = value(at.a);
      const Reg b = value(at.b);
      code_.emit(at.kind == ExprKind::Add ? Opcode::Add : Opcode::Sub, out, a, b);
      break;
    }
    case ExprKind::Negate:
      code_.emit(Opcode::Negate, out, value(at.a));
      break;
    case ExprKind::Aggregate:
      aggregate(out, id);
      break;
    case ExprKind::Bursts:
      code_.emit(Opcode::Bursts, out, bound_[at.var.value].reg, value(at.a));
      break;
    case ExprKind::Member:
      ATTRIB_CHECK(false, "a member of a set is read where it is bound");
      break;
    default:
      entity_or_set(out, at);
      break;
  }
  code_.at(outer);
}

void RuleLowering::entity_or_set(Reg out, const Expr& at) {
  switch (at.kind) {
    case ExprKind::ObservationNode:
      return code_.emit(Opcode::LoadHere, out, 0, 0);
    case ExprKind::ObservationRank:
      return code_.emit(Opcode::LoadHere, out, 0, 1);
    case ExprKind::Attempt:
      return code_.emit(Opcode::LoadHere, out, 0, 2);
    case ExprKind::RelationOf:
      return code_.emit(Opcode::Relate, out, value(at.a), number(at.relation));
    case ExprKind::SetOf:
      return code_.emit(Opcode::MakeSet, out, value(at.a), number(at.set));
    case ExprKind::MakeCommunicator:
      return code_.emit(Opcode::MakeComm, out, value(at.a));
    case ExprKind::MakeCollective: {
      const Reg a = value(at.a);
      return code_.emit(Opcode::MakeColl, out, a, value(at.b));
    }
    default:
      return logic(out, at);
  }
}

void RuleLowering::logic(Reg out, const Expr& at) {
  const auto both = [&](Opcode op, std::size_t d = 0) {
    const Reg a = value(at.a);
    const Reg b = value(at.b);
    code_.emit(op, out, a, b, d);
  };
  switch (at.kind) {
    case ExprKind::Not:
      return code_.emit(Opcode::Not, out, value(at.a));
    case ExprKind::And:
      return both(Opcode::And);
    case ExprKind::Or:
      return both(Opcode::Or);
    case ExprKind::Compare:
      return both(Opcode::Compare, number(at.compare));
    case ExprKind::TextTest:
      return both(Opcode::TextTest, number(at.text_test));
    case ExprKind::InSet:
      return both(Opcode::InSet);
    case ExprKind::Has:
      return code_.emit(Opcode::Has, out, value(at.a));
    case ExprKind::InList:
      if (at.list.empty()) return constant(out, model::truth_constant(false));
      return code_.emit(Opcode::InList, out, value(at.a), at.list.size(), pool_.list(at.list));
    default:
      return fact_test(out, at);
  }
}

void RuleLowering::fact_test(Reg out, const Expr& at) {
  const Reg fact = bound_[at.var.value].reg;
  switch (at.kind) {
    case ExprKind::HasTag:
      return code_.emit(Opcode::HasTag, out, fact, 0, pool_.text(at.text));
    case ExprKind::Solo:
      return code_.emit(Opcode::Solo, out, fact, value(at.a));
    case ExprKind::Tied:
      return code_.emit(Opcode::Tied, out, fact, bound_[at.second_var.value].reg);
    case ExprKind::Related:
      return code_.emit(Opcode::Related, out, fact, bound_[at.second_var.value].reg);
    default:
      ATTRIB_CHECK(false, "an expression without code");
  }
}

void RuleLowering::field(Reg out, const Expr& at) {
  const Binding& fact = bound_[at.var.value];
  const auto index = fact.type ? field_index(at.var, *fact.type, at) : std::nullopt;
  if (index) {
    code_.emit(Opcode::LoadField, out, fact.reg, *index);
  } else {
    constant(out, model::null_constant());
  }
}

void RuleLowering::aggregate(Reg out, ExprId id) {
  const Expr& at = module_.exprs[id.value];
  const Query& query = module_.queries[at.query.value];
  const ExprId where = rule_.vars[query.var.value].where;
  const Reg bag = bag_register(id.value);
  code_.emit(Opcode::BagNew, bag);
  if (query.over.valid()) code_.emit(Opcode::BagOver, bag, value(query.over));
  each_fact(query.var, conjuncts(module_, where), [&] {
    const Reg is_member = where.valid() ? value(where) : yes();
    // What is counted does not matter, only how often.
    const Reg item = at.a.valid() ? value(at.a) : is_member;
    code_.emit(Opcode::BagAdd, bag, item, is_member, bound_[query.var.value].reg);
  });
  switch (at.aggregate) {
    case Aggregate::Count:
      return code_.emit(Opcode::BagCount, out, bag);
    case Aggregate::CountDistinct:
      return code_.emit(Opcode::BagDistinct, out, bag);
    case Aggregate::Least:
      return code_.emit(Opcode::BagLeast, out, bag);
    case Aggregate::Odd:
      return code_.emit(Opcode::BagOdd, out, bag);
  }
}

Reg RuleLowering::all_of(const Conditions& conditions) {
  std::optional<Reg> all;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const Reg one = value(conditions[i]);
    const bool never_unknown = module_.exprs[conditions[i].value].kind == ExprKind::Has;
    if (never_unknown && conditions.size() > 1) {
      code_.filter(one, kYes);
      if (all || i + 1 < conditions.size()) continue;
    } else if (conditions.size() > 1) {
      code_.filter(one, kNotNo);
    }
    if (!all) {
      all = one;
      continue;
    }
    const Reg both = code_.take(ValueKind::Truth);
    code_.emit(Opcode::And, both, *all, one);
    all = both;
  }
  return all ? *all : yes();
}

void RuleLowering::demand(const Conditions& conditions) {
  if (conditions.empty()) return;
  const Span outer = code_.span();
  const CodeBuilder::Scope temporaries(code_);
  const Reg all = all_of(conditions);
  code_.at(module_.exprs[conditions.back().value].span);
  code_.filter(all, kYes);
  code_.at(outer);
}

}  // namespace attrib::compiler
