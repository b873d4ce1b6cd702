#include <algorithm>

#include "compiler/expr_walk.h"
#include "compiler/lowering.h"

namespace attrib::compiler {

using model::ValueKind;
using program::Opcode;

namespace {

constexpr unsigned kNotNo = 6;

template <typename T>
std::size_t number(T value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

// The side that the window depends on is the outer one: then the window is known when the inner
// scan opens, which looks only where it may hold. A pair join remains only where the window reads
// fields of both and nothing is equal.
void RuleLowering::demote() {
  const VarId cause{0}, effect{1};
  const auto window_reads_only = [&](VarId var) {
    return reads_only(module_, rule_, rule_.window_from, {var}) &&
           reads_only(module_, rule_, rule_.window_to, {var});
  };
  // `any` causes with a tag are few among all symptoms: found once, not once for each effect.
  const bool effect_outer =
      !is_selective(cause) && (window_reads_only(effect) || !window_reads_only(cause));
  const VarId outer = effect_outer ? effect : cause;
  const VarId inner = effect_outer ? cause : effect;
  const bool reach_first = window_reads_only(outer);
  const bool near = reach_first && rule_.window_start == model::Point::Begin &&
                    rule_.window_end == model::Point::Begin;
  const bool outer_ends_window = effect_outer != rule_.window_reversed;

  Conditions first, later, all = whens();
  for (const VarId var : {cause, effect}) {
    for (const ExprId part : conjuncts(module_, rule_.vars[var.value].where)) {
      (reads_only(module_, rule_, part, {outer}) ? first : later).push_back(part);
    }
  }
  all.insert(all.end(), later.begin(), later.end());
  each_fact(outer, {}, [&] {
    demand(first);
    if (reach_first) reach(outer_ends_window);
    const auto origin = near ? std::optional(bound_[outer.value].reg) : std::nullopt;
    each_fact_near(inner, all, origin, [&] {
      demand(later);
      if (!reach_first) reach(outer_ends_window);
      pair(cause, effect);
    });
  });
}

bool RuleLowering::is_selective(VarId var) const {
  const Var& of = rule_.vars[var.value];
  const std::vector<ExprId> parts = conjuncts(module_, of.where);
  return of.scope.any && std::ranges::any_of(parts, [&](ExprId part) {
           return module_.exprs[part.value].kind == ExprKind::HasTag;
         });
}

void RuleLowering::reach(bool outer_ends_window) {
  const CodeBuilder::Scope temporaries(code_);
  const Reg from = value(rule_.window_from);
  const Reg to = value(rule_.window_to);
  code_.emit(Opcode::Reach, from, to, outer_ends_window ? 1 : 0);
}

void RuleLowering::pair(VarId cause, VarId effect) {
  const CodeBuilder::Scope registers(code_);
  const Reg c = bound_[cause.value].reg;
  const Reg e = bound_[effect.value].reg;
  const bool reversed = rule_.window_reversed;
  const Reg window = code_.take(ValueKind::Truth);
  code_.emit(Opcode::Window, window, reversed ? e : c, reversed ? c : e,
             number(rule_.window_start) + 4 * number(rule_.window_end) + (reversed ? 16 : 0));
  code_.filter(window, kNotNo);
  const Conditions related = whens();
  const Reg relation = all_of(related);
  if (!related.empty()) code_.filter(relation, kNotNo);
  code_.emit(Opcode::Edge, c, e, relation, window);
}

}  // namespace attrib::compiler
