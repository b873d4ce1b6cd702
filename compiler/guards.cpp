// Which optional values are known to be there: what holds when a condition holds.

#include "compiler/rule_checker.h"

namespace attrib::compiler {
namespace {

constexpr int kMaxGuardDepth = 200;  // Deeper conditions guard nothing, which is safe.

}  // namespace

void RuleChecker::guards_if(const dsl::Expr& e, bool holds, Guards* out, int depth) const {
  if (depth > kMaxGuardDepth) return;
  const auto add = [&](const dsl::Expr& operand) {
    if (auto key = guard_key(operand)) out->insert(std::move(*key));
  };
  // A comparison that holds had something to compare. That says nothing for optional fields, which
  // may not even be compared unguarded: or two comparisons of one field would guard each other.
  const auto compared = [&](const dsl::Expr& operand) {
    auto key = guard_key(operand);
    if (key && std::get<1>(*key).starts_with(kLenient)) out->insert(std::move(*key));
  };
  if (const auto* has = std::get_if<dsl::HasExpr>(&e.node)) {
    if (holds && !has->object && has->what) add(*has->what);
  } else if (const auto* unary = std::get_if<dsl::UnaryExpr>(&e.node)) {
    if (!unary->negate) guards_if(*unary->operand, !holds, out, depth + 1);
  } else if (const auto* in = std::get_if<dsl::InExpr>(&e.node)) {
    if (holds) compared(*in->value);
  } else if (const auto* binary = std::get_if<dsl::BinaryExpr>(&e.node)) {
    const bool both = binary->op == (holds ? dsl::BinaryOp::And : dsl::BinaryOp::Or);
    const bool either = binary->op == (holds ? dsl::BinaryOp::Or : dsl::BinaryOp::And);
    if (both) {
      guards_if(*binary->left, holds, out, depth + 1);
      guards_if(*binary->right, holds, out, depth + 1);
    } else if (!either && binary->op != dsl::BinaryOp::Add && binary->op != dsl::BinaryOp::Sub) {
      // Comparing with null is unknown: neither true nor false.
      compared(*binary->left);
      compared(*binary->right);
    }
  }
}

}  // namespace attrib::compiler
