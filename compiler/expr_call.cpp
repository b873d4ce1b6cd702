// Calls, lets and aggregates.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/limits.h"
#include "compiler/rule_checker.h"
#include "compiler/schema.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

model::Type truth_type() {
  return {ValueKind::Truth, model::Reader::Bool, model::EntityKind::Node, {}};
}

const dsl::Literal* text_literal(const dsl::Expr& e) {
  const auto* literal = std::get_if<dsl::Literal>(&e.node);
  return literal != nullptr && literal->kind == dsl::LiteralKind::Text ? literal : nullptr;
}

// A reader that makes a plain value of any text.
std::optional<model::Reader> reader_named(const dsl::Expr& e) {
  const auto* name = std::get_if<dsl::NameExpr>(&e.node);
  if (name == nullptr || name->parts.size() != 1) return std::nullopt;
  const auto reader = model::parse_reader(name->parts[0].text);
  if (reader == model::Reader::Choice || reader == model::Reader::Entity) return std::nullopt;
  return reader;
}

}  // namespace

bool RuleChecker::arguments(const dsl::CallExpr& node, std::size_t count, const std::string& what) {
  if (node.args.size() == count) return true;
  c.sink.emit<diag::BadArguments>(node.callee.span, node.callee.text, what);
  return false;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::CallExpr& node, const model::Type*) {
  const std::string& name = node.callee.text;
  for (const auto test :
       {model::TextTest::Contains, model::TextTest::StartsWith, model::TextTest::EndsWith}) {
    if (name == model::to_text(test)) return call_text_test(e, node, test);
  }
  if (name == "label" || name == "record") return call_input(e, node);
  if (name == "communicator" || name == "collective") return call_entity(e, node);
  if (name == "bursts" || name == "solo") return call_history(e, node, name == "bursts");
  if (name == "tied" || name == "related") return call_pair(e, node, name == "tied");
  return call_let(e, node);
}

Typed RuleChecker::call_text_test(const dsl::Expr& e, const dsl::CallExpr& node,
                                  model::TextTest test) {
  if (!arguments(node, 2, "a word and what to look for")) return {};
  // Not a bare word: a misspelt variable would be one.
  const Typed text = expr(*node.args[0]);
  if (text.fact.valid() || (text.ok() && text.type.kind != ValueKind::String)) {
    c.sink.emit<diag::TypeMismatch>(node.args[0]->span, describe(text), "a word or text");
    return {};
  }
  if (!text.ok()) return {};
  // A part of a word need not be one of the field's words.
  const Typed part = wanted(*node.args[1], ValueKind::String, "a word or text");
  if (!part.ok()) return {};
  Expr made;
  made.kind = ExprKind::TextTest;
  made.span = e.span;
  made.type = truth_type();
  made.a = text.id;
  made.b = part.id;
  made.text_test = test;
  Typed out;
  out.type = made.type;
  out.id = add(std::move(made));
  return out;
}

Typed RuleChecker::call_input(const dsl::Expr& e, const dsl::CallExpr& node) {
  const bool label = node.callee.text == "label";
  const ExtractKind kind = label ? ExtractKind::Metric : ExtractKind::Record;
  if (!allowed(observation && observation->kind == kind && !closed_, e.span,
               fmt::format("`{}()`", node.callee.text))) {
    return {};
  }
  constexpr const char* kWanted = "one text, the name, and perhaps how to read it: `\"gpu\", u32`";
  if (node.args.size() != 2 && !arguments(node, 1, kWanted)) return {};
  const dsl::Literal* key = text_literal(*node.args[0]);
  if (key == nullptr) {
    c.sink.emit<diag::BadArguments>(node.args[0]->span, node.callee.text, kWanted);
    return {};
  }
  Expr made;
  made.kind = label ? ExprKind::MetricLabel : ExprKind::RecordField;
  made.span = e.span;
  made.type = {ValueKind::String, model::Reader::Text, model::EntityKind::Node, {}};
  made.text = key->text;
  Typed out;
  out.type = made.type;
  out.nullable = true;
  out.key = guard_key(e);
  out = readable(out, std::string(c.sources.text(e.span)), e.span);
  if (node.args.size() == 2) {
    const auto read_as = reader_named(*node.args[1]);
    if (!read_as) {
      c.sink.emit<diag::BadArguments>(node.args[1]->span, node.callee.text, kWanted);
      return {};
    }
    out.type = {model::info(*read_as).kind, *read_as, model::EntityKind::Node, {}};
    const ExprId text = add(std::move(made));
    out.id = add(ExprKind::ReadText, e.span, out.type, text);
    return out;
  }
  out.id = add(std::move(made));
  return out;
}

Typed RuleChecker::call_entity(const dsl::Expr& e, const dsl::CallExpr& node) {
  const bool collective = node.callee.text == "collective";
  if (!arguments(node, collective ? 2 : 1,
                 collective ? "a communicator (or its name) and a number" : "a name")) {
    return {};
  }
  Typed out;
  out.type = {ValueKind::Entity,
              model::Reader::Entity,
              collective ? model::EntityKind::Collective : model::EntityKind::Communicator,
              {}};
  out.kinds = {out.type.entity};
  const model::Type word{ValueKind::String, model::Reader::Word, model::EntityKind::Node, {}};
  const Typed name = expr(*node.args[0], &word);
  const bool comm = name.ok() && name.type.kind == ValueKind::Entity &&
                    name.type.entity == model::EntityKind::Communicator;
  if (name.ok() && name.type.kind != ValueKind::String && !(collective && comm)) {
    c.sink.emit<diag::TypeMismatch>(node.args[0]->span, describe(name),
                                    collective ? "a communicator or its name" : "a name");
    return {};
  }
  Typed number;
  if (collective) number = wanted(*node.args[1], ValueKind::Int, "a number");
  if (!name.ok() || (collective && !number.ok())) return {};
  out.nullable = name.nullable || number.nullable;
  out.id = add(collective ? ExprKind::MakeCollective : ExprKind::MakeCommunicator, e.span, out.type,
               name.id, number.id);
  return out;
}

std::optional<VarId> RuleChecker::fact_argument(const dsl::Expr& e) {
  const auto* name = std::get_if<dsl::NameExpr>(&e.node);
  if (name == nullptr || name->parts.size() != 1) {
    c.sink.emit<diag::TypeMismatch>(e.span, "an expression", "the name of a fact of this rule");
    return std::nullopt;
  }
  const auto var = fact_named(name->parts[0]);
  if (var && rule.vars[var->value].scope.events) {
    c.sink.emit<diag::TypeMismatch>(e.span, "an event", "a symptom");
    return std::nullopt;
  }
  return var;
}

Typed RuleChecker::call_history(const dsl::Expr& e, const dsl::CallExpr& node, bool bursts) {
  const bool here = rule.kind == RuleKind::Infer || rule.kind == RuleKind::Demote ||
                    rule.kind == RuleKind::Outcome;
  if (!allowed(here, e.span, fmt::format("`{}()`", node.callee.text))) return {};
  if (!arguments(node, 2, "a symptom and a duration: `x, 24h`")) return {};
  const auto var = fact_argument(*node.args[0]);
  const Typed length = wanted(*node.args[1], ValueKind::Duration, "a duration");
  if (!var || !length.ok()) return {};
  Expr made;
  made.kind = bursts ? ExprKind::Bursts : ExprKind::Solo;
  made.span = e.span;
  made.type = bursts ? model::Type{ValueKind::Int, model::Reader::U64, model::EntityKind::Node, {}}
                     : truth_type();
  made.var = *var;
  made.a = length.id;
  Typed out;
  out.type = made.type;
  out.id = add(std::move(made));
  return out;
}

Typed RuleChecker::call_pair(const dsl::Expr& e, const dsl::CallExpr& node, bool tied) {
  if (!allowed(rule.kind == RuleKind::Ambiguous, e.span, fmt::format("`{}()`", node.callee.text)) ||
      !arguments(node, 2, "two of the roots: `a, b`")) {
    return {};
  }
  const auto a = fact_argument(*node.args[0]);
  const auto b = fact_argument(*node.args[1]);
  if (!a || !b) return {};
  Expr made;
  made.kind = tied ? ExprKind::Tied : ExprKind::Related;
  made.span = e.span;
  made.type = truth_type();
  made.var = *a;
  made.second_var = *b;
  Typed out;
  out.type = made.type;
  out.id = add(std::move(made));
  return out;
}

// A let is inlined: its body is checked anew with its parameters bound to the arguments, and sees
// nothing else.
Typed RuleChecker::call_let(const dsl::Expr& e, const dsl::CallExpr& node) {
  const auto found = c.names.lets.find(node.callee.text);
  if (found == c.names.lets.end()) {
    std::vector<std::string> known = {"contains", "starts_with", "ends_with",    "label",
                                      "record",   "collective",  "communicator", "bursts",
                                      "solo",     "tied",        "related"};
    for (const auto& [name, unused] : c.names.lets) known.push_back(name);
    report_unknown(c, "let or function", node.callee, known);
    return {};
  }
  const dsl::LetDecl& let = *found->second.decl;
  check_used(c, "let", node.callee, found->second.pack);
  if (c.broken_lets.contains(let.name.text)) return {};
  if (let_depth_ >= kMaxLetDepth) {
    within_limit(c, e.span, let_depth_ + 1, kMaxLetDepth, fmt::format("rule `{}`", rule.name),
                 "lets inside one another");
    return {};
  }
  if (!arguments(node, let.params.size(), fmt::format("{} arguments", let.params.size())))
    return {};
  std::vector<Binding> frame;
  for (std::size_t i = 0; i < let.params.size(); ++i) {
    if (!bind_let_param(let.params[i], *node.args[i], &frame)) return {};
  }
  const std::string pack = c.pack;
  const bool closed = closed_, null_ok = null_ok_;
  std::swap(bindings_, frame);
  closed_ = true;
  null_ok_ = false;
  c.pack = found->second.pack;
  ++let_depth_;
  Typed value = wanted(*let.body, ValueKind::Truth, "a condition");
  --let_depth_;
  c.pack = pack;
  closed_ = closed;
  null_ok_ = null_ok;
  std::swap(bindings_, frame);
  return value;
}

bool RuleChecker::bind_let_param(const dsl::FieldDecl& param, const dsl::Expr& argument,
                                 std::vector<Binding>* frame) {
  const std::string& type_name = param.type.name.text;
  const auto event = c.names.events.find(type_name);
  const auto symptom = c.names.symptoms.find(type_name);
  if (param.type.words.empty() &&
      (event != c.names.events.end() || symptom != c.names.symptoms.end())) {
    const auto* name = std::get_if<dsl::NameExpr>(&argument.node);
    const auto var =
        name != nullptr && name->parts.size() == 1 ? fact_named(name->parts[0]) : std::nullopt;
    if (!var) return false;
    const Scope& scope = rule.vars[var->value].scope;
    const bool is_event = event != c.names.events.end();
    const auto index =
        static_cast<std::uint32_t>(is_event ? std::distance(c.names.events.begin(), event)
                                            : std::distance(c.names.symptoms.begin(), symptom));
    if (scope.any || scope.events != is_event || scope.types != std::vector{index}) {
      c.sink
          .emit<diag::TypeMismatch>(argument.span, fmt::format("`{}`", name->parts[0].text),
                                    fmt::format("a `{}`", type_name))
          .note(param.name.span, "declared here");
      return false;
    }
    frame->push_back({param.name.text, param.name.span, *var, {}});
    return true;
  }
  const auto type = resolve_type(c, param.type);
  if (!type) return false;
  const bool null_ok = null_ok_;
  null_ok_ = null_ok_ || param.type.optional;
  Typed value = expr(argument, &*type);
  null_ok_ = null_ok;
  if (!value.ok()) {
    if (value.fact.valid()) {
      c.sink.emit<diag::TypeMismatch>(argument.span, describe(value), describe(*type));
    }
    return false;
  }
  const bool same = value.type.kind == type->kind &&
                    (type->kind != ValueKind::Entity || value.kinds == std::vector{type->entity});
  if (!same) {
    c.sink.emit<diag::TypeMismatch>(argument.span, describe(value), describe(*type))
        .note(param.name.span, "declared here");
    return false;
  }
  frame->push_back({param.name.text, param.name.span, {}, std::move(value)});
  return true;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::AggregateExpr& node, const model::Type*) {
  const bool here = rule.kind == RuleKind::Infer || rule.kind == RuleKind::Outcome;
  if (!allowed(here && !closed_, e.span, "an aggregate")) return {};
  if (in_query_) {
    c.sink.emit<diag::NotAllowedHere>(e.span, "an aggregate", "another aggregate or an `absent`");
    return {};
  }
  const dsl::AggregateKind kind = node.kind;
  const auto bound = bindings_;
  const Guards guarded = guards_;
  const Facts facts = rule.kind == RuleKind::Outcome ? Facts::Symptoms : Facts::Either;
  Typed over;
  if (node.over) over = wanted(*node.over, ValueKind::Set, "a set of entities");
  in_query_ = true;
  const auto id = next_var(node.variable, node.variable.span);
  const auto scope = scope_of(node.types, facts);
  Typed value;
  bool good = id && scope;
  if (good) {
    rule.vars[id->value].scope = *scope;
    good = bind(node.variable, *id, {});
  }
  if (good && node.where) {
    const ExprId where = condition(*node.where);
    rule.vars[id->value].where = where;
    good = where.valid();
  }
  if (good && node.value) {
    const bool null_ok = null_ok_;
    null_ok_ = true;  // Values that are null are not collected.
    value = expr(*node.value);
    null_ok_ = null_ok;
  }
  in_query_ = false;
  bindings_ = bound;
  guards_ = guarded;
  if (!good || (node.over && !over.ok())) return {};
  if (kind != dsl::AggregateKind::Count) {
    const ValueKind k = value.type.kind;
    const bool ordered = k == ValueKind::Int || k == ValueKind::Duration ||
                         k == ValueKind::Decimal || k == ValueKind::String;
    const bool equal = ordered || k == ValueKind::Entity || k == ValueKind::Truth;
    if (value.fact.valid() ||
        (value.ok() && !(kind == dsl::AggregateKind::Least ? ordered : equal))) {
      c.sink.emit<diag::TypeMismatch>(node.value->span, describe(value),
                                      "a number, duration, decimal or word");
      return {};
    }
    if (!value.ok()) return {};
  }
  Expr made;
  made.kind = ExprKind::Aggregate;
  made.span = e.span;
  made.aggregate = static_cast<Aggregate>(kind);
  made.a = value.id;
  made.query.value = static_cast<std::uint32_t>(c.module.queries.size());
  c.module.queries.push_back({*id, over.id});
  const bool counts =
      kind == dsl::AggregateKind::Count || kind == dsl::AggregateKind::CountDistinct;
  made.type = counts
                  ? model::Type{ValueKind::Count, model::Reader::U64, model::EntityKind::Node, {}}
                  : value.type;
  Typed out;
  out.type = made.type;
  out.kinds = value.kinds;
  out.nullable = !counts;
  out.id = add(std::move(made));
  return out;
}

}  // namespace attrib::compiler
