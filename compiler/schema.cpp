#include "compiler/schema.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "compiler/limits.h"

namespace attrib::compiler {
namespace {

std::vector<std::string> type_names() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < model::reader_count(); ++i) {
    const auto name = model::info(static_cast<model::Reader>(i)).name;
    if (model::parse_reader(name)) out.emplace_back(name);
  }
  for (const auto name : model::entity_kind_names()) out.emplace_back(name);
  return out;
}

std::optional<model::Type> word_type(Context& c, const dsl::TypeRef& ref) {
  model::Type type{model::ValueKind::String, model::Reader::Choice, model::EntityKind::Node, {}};
  within_limit(c, ref.span, ref.words.size(), kMaxWords, "a type of words", "words");
  for (const dsl::Name& word : ref.words) {
    if (std::find(type.words.begin(), type.words.end(), word.text) != type.words.end()) {
      c.sink.emit<diag::DuplicateName>(word.span, "word", word.text);
      continue;
    }
    type.words.push_back(word.text);
  }
  return type;
}

// Names that mean the same thing on every fact; `node` and `rank` may be fields of those types
// only.
void check_field_name(Context& c, const dsl::FieldDecl& field, const model::Type& type) {
  static const std::set<std::string> kReserved = {"entity", "seen", "begin", "last"};
  const std::string& name = field.name.text;
  if (kReserved.contains(name)) {
    c.sink.emit<diag::ReservedField>(field.name.span, name)
        .hint("every fact has an attribute of that name");
  }
  const auto of_kind = [&](model::EntityKind kind) {
    return type.kind == model::ValueKind::Entity && type.entity == kind;
  };
  if ((name == "node" && !of_kind(model::EntityKind::Node)) ||
      (name == "rank" && !of_kind(model::EntityKind::Rank))) {
    c.sink.emit<diag::ReservedField>(field.name.span, name)
        .hint(fmt::format("a field `{}` has type {}", name, name == "node" ? "Node" : "Rank"));
  }
}

}  // namespace

std::optional<model::EntityKind> resolve_kind(Context& c, const dsl::Name& name) {
  if (const auto kind = model::parse_entity_kind_name(name.text)) return kind;
  const auto names = model::entity_kind_names();
  report_unknown(c, "entity kind", name, std::vector<std::string>(names.begin(), names.end()));
  return std::nullopt;
}

std::optional<model::Type> resolve_type(Context& c, const dsl::TypeRef& ref) {
  if (!ref.words.empty()) return word_type(c, ref);
  model::Type type;
  if (const auto reader = model::parse_reader(ref.name.text)) {
    type.kind = model::info(*reader).kind;
    type.reader = *reader;
    return type;
  }
  if (const auto kind = model::parse_entity_kind_name(ref.name.text)) {
    type.kind = model::ValueKind::Entity;
    type.reader = model::Reader::Entity;
    type.entity = *kind;
    return type;
  }
  report_unknown(c, "type", ref.name, type_names());
  return std::nullopt;
}

std::vector<model::Field> resolve_fields(Context& c, const std::vector<dsl::FieldDecl>& decls,
                                         const std::string& owner) {
  std::vector<model::Field> out;
  for (const dsl::FieldDecl& decl : decls) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const auto& f) { return f.name == decl.name.text; });
    if (same != out.end()) {
      c.sink.emit<diag::DuplicateName>(decl.name.span, "field", decl.name.text)
          .note(same->span, "first declared here");
      continue;
    }
    model::Type type{model::ValueKind::String, model::Reader::Word, model::EntityKind::Node, {}};
    if (const auto resolved = resolve_type(c, decl.type)) {
      type = *resolved;
      check_field_name(c, decl, type);
    }
    out.push_back({decl.name.text, std::move(type), decl.type.optional, decl.name.span});
  }
  if (!decls.empty()) {
    within_limit(c, decls.front().name.span, out.size(), kMaxFields, owner, "fields");
  }
  return out;
}

void check_events(Context& c) {
  for (const auto& [name, declared] : c.names.events) {
    c.pack = declared.pack;
    model::EventType event;
    event.name = name;
    event.pack = declared.pack;
    event.span = declared.decl->name.span;
    event.progress = declared.decl->progress;
    if (const auto kind = resolve_kind(c, declared.decl->on)) event.on = *kind;
    event.fields = resolve_fields(c, declared.decl->fields, fmt::format("event `{}`", name));
    c.module.events.push_back(std::move(event));
  }
}

}  // namespace attrib::compiler
