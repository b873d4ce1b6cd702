// Literals, operators, and what an expression must be.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "compiler/limits.h"
#include "compiler/rule_checker.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

model::Type plain(ValueKind kind, model::Reader reader) {
  return {kind, reader, model::EntityKind::Node, {}};
}
const model::Type& truth_type() {
  static const model::Type kType = plain(ValueKind::Truth, model::Reader::Bool);
  return kType;
}

std::int64_t to_millionths(std::int64_t n) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  return std::clamp(n, -kMost, kMost) * 1'000'000;
}

bool is_number(ValueKind kind) { return kind == ValueKind::Int || kind == ValueKind::Decimal; }

}  // namespace

std::string describe(const model::Type& type) {
  switch (type.kind) {
    case ValueKind::Null:
      return "nothing";
    case ValueKind::Truth:
      return "a truth value";
    case ValueKind::Int:
      return "a number";
    case ValueKind::String:
      return type.words.empty() ? "a word" : "one of " + model::to_text(type);
    case ValueKind::Duration:
      return "a duration";
    case ValueKind::Decimal:
      return "a decimal";
    case ValueKind::Moment:
      return "a time";
    case ValueKind::Entity:
      return (type.entity == model::EntityKind::Attempt ? "an " : "a ") + model::to_text(type);
    case ValueKind::Set:
      return "a " + model::to_text(type);
    case ValueKind::Row:
      return "a row of a table";
    case ValueKind::Count:
      return "a count";
    case ValueKind::Fact:
      return "a whole fact";
    case ValueKind::Bag:
      return "a bag";
  }
  return "";
}

std::string describe(const Typed& value) {
  if (value.fact.valid()) return "a whole fact or row";
  if (value.type.kind == ValueKind::Entity && value.kinds.size() > 1) {
    std::vector<std::string_view> names;
    for (const auto kind : value.kinds) {
      names.push_back(model::entity_kind_names()[static_cast<std::size_t>(kind)]);
    }
    return fmt::format("a {}", fmt::join(names, " or "));
  }
  return describe(value.type);
}

bool in_range(const model::Type& type, std::int64_t n) {
  switch (type.reader) {
    case model::Reader::U8:
      return n >= 0 && n <= 0xff;
    case model::Reader::U16:
      return n >= 0 && n <= 0xffff;
    case model::Reader::U32:
    case model::Reader::Bits32:
      return n >= 0 && n <= 0xffffffff;
    case model::Reader::U64:
    case model::Reader::Hex:
      return n >= 0;
    case model::Reader::I16:
      return n >= -0x8000 && n <= 0x7fff;
    case model::Reader::I32:
      return n >= -0x80000000LL && n <= 0x7fffffff;
    default:
      return true;
  }
}

ExprId RuleChecker::add(Expr e) {
  if (++exprs_ > kMaxExprsPerRule) {
    if (!too_many_) {
      within_limit(c, rule.span, exprs_, kMaxExprsPerRule, fmt::format("rule `{}`", rule.name),
                   "expression parts");
    }
    too_many_ = true;
    return {};
  }
  c.module.exprs.push_back(std::move(e));
  return {static_cast<std::uint32_t>(c.module.exprs.size() - 1)};
}

ExprId RuleChecker::add(ExprKind kind, Span span, model::Type type, ExprId a, ExprId b) {
  Expr e;
  e.kind = kind;
  e.span = span;
  e.type = std::move(type);
  e.a = a;
  e.b = b;
  return add(std::move(e));
}

ExprId RuleChecker::constant(model::Constant value, model::Type type, Span span) {
  Expr e;
  e.kind = ExprKind::Constant;
  e.span = span;
  e.type = std::move(type);
  e.constant = std::move(value);
  return add(std::move(e));
}

bool RuleChecker::allowed(bool here, Span span, const std::string& what) {
  if (!here) c.sink.emit<diag::NotAllowedHere>(span, what, stage());
  return here;
}

Typed RuleChecker::expr(const dsl::Expr& e, const model::Type* expected) {
  if (too_many_) return {};
  return std::visit([&](const auto& node) { return check(e, node, expected); }, e.node);
}

ExprId RuleChecker::condition(const dsl::Expr& e) {
  const Typed value = wanted(e, ValueKind::Truth, "a condition");
  guards_if(e, true, &guards_);
  return value.id;
}

Typed RuleChecker::wanted(const dsl::Expr& e, ValueKind kind, const std::string& what) {
  const model::Type hint = plain(kind, kind == ValueKind::Duration  ? model::Reader::Length
                                       : kind == ValueKind::Decimal ? model::Reader::Dec
                                       : kind == ValueKind::Int     ? model::Reader::I64
                                                                    : model::Reader::Word);
  Typed value = expr(e, kind == ValueKind::Entity || kind == ValueKind::Set ? nullptr : &hint);
  if (value.fact.valid()) {
    Diagnostic& d = c.sink.emit<diag::TypeMismatch>(e.span, describe(value), what);
    if (kind == ValueKind::Entity) d.hint("write `.entity` for the entity it is about");
    return {};
  }
  if (!value.ok() || value.type.kind == kind) return value;
  Diagnostic& d = c.sink.emit<diag::TypeMismatch>(e.span, describe(value), what);
  if (kind == ValueKind::Entity && value.type.kind == ValueKind::Int) {
    d.hint("an entity comes from a field, a variable or a relation; it is not a number");
  }
  return {};
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::Literal& node,
                         const model::Type* expected) {
  Typed out;
  model::Constant value;
  const ValueKind want = expected == nullptr ? ValueKind::Null : expected->kind;
  switch (node.kind) {
    case dsl::LiteralKind::Int:
    case dsl::LiteralKind::Size:
      if (want == ValueKind::Duration && node.kind == dsl::LiteralKind::Int) {
        c.sink.emit<diag::BareNumber>(e.span, node.text)
            .hint(fmt::format("write `{}s` or another unit", node.text));
        return {};
      }
      if (want == ValueKind::Decimal) {
        value = model::decimal_constant(to_millionths(node.number));
        out.type = plain(ValueKind::Decimal, model::Reader::Dec);
        break;
      }
      value = model::int_constant(node.number);
      out.type = plain(ValueKind::Int, node.hex ? model::Reader::Hex : model::Reader::I64);
      break;
    case dsl::LiteralKind::Decimal:
      value = model::decimal_constant(node.number);
      out.type = plain(ValueKind::Decimal, model::Reader::Dec);
      break;
    case dsl::LiteralKind::Truth:
      value = model::truth_constant(node.number != 0);
      out.type = truth_type();
      break;
    case dsl::LiteralKind::Duration:
      value = model::duration_constant(node.number);
      out.type = plain(ValueKind::Duration, model::Reader::Length);
      break;
    case dsl::LiteralKind::Text:
      if (want == ValueKind::String) return word_constant(node.text, e.span, *expected);
      value = model::text_constant(node.text);
      out.type = plain(ValueKind::String, model::Reader::Text);
      break;
  }
  out.id = constant(std::move(value), out.type, e.span);
  return out;
}

Typed RuleChecker::word_constant(const std::string& text, Span span, const model::Type& type) {
  if (!type.words.empty()) {
    const std::vector<std::string_view> words(type.words.begin(), type.words.end());
    if (!find_word(c, "word of " + model::to_text(type), {text, span}, words)) return {};
  }
  Typed out;
  out.type = type;
  out.id = constant(model::text_constant(text), type, span);
  return out;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::UnaryExpr& node,
                         const model::Type* expected) {
  Typed out;
  if (!node.negate) {
    const Typed inner = wanted(*node.operand, ValueKind::Truth, "a condition");
    if (!inner.ok()) return {};
    out.type = truth_type();
    out.id = add(ExprKind::Not, e.span, out.type, inner.id);
    return out;
  }
  const Typed inner = expr(*node.operand, expected);
  if (!inner.ok()) return {};
  if (!is_number(inner.type.kind) && inner.type.kind != ValueKind::Duration) {
    c.sink.emit<diag::TypeMismatch>(e.span, describe(inner), "a number or a duration");
    return {};
  }
  out.type = inner.type;
  out.nullable = inner.nullable;
  // `-5` is a constant like any other: table cells, lists and parameters want one.
  const Expr& literal = c.module.exprs[inner.id.value];
  if (literal.kind == ExprKind::Constant) {
    model::Constant value = literal.constant;
    value.number =
        value.number == std::numeric_limits<std::int64_t>::min() ? value.number : -value.number;
    if (out.type.kind == ValueKind::Int) out.type.reader = model::Reader::I64;
    out.id = constant(std::move(value), out.type, e.span);
    return out;
  }
  out.id = add(ExprKind::Negate, e.span, out.type, inner.id);
  return out;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::BinaryExpr& node,
                         const model::Type* expected) {
  switch (node.op) {
    case dsl::BinaryOp::And:
    case dsl::BinaryOp::Or:
      return logic(e, node);
    case dsl::BinaryOp::Add:
    case dsl::BinaryOp::Sub:
      return arithmetic(e, node, expected);
    default:
      return compare(e, node);
  }
}

// Each side may rely on the other: `has x.f and x.f > 3`, `not has x.f or x.f > 3`.
Typed RuleChecker::logic(const dsl::Expr& e, const dsl::BinaryExpr& node) {
  const bool conjunction = node.op == dsl::BinaryOp::And;
  const auto side = [&](const dsl::Expr& one, const dsl::Expr& other) {
    const Guards before = guards_;
    guards_if(other, conjunction, &guards_);
    Typed value = wanted(one, ValueKind::Truth, "a condition");
    guards_ = before;
    return value;
  };
  const Typed left = side(*node.left, *node.right);
  const Typed right = side(*node.right, *node.left);
  if (!left.ok() || !right.ok()) return {};
  Typed out;
  out.type = truth_type();
  out.id = add(conjunction ? ExprKind::And : ExprKind::Or, e.span, out.type, left.id, right.id);
  return out;
}

Typed RuleChecker::arithmetic(const dsl::Expr& e, const dsl::BinaryExpr& node,
                              const model::Type* expected) {
  const bool sum = node.op == dsl::BinaryOp::Add;
  const model::Type length = plain(ValueKind::Duration, model::Reader::Length);
  const Typed left = expr(*node.left, expected);
  if (!left.ok()) {
    if (left.fact.valid()) wanted(*node.left, ValueKind::Int, "a number, duration or time");
    return {};
  }
  const bool timely = left.type.kind == ValueKind::Moment || left.type.kind == ValueKind::Duration;
  const Typed right = expr(*node.right, timely ? &length : &left.type);
  if (!right.ok()) return {};
  const ValueKind l = left.type.kind, r = right.type.kind;
  const bool same = l == r && (is_number(l) || l == ValueKind::Duration);
  const bool shift = r == ValueKind::Duration && l == ValueKind::Moment;
  if (!same && !shift) {
    Diagnostic& d = c.sink.emit<diag::TypeMismatch>(
        node.right->span, describe(right),
        fmt::format("what can be {} {}", sum ? "added to" : "taken from", describe(left)));
    if (l == ValueKind::Moment && r == ValueKind::Moment) {
      d.hint("how far two times lie apart is asked with `within A..B from x.begin to y.begin`");
    }
    return {};
  }
  Typed out;
  out.type = left.type;
  if (l == ValueKind::Int) out.type.reader = model::Reader::I64;
  out.nullable = left.nullable || right.nullable;
  out.id = add(sum ? ExprKind::Add : ExprKind::Sub, e.span, out.type, left.id, right.id);
  return out;
}

}  // namespace attrib::compiler
