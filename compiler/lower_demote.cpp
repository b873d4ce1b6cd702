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

// The effect is the outer one, for it needs few causes of a type and the search ends with these,
// unless the window depends on the cause: the window must be known when the inner scan opens, which
// looks only where it may hold. A pair join remains only where the window reads fields of both and
// nothing is equal.
void RuleLowering::demote() {
  const VarId cause{0}, effect{1};
  const auto window_reads_only = [&](VarId var) {
    return reads_only(module_, rule_, rule_.window_from, {var}) &&
           reads_only(module_, rule_, rule_.window_to, {var});
  };
  const bool effect_outer = window_reads_only(effect) || !window_reads_only(cause);
  const VarId outer = effect_outer ? effect : cause;
  const VarId inner = effect_outer ? cause : effect;
  const bool reach_first = window_reads_only(outer);
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
    const auto origin = reach_first ? std::optional(bound_[outer.value].reg) : std::nullopt;
    each_fact_near(inner, all, origin, [&] {
      demand(later);
      if (!reach_first) reach(outer_ends_window);
      pair(cause, effect);
    });
  });
}

void RuleLowering::reach(bool outer_ends_window) {
  const CodeBuilder::Scope temporaries(code_);
  const Reg from = value(rule_.window_from);
  const Reg to = value(rule_.window_to);
  const auto outer = outer_ends_window ? rule_.window_end : rule_.window_start;
  const auto inner = outer_ends_window ? rule_.window_start : rule_.window_end;
  code_.emit(Opcode::Reach, from, to,
             (outer_ends_window ? 1 : 0) + 2 * number(outer) + 8 * number(inner));
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
