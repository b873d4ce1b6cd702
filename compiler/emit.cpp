// Emissions: fields, entity, role and other words, begin.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/rule_checker.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

// Is every cell of the column one of `words` (or null)? Names the first that is not.
std::optional<std::string> cell_outside(const model::Table& table, std::size_t column,
                                        std::span<const std::string_view> words) {
  const auto outside = [&](const model::TableRow& row) {
    if (column >= row.results.size() || row.results[column].kind == ValueKind::Null) return false;
    return std::find(words.begin(), words.end(), row.results[column].text) == words.end();
  };
  for (const model::TableRow& row : table.rows) {
    if (outside(row)) return row.results[column].text;
  }
  if (outside(table.default_row)) return table.default_row.results[column].text;
  return std::nullopt;
}

}  // namespace

ExprId RuleChecker::assigned(const dsl::Expr& e, const model::Field& field,
                             const std::string& owner) {
  const bool before = null_ok_;
  null_ok_ = field.optional;
  Typed value = expr(e, &field.type);
  null_ok_ = before;
  const std::string want = fmt::format("{} for field `{}`", describe(field.type), field.name);
  if (value.fact.valid()) {
    c.sink.emit<diag::TypeMismatch>(e.span, describe(value), want)
        .note(field.span, "the field is declared here");
    return {};
  }
  if (!value.ok()) return {};
  bool good = value.type.kind == field.type.kind;
  if (good && field.type.kind == ValueKind::Entity) {
    good = value.kinds.size() == 1 && value.kinds[0] == field.type.entity;
  }
  if (!good) {
    c.sink.emit<diag::TypeMismatch>(e.span, describe(value), want)
        .note(field.span, "the field is declared here");
    return {};
  }
  const Expr& made = c.module.exprs[value.id.value];
  if (!field.type.words.empty()) {
    const std::vector<std::string_view> words(field.type.words.begin(), field.type.words.end());
    const bool subset = !value.type.words.empty() &&
                        std::all_of(value.type.words.begin(), value.type.words.end(), [&](auto& w) {
                          return std::find(words.begin(), words.end(), w) != words.end();
                        });
    if (made.kind == ExprKind::Cell) {
      const model::Table& table = c.module.tables[rule.vars[made.var.value].table];
      if (const auto bad = cell_outside(table, made.index, words)) {
        c.sink
            .emit<diag::ColumnWord>(e.span, made.text, table.name, *bad,
                                    "word of " + model::to_text(field.type))
            .note(table.span, "the table is declared here");
        return {};
      }
    } else if (made.kind != ExprKind::Constant && !subset) {
      c.sink.emit<diag::TypeMismatch>(e.span, describe(value), want)
          .note(field.span, "the field is declared here");
      return {};
    }
  }
  if (made.kind == ExprKind::Constant && field.type.kind == ValueKind::Int &&
      !in_range(field.type, made.constant.number)) {
    c.sink.emit<diag::OutOfRange>(e.span, model::to_text(made.constant), model::to_text(field.type))
        .note(field.span, "the field is declared here");
    return {};
  }
  if (value.nullable && !field.optional) {
    c.sink.emit<diag::UnguardedField>(e.span, std::string(c.sources.text(e.span)))
        .note(field.span, fmt::format("field `{}` of {} is not optional", field.name, owner))
        .hint(value.key ? fmt::format("add `when has {}`", c.sources.text(e.span))
                        : fmt::format("make the field optional: `{} {}?`", field.name,
                                      model::to_text(field.type)));
    return {};
  }
  return value.id;
}

ExprId RuleChecker::entity_for(const dsl::Expr& e, const std::vector<model::EntityKind>& kinds,
                               const std::string& owner) {
  const bool before = null_ok_;
  null_ok_ = true;  // An entity that is not named is an unknown one.
  const Typed value = wanted(e, ValueKind::Entity, "an entity");
  null_ok_ = before;
  if (!value.ok()) return {};
  const bool good = std::all_of(value.kinds.begin(), value.kinds.end(), [&](const auto kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  });
  if (good) return value.id;
  std::vector<std::string_view> names;
  for (const auto kind : kinds) {
    names.push_back(model::entity_kind_names()[static_cast<std::size_t>(kind)]);
  }
  c.sink.emit<diag::WrongEntity>(e.span, owner, fmt::format("{} {}", names.front() == "Attempt" ? "an" : "a", fmt::join(names, " or ")),
                                 describe(value));
  return {};
}

void RuleChecker::range(const dsl::RangeClause& clause, ExprId* from, ExprId* to) {
  if (clause.from) *from = wanted(*clause.from, ValueKind::Moment, "a time").id;
  if (clause.to) *to = wanted(*clause.to, ValueKind::Moment, "a time").id;
}

template <typename T>
ExprId RuleChecker::meta_word(const std::string& word, const dsl::Expr& e) {
  const auto words = model::words<T>();
  if (is_word(e)) {
    const auto* name = std::get_if<dsl::NameExpr>(&e.node);
    if (name == nullptr || name->parts.size() != 1) {
      c.sink.emit<diag::TypeMismatch>(e.span, "no word", fmt::format("a {}", word));
      return {};
    }
    if (!find_word(c, word, name->parts[0], words)) return {};
    model::Type type{ValueKind::String, model::Reader::Choice, model::EntityKind::Node, {}};
    for (const auto each : words) type.words.emplace_back(each);
    return constant(model::text_constant(name->parts[0].text), type, e.span);
  }
  const Typed value = wanted(e, ValueKind::String, fmt::format("a {}", word));
  if (!value.ok()) return {};
  const Expr& made = c.module.exprs[value.id.value];
  if (made.kind != ExprKind::Cell) {
    c.sink.emit<diag::TypeMismatch>(e.span, "computed",
                                    fmt::format("a {}, or a table's column of them", word));
    return {};
  }
  const model::Table& table = c.module.tables[rule.vars[made.var.value].table];
  if (const auto bad = cell_outside(table, made.index, words)) {
    const std::vector<std::string> all(words.begin(), words.end());
    Diagnostic& d = c.sink.emit<diag::ColumnWord>(e.span, made.text, table.name, *bad, word);
    d.note(table.span, "the table is declared here");
    if (const auto near = nearest(*bad, all)) d.hint(fmt::format("did you mean `{}`?", *near));
    return {};
  }
  return value.id;
}

ExprId RuleChecker::meta(const std::string& word, const dsl::Expr& e) {
  if (word == "role") return meta_word<model::Role>(word, e);
  if (word == "domain") return meta_word<model::Domain>(word, e);
  if (word == "retry") return meta_word<model::Retry>(word, e);
  if (word == "blame") return meta_word<model::Blame>(word, e);
  if (word == "severity") return meta_word<model::Severity>(word, e);
  return wanted(e, ValueKind::String, "a text").id;
}

std::optional<Emit> RuleChecker::emit(const dsl::EmitDecl& decl, EmitOn on) {
  const auto index = find_symptom(c, decl.symptom);
  if (!index) return std::nullopt;
  const model::SymptomType& type = c.module.symptoms[*index];
  const std::string owner = fmt::format("symptom `{}`", type.name);
  Emit out;
  out.on = on;
  out.type = *index;
  out.span = decl.span;
  if (decl.at) {
    out.at = entity_for(*decl.at, type.on, type.name);
  } else if (std::none_of(type.on.begin(), type.on.end(), [](const auto kind) {
               return kind == model::EntityKind::Attempt || kind == model::EntityKind::Job;
             })) {
    c.sink.emit<diag::MissingClause>(decl.symptom.span, "emit", type.name, "at ENTITY")
        .note(type.span, "declared here");
  }
  std::vector<Span> given(type.fields.size());
  std::vector<bool> has(type.fields.size());
  for (const dsl::Pair& pair : decl.fields.pairs) {
    const auto at = std::find_if(type.fields.begin(), type.fields.end(),
                                 [&](const auto& f) { return f.name == pair.name.text; });
    if (at == type.fields.end()) {
      std::vector<std::string> names;
      for (const model::Field& field : type.fields) names.push_back(field.name);
      Diagnostic& d = c.sink.emit<diag::UnknownField>(pair.name.span, owner, pair.name.text);
      d.note(type.span, "declared here");
      if (const auto near = nearest(pair.name.text, names)) {
        d.hint(fmt::format("did you mean `{}`?", *near));
      }
      continue;
    }
    const auto field = static_cast<std::size_t>(at - type.fields.begin());
    if (has[field]) {
      c.sink.emit<diag::DuplicateName>(pair.name.span, "field", pair.name.text)
          .note(given[field], "first given here");
      continue;
    }
    has[field] = true;
    given[field] = pair.name.span;
    if (!pair.value) {
      c.sink.emit<diag::TypeMismatch>(pair.span, "a list or object", describe(at->type));
      continue;
    }
    const ExprId value = assigned(*pair.value, *at, owner);
    if (value.valid()) out.fields.push_back({static_cast<std::uint32_t>(field), value});
  }
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i] || type.fields[i].optional) continue;
    c.sink.emit<diag::MissingField>(decl.symptom.span, type.name, type.fields[i].name)
        .note(type.fields[i].span, "declared here, not optional");
  }
  std::sort(out.fields.begin(), out.fields.end(),
            [](const FieldValue& a, const FieldValue& b) { return a.field < b.field; });
  for (const auto& [name, value] : decl.overrides) {
    const std::pair<const char*, ExprId*> slots[] = {
        {"role", &out.role},   {"domain", &out.domain}, {"action", &out.action},
        {"retry", &out.retry}, {"blame", &out.blame},   {"severity", &out.severity},
        {"title", &out.title}};
    const std::string& word = name.text;  // Clang 14 captures no structured binding.
    const auto slot = std::find_if(std::begin(slots), std::end(slots),
                                   [&](const auto& s) { return word == s.first; });
    if (slot == std::end(slots)) {
      c.sink.emit<diag::UnknownClause>(name.span, name.text, "emit");
    } else if (slot->second->valid()) {
      c.sink.emit<diag::DuplicateClause>(name.span, name.text);
    } else if (value) {
      *slot->second = meta(name.text, *value);
    }
  }
  if (decl.begin) range(*decl.begin, &out.begin_from, &out.begin_to);
  return out;
}

}  // namespace attrib::compiler
