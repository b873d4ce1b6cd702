// Symptom types and their clauses.

#include <algorithm>
#include <map>

#include "base/text.h"
#include "compiler/limits.h"
#include "compiler/schema.h"

namespace attrib::compiler {
namespace {

class SymptomChecker {
 public:
  SymptomChecker(Context& context, const dsl::SymptomDecl& decl, const std::string& pack)
      : c_(context), decl_(decl) {
    out_.name = decl.name.text;
    out_.pack = pack;
    out_.span = decl.name.span;
    out_.title = out_.name;
  }

  model::SymptomType check() {
    for (const dsl::Name& name : decl_.on) kind(name);
    if (out_.on.empty()) out_.on.push_back(model::EntityKind::Attempt);
    out_.fields = resolve_fields(c_, decl_.fields, fmt::format("symptom `{}`", out_.name));
    for (const dsl::FieldDecl& field : decl_.fields) {
      if (handlers().contains(field.name.text) || field.name.text == "count" ||
          field.name.text == "symptom") {
        c_.sink.emit<diag::ReservedField>(field.name.span, field.name.text);
      }
    }
    for (const dsl::SymptomClause& each : decl_.clauses) clause(each);
    finish();
    return std::move(out_);
  }

 private:
  using Clause = dsl::SymptomClause;
  using Handler = void (SymptomChecker::*)(const Clause&);

  static const std::map<std::string, Handler>& handlers() {
    static const std::map<std::string, Handler> kHandlers = {
        {"role", &SymptomChecker::role},
        {"domain", &SymptomChecker::domain},
        {"title", &SymptomChecker::title},
        {"blame", &SymptomChecker::blame},
        {"key", &SymptomChecker::key},
        {"quiet", &SymptomChecker::quiet},
        {"severity", &SymptomChecker::severity},
        {"owner", &SymptomChecker::owner},
        {"action", &SymptomChecker::action},
        {"retry", &SymptomChecker::retry},
        {"tags", &SymptomChecker::tags},
        {"references", &SymptomChecker::references},
        {"locates", &SymptomChecker::locates},
        {"was", &SymptomChecker::was},
        {"deprecated", &SymptomChecker::deprecated}};
    return kHandlers;
  }

  void kind(const dsl::Name& name) {
    const auto found = resolve_kind(c_, name);
    if (!found) return;
    if (std::find(out_.on.begin(), out_.on.end(), *found) != out_.on.end()) {
      c_.sink.emit<diag::DuplicateName>(name.span, "entity kind", name.text);
      return;
    }
    out_.on.push_back(*found);
  }

  void clause(const Clause& each) {
    const std::string& word = each.keyword.text;
    const auto handler = handlers().find(word);
    if (handler == handlers().end()) {
      std::vector<std::string> all;
      for (const auto& [name, unused] : handlers()) all.push_back(name);
      Diagnostic& d = c_.sink.emit<diag::UnknownClause>(each.keyword.span, word, "symptom");
      if (const auto near = nearest(word, all)) d.hint(fmt::format("did you mean `{}`?", *near));
      return;
    }
    const auto [at, first] = seen_.try_emplace(word, each.keyword.span);
    if (!first && word != "references" && word != "was") {
      c_.sink.emit<diag::DuplicateClause>(each.keyword.span, word)
          .note(at->second, "first given here");
      return;
    }
    (this->*handler->second)(each);
  }

  void wants(const Clause& clause, const std::string& what) {
    const Span span = clause.values.empty() ? clause.span : clause.values.front()->span;
    c_.sink.emit<diag::BadArguments>(span, clause.keyword.text, what);
  }
  std::optional<dsl::Name> word_at(const dsl::ExprPtr& value) {
    const auto* name = value ? std::get_if<dsl::NameExpr>(&value->node) : nullptr;
    if (name == nullptr || name->parts.size() != 1) return std::nullopt;
    return name->parts.front();
  }
  std::optional<dsl::Name> one_word(const Clause& clause) {
    if (clause.values.size() == 1) {
      if (auto name = word_at(clause.values.front())) return name;
    }
    wants(clause, "one word");
    return std::nullopt;
  }
  const dsl::Literal* literal_at(const dsl::ExprPtr& value, dsl::LiteralKind kind) {
    const auto* literal = value ? std::get_if<dsl::Literal>(&value->node) : nullptr;
    return literal != nullptr && literal->kind == kind ? literal : nullptr;
  }
  void one_text(const Clause& clause, std::string* target) {
    const auto* text = clause.values.size() == 1
                           ? literal_at(clause.values.front(), dsl::LiteralKind::Text)
                           : nullptr;
    if (text == nullptr || text->text.empty()) return wants(clause, "one text in quotes");
    *target = text->text;
  }
  template <typename T>
  std::optional<T> word_of(const Clause& clause) {
    const auto name = one_word(clause);
    if (!name) return std::nullopt;
    return find_word_of<T>(c_, clause.keyword.text, *name);
  }

  void role(const Clause& clause) { out_.role = word_of<model::Role>(clause).value_or(out_.role); }
  void domain(const Clause& clause) {
    const auto found = word_of<model::Domain>(clause);
    if (!found) return;
    // What a verdict says when there is no one domain; no symptom has it.
    if (*found == model::Domain::Ambiguous) return wants(clause, "the domain of a fault");
    out_.domain = *found;
  }
  void title(const Clause& clause) { one_text(clause, &out_.title); }
  void blame(const Clause& clause) { out_.blame = word_of<model::Blame>(clause); }
  void severity(const Clause& clause) {
    out_.severity = word_of<model::Severity>(clause).value_or(out_.severity);
  }
  void owner(const Clause& clause) { one_text(clause, &out_.owner); }
  void action(const Clause& clause) { one_text(clause, &out_.action); }
  void retry(const Clause& clause) {
    out_.retry = word_of<model::Retry>(clause).value_or(out_.retry);
  }
  void deprecated(const Clause& clause) { one_text(clause, &out_.deprecated); }
  void was(const Clause& clause) {
    if (clause.values.empty()) wants(clause, "an old name");
  }
  void locates(const Clause& clause) {
    if (!clause.values.empty()) return wants(clause, "no value");
    out_.locates = true;
  }
  void quiet(const Clause& clause) {
    const dsl::ExprPtr* value = clause.values.size() == 1 ? &clause.values.front() : nullptr;
    if (value != nullptr) {
      if (const auto* number = literal_at(*value, dsl::LiteralKind::Int)) {
        c_.sink.emit<diag::BareNumber>(number->span, number->text)
            .hint(fmt::format("write `{}s` or another unit", number->text));
        return;
      }
      const auto* length = literal_at(*value, dsl::LiteralKind::Duration);
      if (length != nullptr && length->number > 0) {
        out_.quiet = length->number;
        return;
      }
    }
    wants(clause, "one duration above zero");
  }
  void key(const Clause& clause) {
    key_given_ = true;
    std::vector<std::string> names;
    for (const model::Field& field : out_.fields) names.push_back(field.name);
    for (const dsl::ExprPtr& value : clause.values) {
      const auto name = word_at(value);
      if (!name) return wants(clause, "names of fields");
      const auto at = std::find(names.begin(), names.end(), name->text);
      if (at == names.end()) {
        Diagnostic& d = c_.sink.emit<diag::UnknownField>(
            name->span, fmt::format("symptom `{}`", out_.name), name->text);
        if (const auto near = nearest(name->text, names)) {
          d.hint(fmt::format("did you mean `{}`?", *near));
        }
        continue;
      }
      out_.key.push_back(static_cast<std::uint16_t>(at - names.begin()));
    }
    std::sort(out_.key.begin(), out_.key.end());
    out_.key.erase(std::unique(out_.key.begin(), out_.key.end()), out_.key.end());
  }
  void tags(const Clause& clause) {
    for (const dsl::ExprPtr& value : clause.values) {
      const auto name = word_at(value);
      if (!name) return wants(clause, "words");
      out_.tags.push_back(name->text);
    }
    std::sort(out_.tags.begin(), out_.tags.end());
    out_.tags.erase(std::unique(out_.tags.begin(), out_.tags.end()), out_.tags.end());
  }
  void references(const Clause& clause) {
    for (const dsl::ExprPtr& value : clause.values) {
      const auto* text = literal_at(value, dsl::LiteralKind::Text);
      if (text == nullptr || text->text.empty()) return wants(clause, "texts that are not empty");
      out_.references.push_back(text->text);
    }
  }

  void needs(const char* clause) {
    if (seen_.contains(clause)) return;
    c_.sink.emit<diag::MissingClause>(out_.span, "symptom", out_.name, clause);
  }
  void finish() {
    needs("role");
    if (out_.role != model::Role::Note && out_.role != model::Role::End) needs("domain");
    if (!key_given_) {
      for (std::size_t i = 0; i < out_.fields.size(); ++i) {
        out_.key.push_back(static_cast<std::uint16_t>(i));
      }
    }
    if (!c_.options.strict) return;
    for (const char* wanted : {"owner", "action", "references"}) {
      if (seen_.contains(wanted)) continue;
      c_.sink.emit<diag::StrictLibrary>(out_.span, "symptom", out_.name, wanted);
    }
  }

  Context& c_;
  const dsl::SymptomDecl& decl_;
  model::SymptomType out_;
  std::map<std::string, Span> seen_;
  bool key_given_ = false;
};

}  // namespace

void check_symptoms(Context& c) {
  for (const auto& [name, declared] : c.names.symptoms) {
    c.pack = declared.pack;
    c.module.symptoms.push_back(SymptomChecker(c, *declared.decl, declared.pack).check());
  }
}

}  // namespace attrib::compiler
