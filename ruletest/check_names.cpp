#include "ruletest/check_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "base/text.h"
#include "ruletest/test_evidence.h"
#include "ruletest/values.h"

namespace attrib::ruletest {
namespace {

using dsl::Expectation;
using ExpectKind = Expectation::Kind;
using Words = std::vector<std::string>;

template <typename T>
Words words_of() {
  const auto all = model::words<T>();
  return {all.begin(), all.end()};
}

// What a test may call a rule or extract: its full name, or the name alone.
void add_names(Words& into, const std::string& pack, const std::string& name) {
  into.push_back(name);
  into.push_back(pack + "." + name);
}

class NameChecker {
 public:
  NameChecker(const compiler::Module& module, DiagnosticSink& sink) : module_(module), sink_(sink) {
    for (const model::SymptomType& symptom : module.symptoms) symptoms_.push_back(symptom.name);
    for (const compiler::Extract& extract : module.extracts)
      add_names(extracts_, extract.pack, extract.name);
    for (const compiler::Rule& rule : module.rules) {
      if (rule.kind == compiler::RuleKind::Demote) add_names(demotes_, rule.pack, rule.name);
    }
    roles_ = words_of<model::Role>();
    for (const char* state : {"root", "demoted", "unexplained", "late", "survived", "history"})
      roles_.emplace_back(state);
  }

  void check(const dsl::TestDecl& test) {
    if (test.expects.empty()) sink_.emit<diag::EmptyTest>(test.title.span);
    check_job(test);
    for (const dsl::TestSource& source : test.sources) {
      word(source.source, words_of<model::SourceKind>(), "source");
      if (source.status) word(*source.status, {"ok", "empty", "failed"}, "status of a source");
    }
    for (const dsl::TestLog& log : test.logs) check_log(log);
    for (const Expectation& expect : test.expects) check_expectation(expect);
  }

 private:
  void word(const dsl::Name& name, const Words& words, std::string_view what) {
    if (std::find(words.begin(), words.end(), name.text) != words.end()) return;
    Diagnostic& report =
        sink_.emit<diag::UnknownWord>(name.span, name.text, fmt::format("known {}", what));
    if (const auto near = nearest(name.text, words))
      report.hint(fmt::format("did you mean `{}`?", *near));
  }

  bool known(const dsl::Name& name, const Words& names, std::string_view what) {
    if (std::find(names.begin(), names.end(), name.text) != names.end()) return true;
    Diagnostic& report = sink_.emit<diag::UnknownName>(name.span, what, name.text);
    if (const auto near = nearest(name.text, names))
      report.hint(fmt::format("did you mean `{}`?", *near));
    return false;
  }

  void check_job(const dsl::TestDecl& test) {
    if (!test.job) return;
    for (const dsl::Pair& pair : test.job->pairs) {
      word(pair.name, job_fields(), "field of `job`");
      if (pair.list) {
        for (const dsl::ExprPtr& item : *pair.list) plain(*item);
      } else if (pair.value) {
        plain(*pair.value);
        const auto value = plain_value(*pair.value);
        const bool length = value && value->kind == dsl::LiteralKind::Duration;
        if (pair.name.text == "end" && value && !length)
          sink_.emit<diag::NotADuration>(pair.value->span, value->text);
      } else {
        sink_.emit<diag::TestValue>(pair.span, fmt::format("`{}`", pair.name.text),
                                    "a value or a list");
      }
    }
  }

  void plain(const dsl::Expr& expr) {
    if (!plain_value(expr)) sink_.emit<diag::TestValue>(expr.span, "this", "a literal or a word");
  }

  void check_values(const dsl::PairList& object) {
    for (const dsl::Pair& pair : object.pairs) {
      if (pair.object)
        check_values(*pair.object);
      else if (pair.list)
        sink_.emit<diag::TestValue>(pair.span, fmt::format("`{}`", pair.name.text), "one value");
      else
        plain(*pair.value);
    }
  }

  void check_log(const dsl::TestLog& log) {
    if (log.kind != dsl::TestLog::Kind::Metric)
      word(log.source, words_of<model::SourceKind>(), "source");
    if (log.lines.empty()) sink_.emit<diag::EmptyLog>(log.span);
    const bool wants_object = log.kind != dsl::TestLog::Kind::Lines;
    for (const dsl::TestLine& line : log.lines) {
      if (line.object.has_value() != wants_object) {
        sink_.emit<diag::TestValue>(line.span, "an entry of this log",
                                    wants_object ? "fields in braces" : "a line in double quotes");
      }
      if (line.object) check_values(*line.object);
      for (const auto& [name, fields] : line.expects) check_extract(name, fields);
    }
  }

  void check_extract(const dsl::Name& name, const dsl::PairList& fields) {
    if (!known(name, extracts_, "extract")) return;
    for (const compiler::Extract& extract : module_.extracts) {
      if (extract.name != name.text && extract.pack + "." + extract.name != name.text) continue;
      static const std::vector<model::Field> kNone;
      check_fields(fields, extract.event ? module_.events[*extract.event].fields : kNone,
                   fmt::format("what extract `{}` makes", name.text));
      return;
    }
  }

  void check_fields(const dsl::PairList& given, const std::vector<model::Field>& fields,
                    const std::string& owner) {
    Words names;
    for (const model::Field& field : fields) names.push_back(field.name);
    for (const dsl::Pair& pair : given.pairs) {
      if (std::find(names.begin(), names.end(), pair.name.text) == names.end()) {
        Diagnostic& report = sink_.emit<diag::UnknownField>(pair.name.span, owner, pair.name.text);
        if (const auto near = nearest(pair.name.text, names))
          report.hint(fmt::format("did you mean `{}`?", *near));
      }
      if (!pair.value)
        sink_.emit<diag::TestValue>(pair.span, fmt::format("`{}`", pair.name.text), "one value");
      else
        plain(*pair.value);
    }
  }

  void check_expectation(const Expectation& expect) {
    switch (expect.kind) {
      case ExpectKind::Status:
        word(expect.names[0], words_of<model::VerdictStatus>(), "status");
        return;
      case ExpectKind::Outcome:
        word(expect.names[0], words_of<model::Outcome>(), "outcome");
        return;
      case ExpectKind::Domain:
        word(expect.names[0], words_of<model::Domain>(), "domain");
        return;
      default:
        break;
    }
    for (const dsl::Name& name : expect.names) {
      if (!known(name, symptoms_, "symptom") || !expect.fields) continue;
      for (const model::SymptomType& symptom : module_.symptoms) {
        if (symptom.name == name.text)
          check_fields(*expect.fields, symptom.fields, fmt::format("symptom `{}`", name.text));
      }
    }
    if (expect.confidence) word(*expect.confidence, words_of<model::Band>(), "confidence");
    if (expect.role) word(*expect.role, roles_, "role");
    if (expect.by) known(*expect.by, demotes_, "demote rule");
  }

  const compiler::Module& module_;
  DiagnosticSink& sink_;
  Words symptoms_, extracts_, demotes_, roles_;
};

}  // namespace

void check_names(const std::vector<dsl::File>& files, const compiler::Module& module,
                 DiagnosticSink& sink) {
  NameChecker checker(module, sink);
  for (const dsl::File& file : files) {
    for (const dsl::Decl& decl : file.decls) {
      if (const auto* test = std::get_if<dsl::TestDecl>(&decl)) checker.check(*test);
    }
  }
}

}  // namespace attrib::ruletest
