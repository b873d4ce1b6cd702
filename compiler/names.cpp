#include "compiler/names.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/context.h"
#include "compiler/limits.h"
#include "compiler/prelude.h"

namespace attrib::compiler {
namespace {

enum class Style { Camel, Dotted, Snake };

bool fits(std::string_view text, Style style) {
  if (text.empty()) return false;
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (style == Style::Camel) {
    return upper(text[0]) && std::all_of(text.begin(), text.end(),
                                         [&](char c) { return lower(c) || upper(c) || digit(c); });
  }
  return lower(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
           return lower(c) || digit(c) || c == '_' || (style == Style::Dotted && c == '.');
         });
}

const char* describe(Style style) {
  switch (style) {
    case Style::Camel:
      return "CamelCase, as events are";
    case Style::Dotted:
      return "dotted lower case, as symptoms and packs are";
    case Style::Snake:
      return "snake_case, as rules and tables are";
  }
  return "";
}

class Collector {
 public:
  explicit Collector(Context& context) : c_(context) {}

  void file(const dsl::File& file, bool prelude) {
    const bool test = c_.sources.path(file.source).ends_with("_test.rules");
    if (!file.decls.empty() && !std::holds_alternative<dsl::PackDecl>(file.decls.front())) {
      const Span all{file.source, 0, 0};
      c_.sink.emit<diag::MissingPack>(all).hint("write `pack site.name 1.0.0` first");
    }
    pack_.clear();
    prelude_ = prelude;
    for (const dsl::Decl& decl : file.decls) {
      std::visit([&](const auto& node) { declare(node, test); }, decl);
    }
  }

  void check_uses() {
    std::vector<std::string> known;
    for (const auto& [name, pack] : c_.names.packs) known.push_back(name);
    for (const dsl::Name& use : uses_) {
      if (c_.names.packs.contains(use.text)) continue;
      Diagnostic& d = c_.sink.emit<diag::UnknownPack>(use.span, use.text);
      if (const auto near = nearest(use.text, known)) {
        d.note(c_.names.packs.at(*near).span, fmt::format("`{}` is declared here", *near))
            .hint(fmt::format("did you mean `{}`?", *near));
      } else {
        d.hint("give its folder to the command too");
      }
    }
  }

 private:
  void declare(const dsl::PackDecl& pack, bool) {
    if (!pack_.empty()) {
      c_.sink.emit<diag::DuplicateClause>(pack.span, "pack");
      return;
    }
    if (!prelude_) style(pack.name, Style::Dotted);
    pack_ = pack.name.text;
    if (!prelude_ && pack_ == kPreludePack) {
      c_.sink.emit<diag::DuplicateName>(pack.name.span, "pack", pack_).hint("`core` is built in");
    }
    const auto [at, added] =
        c_.names.packs.try_emplace(pack_, PackNames{pack.version, pack.span, {}});
    if (!added && at->second.version != pack.version) {
      c_.sink.emit<diag::PackVersions>(pack.span, pack_, pack.version, at->second.version)
          .note(at->second.span, "declared here");
    }
  }
  void declare(const dsl::LanguageDecl& language, bool) {
    if (language.version != 1) c_.sink.emit<diag::WrongLanguage>(language.span, language.version);
  }
  void declare(const dsl::UseDecl& use, bool) {
    if (pack_.empty()) return;
    std::vector<std::string>& list = c_.names.packs[pack_].uses;
    for (const dsl::Name& name : use.packs) {
      uses_.push_back(name);
      list.push_back(name.text);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  void declare(const dsl::OverrideDecl& decl, bool) {
    c_.sink.emit<diag::OverrideUnsupported>(decl.span).hint(
        "copy the rule into a pack of your own and change it there");
  }
  void declare(const dsl::TestDecl&, bool) {}

  void declare(const dsl::EventDecl& d, bool test) {
    add(c_.names.events, "event", d, Style::Camel, test);
  }
  void declare(const dsl::SymptomDecl& d, bool test) {
    add(c_.names.symptoms, "symptom", d, Style::Dotted, test);
  }
  void declare(const dsl::ExtractDecl& d, bool test) {
    add(c_.names.extracts, "extract", d, Style::Snake, test);
  }
  void declare(const dsl::TableDecl& d, bool test) {
    add(c_.names.tables, "table", d, Style::Snake, test);
  }
  void declare(const dsl::LetDecl& d, bool test) {
    add(c_.names.lets, "let", d, Style::Snake, test);
  }
  // Rules are named by tests and verdicts without their kind, so they share one space.
  void declare(const dsl::DecodeDecl& d, bool test) { rule(c_.names.decodes, d, test); }
  void declare(const dsl::InferDecl& d, bool test) { rule(c_.names.infers, d, test); }
  void declare(const dsl::DemoteDecl& d, bool test) { rule(c_.names.demotes, d, test); }
  void declare(const dsl::OutcomeDecl& d, bool test) { rule(c_.names.outcomes, d, test); }
  void declare(const dsl::AmbiguousDecl& d, bool test) { rule(c_.names.ambiguities, d, test); }

  template <typename T>
  void rule(DeclaredMap<T>& map, const T& decl, bool test) {
    const auto [at, added] = rules_.try_emplace(decl.name.text, decl.name.span);
    if (!added) {
      duplicate("rule", decl.name, at->second);
      return;
    }
    add(map, "rule", decl, Style::Snake, test);
  }

  template <typename T>
  void add(DeclaredMap<T>& map, const char* what, const T& decl, Style wanted, bool test) {
    if (test) {
      c_.sink.emit<diag::NotATest>(decl.name.span, fmt::format("{} `{}`", what, decl.name.text));
      return;
    }
    style(decl.name, wanted);
    const auto [at, added] = map.try_emplace(decl.name.text, Declared<T>{&decl, pack_});
    if (!added) duplicate(what, decl.name, at->second.decl->name.span);
  }

  void duplicate(const char* what, const dsl::Name& name, Span first) {
    c_.sink.emit<diag::DuplicateName>(name.span, what, name.text)
        .note(first, "first declared here");
  }
  void style(const dsl::Name& name, Style wanted) {
    if (!fits(name.text, wanted)) {
      c_.sink.emit<diag::NameStyle>(name.span, name.text, describe(wanted));
    }
  }

  Context& c_;
  std::string pack_;
  bool prelude_ = false;
  std::map<std::string, Span> rules_;
  std::vector<dsl::Name> uses_;
};

void collect_renames(Context& c) {
  for (const auto& [name, declared] : c.names.symptoms) {
    for (const dsl::SymptomClause& clause : declared.decl->clauses) {
      if (clause.keyword.text != "was") continue;
      for (const dsl::ExprPtr& value : clause.values) {
        const auto* path = value ? std::get_if<dsl::NameExpr>(&value->node) : nullptr;
        if (path == nullptr) continue;
        std::string old;
        for (const dsl::Name& part : path->parts) old += (old.empty() ? "" : ".") + part.text;
        const auto taken = c.names.symptoms.find(old);
        if (taken != c.names.symptoms.end()) {
          c.sink.emit<diag::DuplicateName>(value->span, "symptom", old)
              .note(taken->second.decl->name.span, "first declared here");
        } else if (!c.names.renamed.try_emplace(old, name).second) {
          c.sink.emit<diag::DuplicateName>(value->span, "symptom", old);
        }
      }
    }
  }
}

template <typename T>
std::optional<std::uint32_t> find(Context& c, const DeclaredMap<T>& map, const std::string& what,
                                  const dsl::Name& name) {
  const auto at = map.find(name.text);
  if (at != map.end()) {
    check_used(c, what, name, at->second.pack);
    return static_cast<std::uint32_t>(std::distance(map.begin(), at));
  }
  std::vector<std::string> candidates;
  for (const auto& [each, declared] : map) candidates.push_back(each);
  Diagnostic& d = report_unknown(c, what, name, candidates);
  if (const auto near = nearest(name.text, candidates)) {
    d.note(map.at(*near).decl->name.span, fmt::format("`{}` is declared here", *near));
  }
  return std::nullopt;
}

std::string deprecation(const dsl::SymptomDecl& decl) {
  for (const dsl::SymptomClause& clause : decl.clauses) {
    if (clause.keyword.text != "deprecated" || clause.values.empty()) continue;
    const auto* literal = std::get_if<dsl::Literal>(&clause.values.front()->node);
    return literal == nullptr ? "" : literal->text;
  }
  return "";
}

}  // namespace

bool within_limit(Context& c, Span span, std::size_t count, std::size_t most,
                  const std::string& owner, const std::string& things) {
  if (count <= most) return true;
  c.sink.emit<diag::TooMany>(span, owner, count, things, most);
  return false;
}

void collect_names(Context& c, const std::vector<const dsl::File*>& files) {
  Collector collector(c);
  for (const dsl::File* file : files) collector.file(*file, file == files.front());
  collector.check_uses();
  collect_renames(c);
  const Span nowhere{files.back()->source, 0, 0};
  const auto limit = [&](std::size_t count, std::size_t most, const char* things) {
    if (!within_limit(c, nowhere, count, most, "the rule set", things)) c.names.too_many = true;
  };
  limit(c.names.events.size(), kMaxTypes, "event types");
  limit(c.names.symptoms.size(), kMaxTypes, "symptom types");
  const std::size_t rules = c.names.extracts.size() + c.names.decodes.size() +
                            c.names.infers.size() + c.names.demotes.size() +
                            c.names.outcomes.size() + c.names.ambiguities.size();
  limit(rules, kMaxRules, "rules");
}

std::optional<std::uint32_t> find_event(Context& c, const dsl::Name& name) {
  return find(c, c.names.events, "event", name);
}

std::optional<std::uint32_t> find_symptom(Context& c, const dsl::Name& name) {
  const auto renamed = c.names.renamed.find(name.text);
  if (renamed != c.names.renamed.end() && !c.names.symptoms.contains(name.text)) {
    c.sink.emit<diag::Renamed>(name.span, name.text, renamed->second);
    return find(c, c.names.symptoms, "symptom", {renamed->second, name.span});
  }
  const auto found = find(c, c.names.symptoms, "symptom", name);
  if (found) {
    const dsl::SymptomDecl& decl = *c.names.symptoms.at(name.text).decl;
    const std::string why = deprecation(decl);
    if (!why.empty()) {
      c.sink.emit<diag::Deprecated>(name.span, name.text, why)
          .note(decl.name.span, "declared here");
    }
  }
  return found;
}

std::optional<std::uint32_t> find_table(Context& c, const dsl::Name& name) {
  return find(c, c.names.tables, "table", name);
}

Diagnostic& report_unknown(Context& c, const std::string& what, const dsl::Name& name,
                           const std::vector<std::string>& candidates) {
  Diagnostic& d = c.sink.emit<diag::UnknownName>(name.span, what, name.text);
  if (const auto near = nearest(name.text, candidates)) {
    d.hint(fmt::format("did you mean `{}`?", *near));
  }
  return d;
}

void check_used(Context& c, const std::string& what, const dsl::Name& name,
                const std::string& pack) {
  if (pack == c.pack || pack == kPreludePack || pack.empty() || c.pack.empty()) return;
  const auto mine = c.names.packs.find(c.pack);
  if (mine == c.names.packs.end()) return;
  const std::vector<std::string>& uses = mine->second.uses;
  if (std::binary_search(uses.begin(), uses.end(), pack)) return;
  c.sink.emit<diag::PackNotUsed>(name.span, what, name.text, pack, c.pack)
      .note(mine->second.span, fmt::format("pack `{}` is declared here", c.pack))
      .hint(fmt::format("add `use {}`", pack));
}

std::optional<std::size_t> find_word(Context& c, const std::string& what, const dsl::Name& name,
                                     std::span<const std::string_view> words) {
  const auto at = std::find(words.begin(), words.end(), name.text);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  const std::vector<std::string> all(words.begin(), words.end());
  Diagnostic& d = c.sink.emit<diag::UnknownWord>(name.span, name.text, what);
  if (const auto near = nearest(name.text, all)) {
    d.hint(fmt::format("did you mean `{}`?", *near));
  } else {
    d.hint(fmt::format("one of {}", fmt::join(all, ", ")));
  }
  return std::nullopt;
}

}  // namespace attrib::compiler
