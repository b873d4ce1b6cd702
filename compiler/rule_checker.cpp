#include "compiler/rule_checker.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/constants.h"
#include "compiler/limits.h"
#include "compiler/schema.h"

namespace attrib::compiler {

RuleChecker::RuleChecker(Context& context, RuleKind kind, const dsl::Name& name, std::string pack)
    : c(context) {
  rule.kind = kind;
  rule.name = name.text;
  rule.pack = pack;
  rule.span = name.span;
  c.pack = std::move(pack);
}

const char* RuleChecker::stage() const {
  switch (rule.kind) {
    case RuleKind::Extract:
      return "an extract";
    case RuleKind::Decode:
      return "a decode rule";
    case RuleKind::Infer:
      return "an infer rule";
    case RuleKind::Demote:
      return "a demote rule";
    case RuleKind::Outcome:
      return "an outcome rule";
    case RuleKind::Ambiguous:
      return "an ambiguous rule";
  }
  return "";
}

void RuleChecker::reserve(std::size_t own, Span span) {
  within_limit(c, span, own, kMaxVariables, fmt::format("rule `{}`", rule.name), "variables");
  own_ = own;
  rule.own_vars = static_cast<std::uint32_t>(own);
  rule.vars.resize(own);
}

bool RuleChecker::bind(const dsl::Name& name, VarId var, Typed value) {
  for (const Binding& each : bindings_) {
    if (each.name != name.text) continue;
    c.sink.emit<diag::DuplicateName>(name.span, "variable", name.text)
        .note(each.span, "first declared here");
    return false;
  }
  bindings_.push_back({name.text, name.span, var, std::move(value)});
  return true;
}

const RuleChecker::Binding* RuleChecker::find_binding(const std::string& name) const {
  for (auto at = bindings_.rbegin(); at != bindings_.rend(); ++at) {
    if (at->name == name) return &*at;
  }
  return nullptr;
}

// The next own variable, or a query's. Names are bound by the caller, after what may not see them.
std::optional<VarId> RuleChecker::next_var(const dsl::Name& name, Span span) {
  VarId id;
  if (in_query_) {
    id.value = static_cast<std::uint32_t>(rule.vars.size());
    rule.vars.emplace_back();
  } else {
    if (own_declared_ >= own_) return std::nullopt;
    id.value = static_cast<std::uint32_t>(own_declared_++);
  }
  rule.vars[id.value].name = name.text;
  rule.vars[id.value].span = span;
  return id;
}

std::optional<Scope> RuleChecker::scope_of(const std::vector<dsl::Name>& types, Facts facts) {
  Scope scope;
  if (types.size() == 1 && types[0].text == "any") {
    if (!allowed(facts != Facts::Events, types[0].span, "`any`, which is all symptoms,")) {
      return std::nullopt;
    }
    scope.any = true;
    return scope;
  }
  bool good = true;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const dsl::Name& name = types[i];
    const bool event = !name.text.empty() && name.text[0] >= 'A' && name.text[0] <= 'Z';
    if ((event && facts == Facts::Symptoms) || (!event && facts == Facts::Events)) {
      allowed(false, name.span, fmt::format("{} `{}`", event ? "event" : "symptom", name.text));
      return std::nullopt;
    }
    if (i > 0 && event != scope.events) {
      c.sink.emit<diag::TypeMismatch>(
          name.span, event ? "an event" : "a symptom",
          event ? "a symptom, like the first" : "an event, like the first");
      return std::nullopt;
    }
    scope.events = event;
    const auto index = event ? find_event(c, name) : find_symptom(c, name);
    good = good && index.has_value();
    if (index) scope.types.push_back(*index);
  }
  if (!good || scope.types.empty()) return std::nullopt;
  std::sort(scope.types.begin(), scope.types.end());
  if (std::adjacent_find(scope.types.begin(), scope.types.end()) != scope.types.end()) {
    c.sink.emit<diag::DuplicateName>(types[0].span, "alternative of variable", "type");
    return std::nullopt;
  }
  return scope;
}

void RuleChecker::where_of(VarId var, const dsl::ExprPtr& where) {
  if (!where) return;
  const ExprId checked = condition(*where);
  rule.vars[var.value].where = checked;
}

std::optional<VarId> RuleChecker::declare_fact(const dsl::VariableDecl& decl, Facts wanted_facts) {
  const auto id = next_var(decl.name, decl.span);
  const auto scope = scope_of(decl.types, wanted_facts);
  if (!id || !scope) return std::nullopt;
  rule.vars[id->value].kind = VarKind::Fact;
  rule.vars[id->value].scope = *scope;
  if (!bind(decl.name, *id, {})) return std::nullopt;
  where_of(*id, decl.where);
  return id;
}

std::optional<VarId> RuleChecker::declare_any(const dsl::Name& name) {
  const auto id = next_var(name, name.span);
  if (!id) return std::nullopt;
  rule.vars[id->value].kind = VarKind::Fact;
  rule.vars[id->value].scope.any = true;
  if (!bind(name, *id, {})) return std::nullopt;
  return id;
}

std::optional<VarId> RuleChecker::declare_member(const dsl::VariableDecl& decl,
                                                 const dsl::Expr& set) {
  const auto id = next_var(decl.name, decl.span);
  if (!id) return std::nullopt;
  const auto kind = decl.types.empty() ? std::nullopt : resolve_kind(c, decl.types.front());
  const Typed in = wanted(set, model::ValueKind::Set, "a set of entities");
  if (!kind || !in.ok()) return std::nullopt;
  if (in.type.entity != *kind) {
    c.sink.emit<diag::TypeMismatch>(set.span, describe(in),
                                    fmt::format("a set of {}", decl.types.front().text));
    return std::nullopt;
  }
  Var& var = rule.vars[id->value];
  var.kind = VarKind::Member;
  var.in = in.id;
  if (!bind(decl.name, *id, {})) return std::nullopt;
  where_of(*id, decl.where);
  return id;
}

std::optional<VarId> RuleChecker::declare_row(const dsl::LookupDecl& lookup) {
  const auto id = next_var(lookup.row, lookup.span);
  const auto index = find_table(c, lookup.table);
  if (!id || !index) return std::nullopt;
  const model::Table& table = c.module.tables[*index];
  Var row;
  row.name = lookup.row.text;
  row.span = lookup.span;
  row.kind = VarKind::Row;
  row.table = *index;
  if (lookup.keys.size() != table.keys.size()) {
    c.sink
        .emit<diag::BadArguments>(lookup.span, lookup.table.text,
                                  fmt::format("{} keys", table.keys.size()))
        .note(table.span, "declared here");
    return std::nullopt;
  }
  bool good = true;
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const model::KeyColumn& column = table.keys[i];
    const Typed key = expr(*lookup.keys[i], &column.type);
    if (key.ok() && key.type.kind != column.type.kind) {
      c.sink
          .emit<diag::TypeMismatch>(
              lookup.keys[i]->span, describe(key),
              fmt::format("{} for key `{}`", describe(column.type), column.name))
          .note(table.span, "the table is declared here");
      good = false;
    }
    good = good && key.ok();
    row.keys.push_back(key.id);
  }
  rule.vars[id->value] = std::move(row);
  if (!bind(lookup.row, *id, {}) || !good) return std::nullopt;
  return id;
}

// The range of a parameter has its type and holds its value.
void RuleChecker::param_range(const dsl::ParamDecl& decl, const model::Type& type, Param* param) {
  const auto end_of = [&](const dsl::ExprPtr& e, model::Constant* out) {
    const auto value = literal_value(*e);
    const auto fit = value ? fit_constant(type, *value) : std::nullopt;
    if (fit) {
      *out = *fit;
    } else if (value && value->kind == model::ValueKind::Int &&
               type.kind == model::ValueKind::Duration) {
      c.sink.emit<diag::BareNumber>(e->span, model::to_text(*value))
          .hint(fmt::format("write `{}s`", model::to_text(*value)));
    } else {
      c.sink.emit<diag::TypeMismatch>(e->span, fmt::format("`{}`", c.sources.text(e->span)),
                                      fmt::format("{}, like the parameter", describe(type)));
    }
    return fit.has_value();
  };
  const bool low = end_of(decl.low, &param->low);
  const bool high = end_of(decl.high, &param->high);
  if (low && high && (param->value < param->low || param->high < param->value)) {
    c.sink.emit<diag::ParamRange>(decl.value->span, param->name, model::to_text(param->value),
                                  model::to_text(param->low), model::to_text(param->high));
  }
}

void RuleChecker::declare_param(const dsl::ParamDecl& decl) {
  const auto constant_value = literal_value(*decl.value);
  const Typed value = expr(*decl.value);
  if (!value.ok()) return;
  if (!constant_value || c.module.exprs[value.id.value].kind != ExprKind::Constant) {
    c.sink.emit<diag::TypeMismatch>(decl.value->span, "computed", "a constant");
    return;
  }
  Param param;
  param.name = decl.name.text;
  param.span = decl.name.span;
  param.value = c.module.exprs[value.id.value].constant;
  if (decl.low && decl.high) param_range(decl, value.type, &param);
  Expr read;
  read.kind = ExprKind::Param;
  read.type = value.type;
  read.span = decl.name.span;
  read.index = static_cast<std::uint32_t>(rule.params.size());
  read.text = param.name;
  Typed bound;
  bound.id = add(std::move(read));
  bound.type = value.type;
  if (bind(decl.name, {}, bound)) rule.params.push_back(std::move(param));
}

AbsentTest RuleChecker::absent(const dsl::AbsentDecl& decl) {
  AbsentTest out;
  out.span = decl.span;
  range(decl.during, &out.from, &out.to);
  if (!decl.during.to) {
    c.sink.emit<diag::BadArguments>(decl.during.span, "during", "two times, `A..B`");
  }
  for (const dsl::Name& name : decl.sources) {
    if (const auto kind = find_word_of<model::SourceKind>(c, "source", name)) {
      out.sources = static_cast<model::SourceMask>(out.sources | model::source_bit(*kind));
    }
  }
  if (decl.of) out.of = wanted(*decl.of, model::ValueKind::Entity, "an entity").id;
  const auto bound = bindings_;
  const Guards guarded = guards_;
  in_query_ = true;
  const auto var = declare_fact(decl.variable, Facts::Either);
  in_query_ = false;
  bindings_ = bound;
  guards_ = guarded;
  if (var) {
    out.query.value = static_cast<std::uint32_t>(c.module.queries.size());
    c.module.queries.push_back({*var, {}});
  }
  return out;
}

std::optional<VarId> RuleChecker::fact_named(const dsl::Name& name) {
  const Binding* found = find_binding(name.text);
  if (found != nullptr && found->var.valid() && rule.vars[found->var.value].kind == VarKind::Fact) {
    return found->var;
  }
  std::vector<std::string> facts;
  for (const Binding& each : bindings_) {
    if (each.var.valid() && rule.vars[each.var.value].kind == VarKind::Fact) {
      facts.push_back(each.name);
    }
  }
  report_unknown(c, "fact of this rule", name, facts);
  return std::nullopt;
}

bool RuleChecker::check_let(const dsl::LetDecl& let) {
  const std::size_t before = c.sink.error_count();
  closed_ = true;
  for (const dsl::FieldDecl& param : let.params) {
    const bool event = c.names.events.contains(param.type.name.text);
    const bool symptom = c.names.symptoms.contains(param.type.name.text);
    if (param.type.words.empty() && (event || symptom)) {
      reserve(own_ + 1, param.name.span);
      const dsl::VariableDecl fact{param.name, {param.type.name}, nullptr, param.name.span};
      declare_fact(fact, Facts::Either);
      continue;
    }
    const auto type = resolve_type(c, param.type);
    if (!type) continue;
    Typed value;
    value.type = *type;
    if (type->kind == model::ValueKind::Entity) value.kinds = {type->entity};
    value.nullable = param.type.optional;
    value.key = GuardKey{0xffffffff, "let " + param.name.text};
    value.id = constant(model::null_constant(), *type, param.name.span);
    bind(param.name, {}, std::move(value));
  }
  if (let.body) condition(*let.body);
  return c.sink.error_count() == before;
}

}  // namespace attrib::compiler
