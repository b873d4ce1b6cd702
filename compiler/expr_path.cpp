// Names and paths: `x`, `x.code`, `x.gpu.node`, `c.node.comm_ranks`, `row.bucket`, bare words.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/rule_checker.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

constexpr std::uint32_t kCaptureGuard = 0xfffffffe;
constexpr std::uint32_t kInputGuard = 0xfffffffd;

template <typename T>
model::Type words_type() {
  model::Type type{ValueKind::String, model::Reader::Choice, model::EntityKind::Node, {}};
  for (const auto word : model::words<T>()) type.words.emplace_back(word);
  return type;
}

model::Type attribute_type(model::Attribute attribute) {
  switch (attribute) {
    case model::Attribute::Role:
      return words_type<model::Role>();
    case model::Attribute::Domain:
      return words_type<model::Domain>();
    case model::Attribute::Severity:
      return words_type<model::Severity>();
    default:
      break;
  }
  model::Type type;
  for (const model::AttributeInfo& info : model::attributes()) {
    if (info.attribute == attribute) type.kind = info.kind;
  }
  if (type.kind == ValueKind::Entity) type.reader = model::Reader::Entity;
  if (type.kind == ValueKind::Int) type.reader = model::Reader::U64;
  if (type.kind == ValueKind::String) type.reader = model::Reader::Text;
  if (attribute == model::Attribute::Rank) type.entity = model::EntityKind::Rank;
  return type;
}

model::Type entity_type(model::EntityKind kind) {
  return {ValueKind::Entity, model::Reader::Entity, kind, {}};
}

}  // namespace

std::optional<GuardKey> RuleChecker::guard_key(const dsl::Expr& e) const {
  if (const auto* call = std::get_if<dsl::CallExpr>(&e.node)) {
    const bool input = call->callee.text == "label" || call->callee.text == "record";
    if (!input || call->args.empty()) return std::nullopt;
    const auto* key = std::get_if<dsl::Literal>(&call->args[0]->node);
    if (key == nullptr) return std::nullopt;
    // The text may be there and not read as a number.
    std::string name = fmt::format("{}{}:{}", kLenient, call->callee.text, key->text);
    for (std::size_t i = 1; i < call->args.size(); ++i) {
      const auto* reader = std::get_if<dsl::NameExpr>(&call->args[i]->node);
      if (reader == nullptr || reader->parts.size() != 1) return std::nullopt;
      name += ":" + reader->parts[0].text;
    }
    return GuardKey{kInputGuard, std::move(name)};
  }
  const auto* path = std::get_if<dsl::NameExpr>(&e.node);
  if (path == nullptr || path->parts.empty()) return std::nullopt;
  const std::string& head = path->parts[0].text;
  if (const Binding* bound = find_binding(head)) {
    if (!bound->var.valid()) {
      return path->parts.size() == 1 ? bound->value.key : std::nullopt;
    }
    if (path->parts.size() != 2) return std::nullopt;
    const bool row = rule.vars[bound->var.value].kind == VarKind::Row;
    return GuardKey{bound->var.value,
                    (row ? std::string(1, kLenient) : std::string()) + path->parts[1].text};
  }
  if (path->parts.size() == 1 && observation && !closed_) return GuardKey{kCaptureGuard, head};
  return std::nullopt;
}

Typed RuleChecker::readable(Typed value, const std::string& shown, Span span) {
  if (!value.nullable || !value.key) return value;
  if (guards_.contains(*value.key)) {
    value.nullable = false;
    return value;
  }
  if (null_ok_ || std::get<1>(*value.key).starts_with(kLenient)) return value;
  Diagnostic& d = c.sink.emit<diag::UnguardedField>(span, shown);
  d.hint(fmt::format("add `has {}` before it", shown));
  return {};
}

// What the first part of a path is: a variable, a capture, or something of the observation.
Typed RuleChecker::head(const dsl::Name& name, bool* found) {
  *found = true;
  Typed out;
  if (const Binding* bound = find_binding(name.text)) {
    if (!bound->var.valid()) return readable(bound->value, name.text, name.span);
    const Var& var = rule.vars[bound->var.value];
    if (var.kind != VarKind::Member) {
      out.fact = bound->var;
      return out;
    }
    if (!var.in.valid()) return out;
    out.type = entity_type(c.module.exprs[var.in.value].type.entity);
    out.kinds = {out.type.entity};
    Expr e;
    e.kind = ExprKind::Member;
    e.span = name.span;
    e.type = out.type;
    e.var = bound->var;
    out.id = add(std::move(e));
    return out;
  }
  const auto simple = [&](ExprKind kind, model::Type type) {
    out.type = std::move(type);
    if (out.type.kind == ValueKind::Entity) out.kinds = {out.type.entity};
    out.id = add(kind, name.span, out.type);
    return out;
  };
  if (observation && !closed_) {
    const auto capture =
        observation->captures == nullptr ? std::nullopt : observation->captures->find(name.text);
    if (capture) {
      Expr e;
      e.kind = ExprKind::Capture;
      e.span = name.span;
      e.type = observation->captures->all()[*capture].type;
      e.index = *capture;
      e.text = name.text;
      out.type = e.type;
      if (out.type.kind == ValueKind::Entity) out.kinds = {out.type.entity};
      out.nullable = !observation->sure.contains(*capture);
      out.key = GuardKey{kCaptureGuard, name.text};
      out = readable(out, name.text, name.span);
      if (out.key) out.id = add(std::move(e));
      return out;
    }
    if (name.text == "seen") {
      return simple(ExprKind::Seen, {ValueKind::Moment, {}, model::EntityKind::Node, {}});
    }
    if (name.text == "node") {
      return simple(ExprKind::ObservationNode, entity_type(model::EntityKind::Node));
    }
    if (name.text == "rank") {
      return simple(ExprKind::ObservationRank, entity_type(model::EntityKind::Rank));
    }
    if (observation->kind == ExtractKind::Lines && name.text == "message") {
      return simple(ExprKind::ObservationMessage,
                    {ValueKind::String, model::Reader::Text, model::EntityKind::Node, {}});
    }
    if (observation->kind == ExtractKind::Metric && name.text == "name") {
      return simple(ExprKind::MetricName,
                    {ValueKind::String, model::Reader::Token, model::EntityKind::Node, {}});
    }
    if (observation->kind == ExtractKind::Metric && name.text == "value") {
      return simple(ExprKind::MetricValue,
                    {ValueKind::Decimal, model::Reader::Dec, model::EntityKind::Node, {}});
    }
  }
  if (name.text == "attempt") {
    return simple(ExprKind::Attempt, entity_type(model::EntityKind::Attempt));
  }
  *found = false;
  return out;
}

Typed RuleChecker::check(const dsl::Expr& e, const dsl::NameExpr& node,
                         const model::Type* expected) {
  if (node.parts.empty()) return {};
  bool found = false;
  Typed value = head(node.parts[0], &found);
  if (!found) {
    std::string text;
    for (const dsl::Name& part : node.parts) text += (text.empty() ? "" : ".") + part.text;
    if (expected != nullptr && expected->kind == ValueKind::String) {
      return word_constant(text, e.span, *expected);
    }
    std::vector<std::string> known;
    for (const Binding& each : bindings_) known.push_back(each.name);
    if (observation && observation->captures != nullptr) {
      for (const Capture& each : observation->captures->all()) known.push_back(each.name);
    }
    report_unknown(c, "variable", {node.parts[0].text, node.parts[0].span}, known);
    return {};
  }
  Span so_far = node.parts[0].span;
  for (std::size_t i = 1; i < node.parts.size(); ++i) {
    if (!value.ok() && !value.fact.valid()) return {};
    value = step(value, node.parts[i], so_far);
    so_far.end = node.parts[i].span.end;
  }
  if (value.ok() && c.module.exprs[value.id.value].kind != ExprKind::Param &&
      node.parts.size() > 1) {
    c.module.exprs[value.id.value].span = e.span;
  }
  return value;
}

Typed RuleChecker::step(const Typed& from, const dsl::Name& part, Span so_far) {
  if (from.fact.valid()) {
    return rule.vars[from.fact.value].kind == VarKind::Row ? column_of(from.fact, part, so_far)
                                                           : field_of(from.fact, part, so_far);
  }
  Typed out;
  std::vector<std::string> known;
  if (from.type.kind == ValueKind::Entity && from.kinds.size() == 1) {
    const model::EntityKind kind = from.kinds[0];
    Expr e;
    e.span = part.span;
    e.a = from.id;
    if (const auto relation = model::find_relation(kind, part.text)) {
      e.kind = ExprKind::RelationOf;
      e.relation = *relation;
      for (const auto& info : model::relations()) {
        if (info.relation == *relation) e.type = entity_type(info.to);
      }
      out.kinds = {e.type.entity};
    } else if (const auto set = model::find_set(kind, part.text)) {
      e.kind = ExprKind::SetOf;
      e.set = *set;
      e.type.kind = ValueKind::Set;
      for (const auto& info : model::sets()) {
        if (info.set == *set) e.type.entity = info.element;
      }
    }
    if (e.kind != ExprKind::Constant) {
      out.type = e.type;
      out.nullable = from.nullable && e.kind == ExprKind::RelationOf;
      out.id = add(std::move(e));
      return out;
    }
    for (const auto& info : model::relations()) {
      if (info.from == kind) known.emplace_back(info.name);
    }
    for (const auto& info : model::sets()) {
      if (info.from == kind) known.emplace_back(info.name);
    }
  }
  Diagnostic& d = c.sink.emit<diag::UnknownField>(part.span, describe(from), part.text);
  if (const auto near = nearest(part.text, known)) {
    d.hint(fmt::format("did you mean `{}`?", *near));
  } else if (!known.empty()) {
    d.hint(fmt::format("it has {}", fmt::join(known, ", ")));
  }
  return {};
}

Typed RuleChecker::column_of(VarId var, const dsl::Name& part, Span so_far) {
  const std::uint32_t index = rule.vars[var.value].table;
  const model::Table& table = c.module.tables[index];
  std::vector<std::string> names;
  for (const model::ResultColumn& column : table.results) names.push_back(column.name);
  const auto at = std::find(names.begin(), names.end(), part.text);
  if (at == names.end()) {
    Diagnostic& d = c.sink.emit<diag::UnknownField>(
        part.span, fmt::format("a row of table `{}`", table.name), part.text);
    d.note(table.span, "the table is declared here");
    if (const auto near = nearest(part.text, names))
      d.hint(fmt::format("did you mean `{}`?", *near));
    return {};
  }
  Typed out;
  Expr e;
  e.kind = ExprKind::Cell;
  e.index = static_cast<std::uint32_t>(at - names.begin());
  e.type = table.results[e.index].type;
  e.span = part.span;
  e.var = var;
  e.text = part.text;
  out.type = e.type;
  if (out.type.kind == ValueKind::Entity) out.kinds = {out.type.entity};
  out.nullable = c.tables[index].optional_results[e.index];
  out.key = GuardKey{var.value, kLenient + part.text};
  out = readable(out, fmt::format("{}.{}", c.sources.text(so_far), part.text), part.span);
  out.id = add(std::move(e));
  return out;
}

Typed RuleChecker::field_of(VarId var, const dsl::Name& part, Span so_far) {
  const Scope scope = rule.vars[var.value].scope;
  const std::string shown = fmt::format("{}.{}", c.sources.text(so_far), part.text);
  const auto fields = [&](std::uint32_t type) -> const std::vector<model::Field>& {
    return scope.events ? c.module.events[type].fields : c.module.symptoms[type].fields;
  };
  const auto type_name = [&](std::uint32_t type) {
    return scope.events ? fmt::format("event `{}`", c.module.events[type].name)
                        : fmt::format("symptom `{}`", c.module.symptoms[type].name);
  };
  Typed out;
  std::size_t having = 0;
  std::uint32_t lacking = scope.types.empty() ? 0 : scope.types[0];
  Expr e;
  e.kind = ExprKind::FieldOf;
  for (const std::uint32_t type : scope.types) {
    const auto& list = fields(type);
    const auto at =
        std::find_if(list.begin(), list.end(), [&](const auto& f) { return f.name == part.text; });
    if (at == list.end()) {
      lacking = type;
      continue;
    }
    if (having++ == 0) {
      e.index = static_cast<std::uint32_t>(at - list.begin());
      e.type = at->type;
    } else if (at->type.kind != e.type.kind || at->type.entity != e.type.entity) {
      c.sink.emit<diag::CaptureTypes>(part.span, shown, describe(at->type), describe(e.type))
          .note(at->span, "declared here");
      return {};
    } else if (at->type != e.type) {
      // Words that only some of the types know: any word may be compared.
      e.type.words.clear();
      if (e.type.kind == ValueKind::String) e.type.reader = model::Reader::Word;
      if (e.type.kind == ValueKind::Int) e.type.reader = model::Reader::I64;
    }
    out.nullable = out.nullable || at->optional;
  }
  e.var = var;
  e.text = part.text;
  e.span = part.span;
  if (having > 0 && having == scope.types.size()) {
    out.type = e.type;
    if (out.type.kind == ValueKind::Entity) out.kinds = {out.type.entity};
    out.key = GuardKey{var.value, part.text};
    Span whole = so_far;
    whole.end = part.span.end;
    out = readable(out, shown, whole);
    if (out.key) out.id = add(std::move(e));
    return out;
  }
  // Not a field: an attribute, or the entity by the word of its kind (`x.gpu` of an event on Gpu).
  std::vector<model::EntityKind> kinds;
  for (const std::uint32_t type : scope.types) {
    if (scope.events) {
      kinds.push_back(c.module.events[type].on);
    } else {
      const auto& on = c.module.symptoms[type].on;
      kinds.insert(kinds.end(), on.begin(), on.end());
    }
  }
  if (scope.any) {
    for (std::size_t i = 0; i < model::entity_kind_names().size(); ++i) {
      kinds.push_back(static_cast<model::EntityKind>(i));
    }
  }
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  auto attribute = model::find_attribute(part.text);
  const bool by_word = kinds.size() == 1 && model::word(kinds[0]) == part.text;
  if (by_word && !attribute) attribute = model::Attribute::Entity;
  bool offered = attribute.has_value();
  for (const auto& info : model::attributes()) {
    if (attribute && info.attribute == *attribute) {
      offered = scope.events ? info.of_events : info.of_symptoms;
    }
  }
  if (!offered || having > 0) {
    const std::string owner =
        scope.types.empty() ? std::string("a symptom of any type") : type_name(lacking);
    Diagnostic& d = c.sink.emit<diag::UnknownField>(part.span, owner, part.text);
    std::vector<std::string> known;
    if (!scope.types.empty()) {
      for (const model::Field& field : fields(lacking)) known.push_back(field.name);
      d.note(scope.events ? c.module.events[lacking].span : c.module.symptoms[lacking].span,
             "declared here");
    }
    for (const auto& info : model::attributes()) {
      if (scope.events ? info.of_events : info.of_symptoms) known.emplace_back(info.name);
    }
    if (const auto near = nearest(part.text, known))
      d.hint(fmt::format("did you mean `{}`?", *near));
    return {};
  }
  e.kind = ExprKind::AttributeOf;
  e.attribute = *attribute;
  e.type = attribute_type(*attribute);
  e.text.clear();
  e.index = 0;
  if (*attribute == model::Attribute::Entity) {
    out.kinds = kinds;
    e.type.entity = kinds.front();
  } else if (e.type.kind == ValueKind::Entity) {
    out.kinds = {e.type.entity};
  }
  out.type = e.type;
  if (*attribute == model::Attribute::Name) {
    // For checking only: a comparison names a symptom that exists.
    for (const model::SymptomType& symptom : c.module.symptoms)
      out.type.words.push_back(symptom.name);
  }
  out.id = add(std::move(e));
  return out;
}

}  // namespace attrib::compiler
