#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verdict/format.h"
#include "verdict/narrate.h"
#include "verdict/print.h"

namespace attrib::verdict {
namespace {

using model::Role;
using model::VerdictStatus;

// Lines a section may take unless `explain`; with the blank lines and headings between them they
// stay within 60.
constexpr std::size_t kHeadLines = 5;
constexpr std::size_t kCauseLines = 16;
constexpr std::size_t kTimelineLines = 9;
constexpr std::size_t kDemotedLines = 10;
constexpr std::size_t kMissingLines = 5;
constexpr std::size_t kNextLines = 7;
constexpr std::size_t kQuotedLines = 3;  // Of one cause.
constexpr std::size_t kCausesShown = 3;
constexpr std::size_t kQuoteRows = 3;  // Rows one quoted log line may take.

class Page {
 public:
  Page(const Verdict& v, const QuoteLine& quote, const TextOptions& options)
      : v_(v), quote_(quote), options_(options), width_(std::max<std::size_t>(options.width, 40)) {}

  std::string print() {
    headline();
    causes();
    timeline();
    demoted();
    missing();
    next();
    if (options_.explain) proof();
    return std::move(out_);
  }

 private:
  using Lines = std::vector<std::string>;

  [[nodiscard]] std::string bold(const std::string& text) const {
    return options_.color ? "\x1b[1m" + text + "\x1b[0m" : text;
  }

  // `text` wrapped behind `lead`, later rows under its end.
  void put(Lines& lines, const std::string& lead, std::string_view text,
           std::size_t most = 99) const {
    const std::size_t indent = columns(lead);
    Lines rows = wrapped(printable(text), width_ > indent ? width_ - indent : 8);
    const bool cut = rows.size() > most && !options_.explain;
    if (cut) {
      rows.resize(most);
      if (columns(rows.back()) + 4 > width_ - indent) {
        rows.back() = wrapped(rows.back(), width_ - indent - 4)[0];
      }
      rows.back() += " ...";
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      lines.push_back((i == 0 ? lead : std::string(indent, ' ')) + rows[i]);
    }
  }

  void section(const std::string& title, Lines lines, std::size_t most) {
    if (lines.empty()) return;
    if (!options_.explain && lines.size() > most) {
      const std::size_t left = lines.size() - (most - 1);
      lines.resize(most - 1);
      lines.push_back(
          fmt::format("  ... {} (--explain shows all)", plural(left, "more line", "more lines")));
    }
    if (!title.empty()) out_ += "\n" + bold(title) + "\n";
    for (const std::string& line : lines) {
      std::string_view kept = line;
      while (!kept.empty() && kept.back() == ' ') kept.remove_suffix(1);
      out_ += std::string(kept) + "\n";
    }
  }

  void headline() {
    Lines lines;
    std::string head = fmt::format("{}: ", model::word(v_.outcome));
    std::transform(head.begin(), head.end(), head.begin(), [](char c) {
      return c == '_' ? ' ' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    put(lines, "", head + v_.summary, 4);
    for (std::string& line : lines) line = bold(line);
    std::string facts = fmt::format(
        "{}", model::word(v_.status) == "no_failure" ? "no failure" : model::word(v_.status));
    if (v_.confidence) facts += fmt::format(", {}", model::word(*v_.confidence));
    if (v_.status == VerdictStatus::Attributed)
      facts += fmt::format(" | domain {}", model::word(v_.domain));
    if (!v_.workload_id.empty()) facts += fmt::format(" | job {}", v_.workload_id);
    if (v_.attempt) facts += fmt::format(" attempt {}", *v_.attempt);
    if (v_.provisional) facts += " | PROVISIONAL";
    put(lines, "", facts, 1);
    section("", std::move(lines), kHeadLines);
  }

  void quote_evidence(Lines& lines, const Symptom& s, std::size_t most) const {
    std::size_t shown = 0;
    for (const std::string& id : s.evidence) {
      if (shown == most && !options_.explain) break;
      const std::string text = quote_ ? quote_(id) : "";
      put(lines, fmt::format("  > {}: ", printable(id)), text.empty() ? "(not a line)" : text,
          kQuoteRows);
      ++shown;
    }
    const std::size_t more = s.evidence.size() - shown;
    if (more > 0 || s.evidence_truncated) {
      lines.push_back(more > 0
                          ? fmt::format("    and {}{}", plural(more, "more line", "more lines"),
                                        s.evidence_truncated ? " or more" : "")
                          : "    and more lines");
    }
    for (const AbsentEvidence& a : s.absences) {
      put(lines, "  > ",
          fmt::format("no {} of {} from {} to {} ({})", a.absent, a.of, clock_text(a.from),
                      clock_text(a.to),
                      a.covered ? "the logs are complete there" : "the logs may be incomplete"),
          kQuoteRows);
    }
  }

  void one_cause(Lines& lines, const Symptom& s, const std::string& mark,
                 std::size_t quotes) const {
    put(lines, "  " + mark, describe(s), 2);
    std::string facts;
    if (s.begin.known)
      facts = fmt::format("at {} {}Z", date_text(stamp(s.begin)), clock_text(stamp(s.begin)));
    if (s.count > 1 && s.last.known) {
      facts += fmt::format("{}{} times until {}Z", facts.empty() ? "" : ", ", grouped(s.count),
                           clock_text(stamp(s.last)));
    }
    facts += fmt::format("{}{}; rule {}", facts.empty() ? "" : "; ", model::word(s.confidence),
                         s.proof.rule);
    put(lines, "    ", facts, 2);
    quote_evidence(lines, s, quotes);
  }

  void causes() {
    Lines lines;
    if (v_.status == VerdictStatus::Attributed) {
      for (std::size_t i = 0; i < v_.root_causes.size(); ++i) {
        if (i == kCausesShown && !options_.explain) {
          lines.push_back(fmt::format("  and {} like it", grouped(v_.root_causes.size() - i)));
          break;
        }
        one_cause(lines, v_.symptoms.at(v_.root_causes[i]), "", i == 0 ? kQuotedLines : 1);
      }
      section(v_.root_causes.size() == 1 ? "ROOT CAUSE" : "ROOT CAUSES", std::move(lines),
              kCauseLines);
      return;
    }
    if (v_.status != VerdictStatus::Ambiguous) {
      signs();
      return;
    }
    std::size_t n = 0;
    for (const Candidate& candidate : v_.alternatives) {
      if (n == kCausesShown && !options_.explain) {
        lines.push_back(fmt::format("  and {} more", grouped(v_.alternatives.size() - n)));
        break;
      }
      ++n;
      for (const std::uint32_t member : candidate.members) {
        one_cause(lines, v_.symptoms.at(member), fmt::format("{}. ", n), 1);
      }
    }
    for (const std::string& report : v_.reports) put(lines, "  ", report, 3);
    section("FITTING EQUALLY WELL", std::move(lines), kCauseLines);
  }

  // Not attributed: what failed, without a culprit.
  void signs() {
    if (v_.status != VerdictStatus::Unattributed) return;
    Lines lines;
    std::size_t shown = 0;
    for (const Symptom& s : v_.symptoms) {
      if (s.state != SymptomState::Unexplained || s.role == Role::Note) continue;
      if (shown == kCausesShown && !options_.explain) {
        lines.push_back("  and others; see the timeline");
        break;
      }
      one_cause(lines, s, "", 1);
      ++shown;
    }
    section("UNEXPLAINED", std::move(lines), kCauseLines);
  }

  [[nodiscard]] char mark_of(const Symptom& s) const {
    switch (s.state) {
      case SymptomState::Root:
        return '*';
      case SymptomState::Demoted:
        return ' ';
      case SymptomState::Unexplained:
        return '?';
      case SymptomState::Late:
        return '>';
      case SymptomState::Survived:
        return '-';
      case SymptomState::History:
        return '<';
      case SymptomState::Note:
        return '.';
    }
    return ' ';
  }

  // Roots and ends are never the ones left out; otherwise what came first stays.
  [[nodiscard]] std::vector<const Symptom*> timeline_rows(std::size_t& left_out) const {
    std::vector<const Symptom*> rows;
    for (const Symptom& s : v_.symptoms) {
      if (s.begin.known) rows.push_back(&s);
    }
    const std::size_t room = options_.explain ? rows.size() : kTimelineLines - 2;
    std::size_t extra = rows.size() > room ? rows.size() - room : 0;
    left_out = extra;
    for (const bool important : {false, true}) {
      for (std::size_t i = rows.size(); i-- > 0 && extra > 0;) {
        const bool keep = rows[i]->state == SymptomState::Root || rows[i]->role == Role::End;
        if (keep != important) continue;
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
        --extra;
      }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Symptom* a, const Symptom* b) {
      return stamp(a->begin) < stamp(b->begin);
    });
    return rows;
  }

  void timeline() {
    std::size_t left_out = 0;
    const std::vector<const Symptom*> rows = timeline_rows(left_out);
    if (rows.empty()) return;
    Lines lines;
    for (const Symptom* s : rows) {
      std::string text = describe(*s);
      if (s->count > 1 && s->folded == 1) text += fmt::format(", {}x", grouped(s->count));
      const std::string lead =
          fmt::format("  {:<12} {} ", clock_text(stamp(s->begin)), mark_of(*s));
      put(lines, lead, text, 1);
    }
    if (v_.job_end)
      lines.push_back(fmt::format("  {:<12}   end of the job", clock_text(*v_.job_end)));
    if (left_out > 0)
      lines.push_back(fmt::format("  ({} left out)", plural(left_out, "symptom", "symptoms")));
    const std::string day = date_text(stamp(rows.front()->begin));
    section(fmt::format("TIMELINE ({}, UTC; * root, ? unexplained, > too late, - survived)", day),
            std::move(lines), kTimelineLines + 1);
  }

  void demoted() {
    Lines lines;
    std::set<std::string> told;
    for (const Symptom& s : v_.symptoms) {
      if (s.demoted_by.empty()) continue;
      put(lines, "  ", describe(s), 1);
      const Demotion& d = s.demoted_by.front();
      const Symptom& cause = v_.symptoms.at(d.cause);
      // The same reason twice is one to read.
      if (told.insert(d.rule).second || options_.explain) {
        put(lines, "    because ", d.because, 2);
      }
      if (options_.explain || s.demoted_by.size() > 1 || cause.state != SymptomState::Root) {
        put(lines, "    behind ",
            fmt::format("{}{}{}", describe(cause), d.strong ? "" : " (weakly)",
                        s.demoted_by.size() > 1
                            ? fmt::format(" and {} more", s.demoted_by.size() - 1)
                            : ""),
            1);
      }
    }
    section("EXPLAINED BY OTHERS", std::move(lines), kDemotedLines);
  }

  void missing() {
    Lines lines;
    for (const CoverageItem& item : v_.coverage) {
      put(lines, "  ",
          fmt::format("{}{}: {}{}", model::word(item.source),
                      item.node.empty() ? "" : " of " + item.node, item.status,
                      item.reason.empty() ? "" : ", " + item.reason),
          1);
    }
    for (const Incomplete& i : v_.incomplete) {
      put(lines, "  ",
          fmt::format("{} stopped at {} {}: this verdict is provisional", i.rule, grouped(i.limit),
                      i.factor),
          2);
    }
    section(v_.incomplete.empty() ? "MISSING" : "MISSING OR CUT SHORT", std::move(lines),
            kMissingLines);
  }

  [[nodiscard]] std::string retry_text() const {
    switch (v_.retry) {
      case model::Retry::SameNodes:
        return "Restart on the same nodes.";
      case model::Retry::OtherNodes:
        return "Restart on other nodes";
      case model::Retry::AfterFix:
        return "Do not restart before the cause is fixed";
      case model::Retry::Unknown:
        return "";
    }
    return "";
  }

  void next() {
    Lines lines;
    std::set<std::string> said;
    for (const std::uint32_t index : v_.root_causes) {
      const Symptom& s = v_.symptoms.at(index);
      if (s.action.empty() || !said.insert(s.action).second) continue;
      put(lines, "  - ",
          s.owner.empty() ? s.action : fmt::format("{} (owner: {})", s.action, s.owner), 2);
    }
    std::string retry = retry_text();
    if (!retry.empty()) {
      if (!v_.exclude_nodes.empty()) {
        if (retry.back() == '.') retry.pop_back();
        retry += fmt::format("; leave out {}", fmt::join(v_.exclude_nodes, ", "));
      }
      put(lines, "  - ", retry.back() == '.' ? retry : retry + ".", 2);
    }
    if (!v_.suspects.empty() && v_.status != VerdictStatus::NoFailure) {
      std::string list;
      for (const EntityRef& e : v_.suspects) list += (list.empty() ? "" : ", ") + entity_text(e);
      put(lines, "  - ",
          fmt::format("The fault lies among: {} (not proven, so none is taken out).", list), 2);
    }
    for (const std::string& ask : v_.ask) put(lines, "  - ", ask, 3);
    if (v_.status == VerdictStatus::Unattributed && !v_.where.empty()) {
      const WhereItem& w = v_.where.front();
      std::string place;
      if (w.rank) place += fmt::format("rank {}", *w.rank);
      if (w.node) place += fmt::format("{}{}", place.empty() ? "" : " on ", *w.node);
      if (!place.empty())
        put(lines, "  - ",
            fmt::format("Look first at {}: {} (where it showed, not who did it).", place, w.why),
            2);
    }
    section("WHAT TO DO NEXT", std::move(lines), kNextLines);
  }

  void proof() {
    Lines lines;
    for (std::size_t i = 0; i < v_.symptoms.size(); ++i) one_proof(lines, i);
    section("PROOF (each symptom: its lines, the rule that made it, what explains it)",
            std::move(lines), 0);
  }

  void one_proof(Lines& lines, std::size_t i) const {
    const Symptom& s = v_.symptoms[i];
    put(lines, fmt::format("  [{}] ", i),
        fmt::format("{} {}: {}", s.symptom, to_text(s.state), describe(s)));
    const std::string made = fmt::format(
        "by {}{}{}", s.proof.rule,
        s.proof.extracts.empty() ? "" : fmt::format(", from {}", fmt::join(s.proof.extracts, ", ")),
        s.proof.table_row.empty() ? "" : ", table row " + s.proof.table_row);
    put(lines, "      ", made);
    if (s.begin.known) {
      const std::string from = open_before(s.begin) ? "at some time" : rfc3339(s.begin.lo);
      put(lines, "      ", fmt::format("began {} .. {}", from, rfc3339(s.begin.hi)));
    } else {
      put(lines, "      ", "when it began is not known");
    }
    if (!s.evidence.empty()) {
      put(lines, "      ",
          fmt::format("lines {}{}", fmt::join(s.evidence, ", "),
                      s.evidence_truncated ? ", ..." : ""));
    }
    for (const AbsentEvidence& a : s.absences) {
      put(lines, "      ",
          fmt::format("no {} of {} during {} .. {}: {}", a.absent, a.of, rfc3339(a.from),
                      rfc3339(a.to), a.covered ? "covered" : "not covered"));
    }
    if (!s.proof.inputs.empty())
      put(lines, "      ", fmt::format("inferred from [{}]", fmt::join(s.proof.inputs, "], [")));
    for (const Demotion& d : s.demoted_by) {
      put(lines, "      ",
          fmt::format("behind [{}] by {} ({}): it began {} .. {} after it; {}", d.cause, d.rule,
                      d.strong ? "strong" : "weak", human_duration(d.margin_lo),
                      human_duration(d.margin_hi), d.because));
    }
  }

  const Verdict& v_;
  const QuoteLine& quote_;
  TextOptions options_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string to_text(const Verdict& verdict, const QuoteLine& quote, const TextOptions& options) {
  return Page(verdict, quote, options).print();
}

}  // namespace attrib::verdict
