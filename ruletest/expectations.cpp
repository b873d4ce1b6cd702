#include "ruletest/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "dsl/print.h"
#include "model/value.h"
#include "ruletest/values.h"

namespace attrib::ruletest {
namespace {

using dsl::Expectation;
using ExpectKind = Expectation::Kind;
using verdict::Symptom;
using verdict::Verdict;

bool is_at(const Symptom& symptom, const dsl::Where& where) {
  const std::string address = model::read_value(model::Reader::Pci, where.text).text;
  switch (where.kind) {
    case dsl::Where::Kind::Node:
      return symptom.node == where.text;
    case dsl::Where::Kind::Rank:
      return symptom.rank == where.number;
    case dsl::Where::Kind::Gpu:
      return symptom.gpu && (*symptom.gpu == where.text || *symptom.gpu == address);
    case dsl::Where::Kind::Attempt:
      return symptom.entity.kind == model::EntityKind::Attempt;
  }
  return false;
}

bool has_role(const Symptom& symptom, const std::string& role) {
  return model::word(symptom.role) == role || verdict::to_text(symptom.state) == role;
}

bool demoted_by(const Symptom& symptom, const std::string& rule) {
  return std::any_of(symptom.demoted_by.begin(), symptom.demoted_by.end(),
                     [&](const verdict::Demotion& each) { return is_called(each.rule, rule); });
}

// Everything the expectation says about one symptom, its state apart. `band` is the confidence to
// compare: a root is held to what the verdict prints, which may be lower than its own.
bool fits_with(const Symptom& symptom, const Expectation& expect, model::Band band) {
  return symptom.symptom == expect.names[0].text && (!expect.at || is_at(symptom, *expect.at)) &&
         (!expect.fields || have_values(symptom.fields, *expect.fields)) &&
         (!expect.confidence || model::word(band) == expect.confidence->text) &&
         (!expect.role || has_role(symptom, expect.role->text)) &&
         (!expect.by || demoted_by(symptom, expect.by->text));
}

std::string place_text(const Symptom& symptom) {
  std::string out;
  if (symptom.node) out += fmt::format(" at \"{}\"", *symptom.node);
  if (symptom.rank) out += fmt::format(" at rank {}", *symptom.rank);
  if (symptom.gpu) out += fmt::format(" at gpu \"{}\"", *symptom.gpu);
  if (!out.empty()) return out;
  if (symptom.entity.kind == model::EntityKind::Attempt) return " at attempt";
  return fmt::format(" at {} {}", model::word(symptom.entity.kind),
                     symptom.entity.id.empty() ? "unknown" : symptom.entity.id);
}

model::Band band_of(const Verdict& verdict, const Symptom& symptom) {
  return symptom.state == verdict::SymptomState::Root
             ? verdict.confidence.value_or(symptom.confidence)
             : symptom.confidence;
}

std::string symptom_text(const Verdict& verdict, const Symptom& symptom) {
  std::string out =
      fmt::format("{} {}{}", verdict::to_text(symptom.state), symptom.symptom, place_text(symptom));
  if (!symptom.fields.empty()) out += " " + fields_text(symptom.fields);
  for (const verdict::Demotion& each : symptom.demoted_by) out += " by " + each.rule;
  return out + fmt::format(" ({})", model::word(band_of(verdict, symptom)));
}

std::string list_text(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "\"" : ", \"") + item + "\"";
  return "[" + out + "]";
}

std::vector<std::string> names_of(const Verdict& verdict,
                                  const std::vector<std::uint32_t>& indexes) {
  std::set<std::string> names;
  for (const std::uint32_t index : indexes) names.insert(verdict.symptoms[index].symptom);
  return {names.begin(), names.end()};
}

std::string status_text(const Verdict& verdict) {
  std::string out(model::word(verdict.status));
  if (!verdict.root_causes.empty()) {
    out += fmt::format(": {}", fmt::join(names_of(verdict, verdict.root_causes), ", "));
  }
  if (verdict.status != model::VerdictStatus::Ambiguous) return out;
  std::vector<std::uint32_t> tied;
  for (const verdict::Candidate& each : verdict.alternatives)
    tied.insert(tied.end(), each.members.begin(), each.members.end());
  return out + fmt::format(" between {}", fmt::join(names_of(verdict, tied), ", "));
}

// The symptoms of the expected name, for people; else all that there is.
std::string about_symptom(const Verdict& verdict, const std::string& name) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> same;
  for (const Symptom& symptom : verdict.symptoms) {
    if (symptom.symptom == name) same.push_back(symptom_text(verdict, symptom));
  }
  if (same.empty()) return fmt::format("no symptom {}; {}", name, status_text(verdict));
  std::string out;
  for (std::size_t i = 0; i < std::min(same.size(), kShown); ++i)
    out += (i == 0 ? "" : "; ") + same[i];
  if (same.size() > kShown) out += fmt::format("; and {} more", same.size() - kShown);
  return out;
}

class VerdictCheck {
 public:
  VerdictCheck(const dsl::TestDecl& test, const Verdict& verdict)
      : test_(test), verdict_(verdict) {}

  std::vector<Failure> run() {
    for (const Expectation& expect : test_.expects) check(expect);
    check_closed();
    return std::move(failures_);
  }

 private:
  void fail(const Expectation& expect, std::string actual) {
    failures_.push_back({expect.span, dsl::print_expectation(expect), std::move(actual)});
  }
  void require(bool holds, const Expectation& expect, const std::string& actual) {
    if (!holds) fail(expect, actual);
  }

  bool any_symptom(const std::function<bool(const Symptom&)>& wanted) const {
    return std::any_of(verdict_.symptoms.begin(), verdict_.symptoms.end(), wanted);
  }
  bool any_root(const Expectation& expect) const {
    return std::any_of(verdict_.root_causes.begin(), verdict_.root_causes.end(),
                       [&](std::uint32_t root) { return fits(verdict_.symptoms[root], expect); });
  }

  [[nodiscard]] bool fits(const Symptom& symptom, const Expectation& expect) const {
    return fits_with(symptom, expect, band_of(verdict_, symptom));
  }

  void check(const Expectation& expect) {
    const auto word = [&](std::string_view actual) {
      require(actual == expect.names[0].text, expect, std::string(actual));
    };
    switch (expect.kind) {
      case ExpectKind::Root:
      case ExpectKind::RootsInclude:
        require(any_root(expect), expect, about_symptom(verdict_, expect.names[0].text));
        break;
      case ExpectKind::Demoted:
        require(any_symptom([&](const Symptom& s) {
                  return s.state == verdict::SymptomState::Demoted && fits(s, expect);
                }),
                expect, about_symptom(verdict_, expect.names[0].text));
        break;
      case ExpectKind::Symptom:
        require(any_symptom([&](const Symptom& s) { return fits(s, expect); }), expect,
                about_symptom(verdict_, expect.names[0].text));
        break;
      case ExpectKind::No:
        require(!any_symptom([&](const Symptom& s) { return fits(s, expect); }), expect,
                about_symptom(verdict_, expect.names[0].text));
        break;
      case ExpectKind::Status:
        word(model::word(verdict_.status));
        break;
      case ExpectKind::Outcome:
        word(model::word(verdict_.outcome));
        break;
      case ExpectKind::Domain:
        word(model::word(verdict_.domain));
        break;
      case ExpectKind::Affected:
        check_nodes(expect, verdict_.affected_nodes);
        break;
      case ExpectKind::Exclude:
        check_nodes(expect, verdict_.exclude_nodes);
        break;
      case ExpectKind::Ambiguous:
        check_ambiguous(expect);
        break;
      case ExpectKind::NoAmbiguous:
        require(verdict_.status != model::VerdictStatus::Ambiguous, expect, status_text(verdict_));
        break;
      case ExpectKind::Unattributed:
        require(verdict_.status == model::VerdictStatus::Unattributed, expect,
                status_text(verdict_));
        break;
      case ExpectKind::Ask:
        check_ask(expect);
        break;
    }
  }

  void check_nodes(const Expectation& expect, const std::vector<std::string>& actual) {
    std::set<std::string> wanted;
    for (const dsl::Text& text : expect.texts) wanted.insert(text.value);
    require(wanted == std::set<std::string>(actual.begin(), actual.end()), expect,
            list_text(actual));
  }

  void check_ambiguous(const Expectation& expect) {
    if (verdict_.status != model::VerdictStatus::Ambiguous)
      return fail(expect, status_text(verdict_));
    if (expect.names.empty()) return;
    std::set<std::string> wanted;
    std::set<std::string> tied;
    for (const dsl::Name& name : expect.names) wanted.insert(name.text);
    for (const verdict::Candidate& each : verdict_.alternatives) {
      for (const std::string& name : names_of(verdict_, each.members)) tied.insert(name);
    }
    require(wanted == tied, expect, status_text(verdict_));
  }

  void check_ask(const Expectation& expect) {
    const std::string& wanted = expect.texts[0].value;
    const auto mentions = [&](const std::string& text) {
      return text.find(wanted) != std::string::npos;
    };
    const bool found = std::any_of(verdict_.ask.begin(), verdict_.ask.end(), mentions) ||
                       std::any_of(verdict_.reports.begin(), verdict_.reports.end(), mentions);
    require(found, expect, verdict_.ask.empty() ? "nothing is asked" : list_text(verdict_.ask));
  }

  void check_closed() {
    std::vector<const Expectation*> roots;
    for (const Expectation& expect : test_.expects) {
      if (expect.kind == ExpectKind::RootsInclude) return;
      if (expect.kind == ExpectKind::Root) roots.push_back(&expect);
    }
    if (roots.empty()) return;
    for (const std::uint32_t index : verdict_.root_causes) {
      const Symptom& root = verdict_.symptoms[index];
      const bool named = std::any_of(roots.begin(), roots.end(), [&](const Expectation* expect) {
        return fits(root, *expect);
      });
      if (!named)
        failures_.push_back({roots.front()->span, "no other root", symptom_text(verdict_, root)});
    }
  }

  const dsl::TestDecl& test_;
  const Verdict& verdict_;
  std::vector<Failure> failures_;
};

class LineCheck {
 public:
  LineCheck(const TestEvidence& evidence, const vm::RunResult& run)
      : evidence_(evidence), run_(run) {}

  void check(const dsl::TestLine& line, std::uint32_t observation,
             std::vector<Failure>& failures) const {
    const bool matched = std::find(run_.unmatched.begin(), run_.unmatched.end(), observation) ==
                         run_.unmatched.end();
    if (line.expects_nothing && matched)
      failures.push_back({line.span, "no extract matches this line", made_text(observation)});
    if (!line.expects_nothing && !matched) {
      failures.push_back({line.span, "some extract matches this line (or it says `=> nothing`)",
                          seen_text(observation)});
      return;
    }
    for (const auto& [extract, fields] : line.expects) {
      if (made(observation, extract.text, fields)) continue;
      failures.push_back({line.span,
                          fmt::format("event of {} {}", extract.text, wanted_text(fields)),
                          made_text(observation)});
    }
  }

 private:
  bool made(std::uint32_t observation, const std::string& extract,
            const dsl::PairList& fields) const {
    return std::any_of(
        run_.events.begin(), run_.events.end(), [&](const vm::ExtractedEvent& event) {
          return event.observation == observation && is_called(event.extract, extract) &&
                 have_values(event.fields, fields);
        });
  }

  static std::string wanted_text(const dsl::PairList& fields) {
    std::string out;
    for (const dsl::Pair& pair : fields.pairs) {
      out += (out.empty() ? " " : ", ") + pair.name.text + ": " +
             (pair.value ? dsl::print(*pair.value) : "...");
    }
    return "{" + out + (out.empty() ? "}" : " }");
  }

  std::string made_text(std::uint32_t observation) const {
    std::string out;
    for (const vm::ExtractedEvent& event : run_.events) {
      if (event.observation != observation) continue;
      out += (out.empty() ? "" : "; ") + event.extract + " " + fields_text(event.fields);
    }
    if (!out.empty()) return out;
    const bool matched = std::find(run_.unmatched.begin(), run_.unmatched.end(), observation) ==
                         run_.unmatched.end();
    return matched ? "it became a fact or part of another record, or another line of its stream "
                     "took its place (`keep`); not an event"
                   : seen_text(observation);
  }

  // What the extracts saw, which is not what was written if framing took a prefix off.
  std::string seen_text(std::uint32_t observation) const {
    const evidence::Observation& seen = evidence_.evidence.observations[observation];
    if (seen.is_metric) return "none matches metric " + seen.name;
    if (seen.is_record) return "none matches the record";
    return fmt::format("none matches \"{}\"", seen.message);
  }

  const TestEvidence& evidence_;
  const vm::RunResult& run_;
};

}  // namespace

bool is_called(const std::string& full_name, const std::string& name) {
  if (full_name == name) return true;
  return full_name.size() > name.size() && full_name.ends_with(name) &&
         full_name[full_name.size() - name.size() - 1] == '.';
}

std::vector<Failure> failed_expectations(const dsl::TestDecl& test, const Verdict& verdict) {
  return VerdictCheck(test, verdict).run();
}

std::vector<Failure> failed_lines(const dsl::TestDecl& test, const TestEvidence& evidence,
                                  const vm::RunResult& run) {
  std::vector<Failure> failures;
  const LineCheck check(evidence, run);
  for (std::size_t log = 0; log < test.logs.size(); ++log) {
    for (std::size_t line = 0; line < test.logs[log].lines.size(); ++line) {
      check.check(test.logs[log].lines[line], evidence.observations[log][line], failures);
    }
  }
  return failures;
}

}  // namespace attrib::ruletest
