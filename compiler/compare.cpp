// Comparisons and tests: `==`, `in`, `has`, `rises`.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/rule_checker.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

const model::Type& truth_type() {
  static const model::Type kType{
      ValueKind::Truth, model::Reader::Bool, model::EntityKind::Node, {}};
  return kType;
}

bool is_number(ValueKind kind) { return kind == ValueKind::Int || kind == ValueKind::Decimal; }

}  // namespace

bool RuleChecker::is_word(const dsl::Expr& e) const {
  if (std::holds_alternative<dsl::Literal>(e.node)) return true;
  const auto* name = std::get_if<dsl::NameExpr>(&e.node);
  if (name == nullptr || name->parts.empty()) return false;
  const std::string& head = name->parts.front().text;
  if (find_binding(head) != nullptr || head == "attempt") return false;
  if (!observation || closed_) return true;
  if (head == "seen" || head == "node" || head == "rank") return false;
  if (observation->kind == ExtractKind::Lines && head == "message") return false;
  if (observation->kind == ExtractKind::Metric && (head == "name" || head == "value")) return false;
  return observation->captures == nullptr || !observation->captures->find(head);
}

Typed RuleChecker::compare(const dsl::Expr& e, const dsl::BinaryExpr& node) {
  const auto op = static_cast<model::Compare>(static_cast<int>(node.op) -
                                              static_cast<int>(dsl::BinaryOp::Equal));
  // A bare word or literal takes its type from the other side.
  Typed left, right;
  if (is_word(*node.left) && !is_word(*node.right)) {
    right = expr(*node.right);
    if (right.ok()) left = expr(*node.left, &right.type);
  } else {
    left = expr(*node.left);
    if (left.ok()) right = expr(*node.right, &left.type);
  }
  for (const auto& [side, at] : {std::pair{&left, &node.left}, {&right, &node.right}}) {
    if (!side->fact.valid()) continue;
    c.sink.emit<diag::TypeMismatch>((*at)->span, describe(*side), "a value")
        .hint("compare a field of it, or `.entity`");
    return {};
  }
  if (!left.ok() || !right.ok() || !comparable(e, left, right, op)) return {};
  check_constant(left, right, *node.right);
  check_constant(right, left, *node.left);
  Expr made;
  made.kind = ExprKind::Compare;
  made.span = e.span;
  made.type = truth_type();
  made.a = left.id;
  made.b = right.id;
  made.compare = op;
  Typed out;
  out.type = made.type;
  out.id = add(std::move(made));
  return out;
}

bool RuleChecker::comparable(const dsl::Expr& e, const Typed& a, const Typed& b,
                             model::Compare op) {
  const ValueKind l = a.type.kind, r = b.type.kind;
  const bool equality = op == model::Compare::Equal || op == model::Compare::NotEqual;
  bool good = l == r;
  if (is_number(l) && is_number(r)) good = true;
  if ((l == ValueKind::Count && r == ValueKind::Int) ||
      (l == ValueKind::Int && r == ValueKind::Count)) {
    good = true;
  } else if (l == ValueKind::Count || l == ValueKind::Moment || l == ValueKind::Set) {
    good = false;
  }
  if ((l == ValueKind::Entity || l == ValueKind::Truth) && !equality) good = false;
  if (good && l == ValueKind::Entity) {
    good = std::any_of(a.kinds.begin(), a.kinds.end(), [&](const auto kind) {
      return std::find(b.kinds.begin(), b.kinds.end(), kind) != b.kinds.end();
    });
  }
  if (good) return true;
  Diagnostic& d = c.sink.emit<diag::Uncomparable>(e.span, describe(a), describe(b));
  if (l == ValueKind::Moment || r == ValueKind::Moment) {
    d.hint(
        "times are intervals: use `within A..B from x.begin to y.begin`, or `absent ... during`");
  } else if (l == ValueKind::Entity && r == ValueKind::Entity && !equality) {
    d.hint("entities have no order: only == and !=");
  } else if ((l == ValueKind::Duration) != (r == ValueKind::Duration)) {
    d.hint("a duration is written with its unit: 60s");
  }
  return false;
}

// A constant that the other side can never be is a mistake, not a rule that never fires.
void RuleChecker::check_constant(const Typed& subject, const Typed& value, const dsl::Expr& where) {
  const Expr& literal = c.module.exprs[value.id.value];
  const Expr& other = c.module.exprs[subject.id.value];
  if (literal.kind != ExprKind::Constant || other.kind == ExprKind::Constant) return;
  if (subject.type.kind == ValueKind::Int && literal.constant.kind == ValueKind::Int &&
      !in_range(subject.type, literal.constant.number)) {
    c.sink.emit<diag::OutOfRange>(where.span, model::to_text(literal.constant),
                                  model::to_text(subject.type));
    return;
  }
  if (other.kind != ExprKind::Cell || subject.type.kind != ValueKind::String) return;
  const model::Table& table = c.module.tables[rule.vars[other.var.value].table];
  const auto holds = [&](const model::TableRow& row) {
    return other.index < row.results.size() && row.results[other.index] == literal.constant;
  };
  if (table.rows.empty() || holds(table.default_row) ||
      std::any_of(table.rows.begin(), table.rows.end(), holds)) {
    return;
  }
  std::vector<std::string> words;
  for (const model::TableRow& row : table.rows) {
    if (other.index < row.results.size()) words.push_back(row.results[other.index].text);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  Diagnostic& d = c.sink.emit<diag::WordNotInTable>(where.span, table.name, literal.constant.text,
                                                    table.results[other.index].name);
  if (const auto near = nearest(literal.constant.text, words)) {
    d.hint(fmt::format("did you mean `{}`?", *near));
  }
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::HasExpr& node, const model::Type*) {
  if (node.object) return has_tag(e, node);
  const bool before = null_ok_;
  null_ok_ = true;
  const Typed inner = expr(*node.what);
  null_ok_ = before;
  if (inner.fact.valid()) {
    c.sink.emit<diag::TypeMismatch>(node.what->span, describe(inner), "a field that may be null");
    return {};
  }
  if (!inner.ok()) return {};
  Typed out;
  out.type = truth_type();
  out.id = add(ExprKind::Has, e.span, out.type, inner.id);
  return out;
}

Typed RuleChecker::has_tag(const dsl::Expr& e, const dsl::HasExpr& node) {
  const auto* object = std::get_if<dsl::NameExpr>(&node.object->node);
  const auto* tag = std::get_if<dsl::NameExpr>(&node.what->node);
  if (object == nullptr || object->parts.size() != 2 || object->parts[1].text != "tags" ||
      tag == nullptr || tag->parts.size() != 1) {
    c.sink.emit<diag::BadArguments>(e.span, "has", "the tags of a symptom: `c.tags has fatal`");
    return {};
  }
  const auto var = fact_named(object->parts[0]);
  if (!var) return {};
  if (rule.vars[var->value].scope.events) {
    allowed(false, object->parts[1].span, "`tags` of an event");
    return {};
  }
  std::vector<std::string> tags;
  for (const model::SymptomType& symptom : c.module.symptoms) {
    tags.insert(tags.end(), symptom.tags.begin(), symptom.tags.end());
  }
  const dsl::Name& word = tag->parts[0];
  if (std::find(tags.begin(), tags.end(), word.text) == tags.end()) {
    Diagnostic& d = c.sink.emit<diag::UnknownTag>(word.span, word.text);
    if (const auto near = nearest(word.text, tags))
      d.hint(fmt::format("did you mean `{}`?", *near));
    return {};
  }
  Expr made;
  made.kind = ExprKind::HasTag;
  made.span = e.span;
  made.type = truth_type();
  made.var = *var;
  made.text = word.text;
  Typed out;
  out.type = made.type;
  out.id = add(std::move(made));
  return out;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::InExpr& node, const model::Type*) {
  if (node.is_list) return in_list(e, node);
  const Typed value = wanted(*node.value, ValueKind::Entity, "an entity");
  const Typed set = wanted(*node.set, ValueKind::Set, "a set of entities, or a list in brackets");
  if (!value.ok() || !set.ok()) return {};
  if (std::find(value.kinds.begin(), value.kinds.end(), set.type.entity) == value.kinds.end()) {
    c.sink.emit<diag::Uncomparable>(e.span, describe(value), describe(set));
    return {};
  }
  Typed out;
  out.type = truth_type();
  out.id = add(ExprKind::InSet, e.span, out.type, value.id, set.id);
  return out;
}

Typed RuleChecker::in_list(const dsl::Expr& e, const dsl::InExpr& node) {
  const Typed value = expr(*node.value);
  if (value.fact.valid()) {
    c.sink.emit<diag::TypeMismatch>(node.value->span, describe(value), "a value");
  }
  if (!value.ok()) return {};
  Expr made;
  made.kind = ExprKind::InList;
  made.span = e.span;
  made.type = truth_type();
  made.a = value.id;
  bool good = true;
  for (const dsl::ExprPtr& item : node.list) {
    const Typed each = expr(*item, &value.type);
    if (!each.ok() || !comparable(*item, value, each, model::Compare::Equal)) {
      good = false;
      continue;
    }
    const Expr& literal = c.module.exprs[each.id.value];
    if (literal.kind != ExprKind::Constant) {
      c.sink.emit<diag::TypeMismatch>(item->span, "computed", "a constant");
      good = false;
      continue;
    }
    made.list.push_back(literal.constant);
    check_constant(value, each, *item);
  }
  if (!good) return {};
  if (made.list.empty()) {
    c.sink.emit<diag::BadArguments>(e.span, "in", "a list with at least one value");
    return {};
  }
  Typed out;
  out.type = made.type;
  out.id = add(std::move(made));
  return out;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::RisesExpr& node, const model::Type*) {
  const auto* name = node.value ? std::get_if<dsl::NameExpr>(&node.value->node) : nullptr;
  const bool metric = observation && observation->kind == ExtractKind::Metric && !closed_;
  if (!allowed(metric, e.span, "`rises`")) return {};
  if (name == nullptr || name->parts.size() != 1 || name->parts[0].text != "value") {
    c.sink.emit<diag::BadArguments>(e.span, "rises", "the sample's value: `value rises`");
    return {};
  }
  Typed out;
  out.type = truth_type();
  out.id = add(ExprKind::MetricRises, e.span, out.type);
  return out;
}

}  // namespace attrib::compiler
