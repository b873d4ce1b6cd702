#include <fmt/format.h>

#include <variant>

#include "dsl/print.h"
#include "dsl/print_parts.h"

namespace attrib::dsl {
namespace {

// How strongly an expression's outermost operator binds; an operand that binds less stands in
// parentheses.
enum Level : int { kAny, kOr, kAnd, kNot, kComparison, kSum, kFactor };

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::And:
      return "and";
    case BinaryOp::Or:
      return "or";
    case BinaryOp::Equal:
      return "==";
    case BinaryOp::NotEqual:
      return "!=";
    case BinaryOp::Less:
      return "<";
    case BinaryOp::LessEqual:
      return "<=";
    case BinaryOp::Greater:
      return ">";
    case BinaryOp::GreaterEqual:
      return ">=";
    case BinaryOp::Add:
      return "+";
    case BinaryOp::Sub:
      return "-";
  }
  return "";
}

Level level_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return kOr;
    case BinaryOp::And:
      return kAnd;
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return kSum;
    default:
      return kComparison;
  }
}

struct ExprPrinter;
std::string print_at(const Expr& expr, Level least);

std::string print_list(const std::vector<ExprPtr>& list) {
  std::string out;
  for (const ExprPtr& each : list) out += (out.empty() ? "" : ", ") + print_at(*each, kAny);
  return out;
}

struct Printed {
  std::string text;
  Level level;
};

struct ExprPrinter {
  Printed operator()(const Literal& literal) const {
    return {literal.kind == LiteralKind::Text ? quoted(literal.text) : literal.text, kFactor};
  }
  Printed operator()(const NameExpr& name) const { return {names_text(name.parts, "."), kFactor}; }
  Printed operator()(const CallExpr& call) const {
    return {fmt::format("{}({})", call.callee.text, print_list(call.args)), kFactor};
  }
  Printed operator()(const UnaryExpr& unary) const {
    if (unary.negate) return {"-" + print_at(*unary.operand, kFactor), kFactor};
    return {"not " + print_at(*unary.operand, kNot), kNot};
  }
  Printed operator()(const BinaryExpr& binary) const {
    const Level level = level_of(binary.op);
    const Level stronger = static_cast<Level>(level + 1);
    // Chains group to the left; comparisons do not chain.
    const Level left = level == kComparison ? stronger : level;
    return {fmt::format("{} {} {}", print_at(*binary.left, left), spelling(binary.op),
                        print_at(*binary.right, stronger)),
            level};
  }
  Printed operator()(const HasExpr& has) const {
    const std::string what = print_at(*has.what, kFactor);
    if (!has.object) return {"has " + what, kComparison};
    return {fmt::format("{} has {}", print_at(*has.object, kSum), what), kComparison};
  }
  Printed operator()(const InExpr& in) const {
    const std::string set = in.is_list ? "[" + print_list(in.list) + "]" : print_at(*in.set, kSum);
    return {fmt::format("{} in {}", print_at(*in.value, kSum), set), kComparison};
  }
  Printed operator()(const RisesExpr& rises) const {
    return {print_at(*rises.value, kSum) + " rises", kComparison};
  }
  // Its `where` takes all it can, so inside another expression it always stands in parentheses.
  Printed operator()(const AggregateExpr& aggregate) const {
    std::string out;
    switch (aggregate.kind) {
      case AggregateKind::Count:
        out = "count of ";
        break;
      case AggregateKind::CountDistinct:
        out = fmt::format("count distinct {} of ", print_at(*aggregate.value, kFactor));
        break;
      case AggregateKind::Least:
        out = fmt::format("least {} of ", print_at(*aggregate.value, kFactor));
        break;
      case AggregateKind::Odd:
        out = fmt::format("odd {} of ", print_at(*aggregate.value, kFactor));
        break;
    }
    out += fmt::format("{}: {}", aggregate.variable.text, names_text(aggregate.types, " | "));
    if (aggregate.where) out += " where " + print_at(*aggregate.where, kOr);
    if (aggregate.over) out += " over " + print_at(*aggregate.over, kSum);
    return {out, kAny};
  }
};

std::string print_at(const Expr& expr, Level least) {
  Printed printed = std::visit(ExprPrinter{}, expr.node);
  return printed.level < least ? "(" + printed.text + ")" : std::move(printed.text);
}

}  // namespace

std::string print(const Expr& expr) { return print_at(expr, kAny); }

std::string operand_text(const Expr& expr) { return print_at(expr, kSum); }

std::string range_text(const RangeClause& range) {
  if (!range.to) return operand_text(*range.from);
  return operand_text(*range.from) + " .. " + operand_text(*range.to);
}

}  // namespace attrib::dsl
