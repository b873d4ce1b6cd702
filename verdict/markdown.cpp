#include <fmt/format.h>

#include <algorithm>

#include "verdict/format.h"
#include "verdict/narrate.h"
#include "verdict/print.h"

namespace attrib::verdict {
namespace {

constexpr std::size_t kRows = 30;   // Of a table: a ticket is read, not scrolled.
constexpr std::size_t kCauses = 8;  // Of a list of causes.

// What would be markup in running text or a table cell is escaped; log text never becomes a link or
// a heading.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_{}[]#|~!@").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// A code block whose fence is longer than any run of backticks inside.
std::string code_block(const std::vector<std::string>& lines) {
  std::size_t longest = 2;
  for (const std::string& line : lines) {
    std::size_t run = 0;
    for (const char c : line) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}text\n{}\n{}\n", fence, fmt::join(lines, "\n"), fence);
}

void quote_block(std::string& out, const Symptom& s, const QuoteLine& quote) {
  std::vector<std::string> lines;
  for (const std::string& id : s.evidence) {
    const std::string text = quote ? quote(id) : "";
    lines.push_back(fmt::format("{}: {}", printable(id), printable(text)));
  }
  if (s.evidence_truncated) lines.emplace_back("...");
  if (!lines.empty()) out += "\n" + code_block(lines);
  for (const AbsentEvidence& a : s.absences) {
    out += fmt::format("\nNo {} of {} from {} to {} ({}).\n", escaped(a.absent), escaped(a.of),
                       rfc3339(a.from), rfc3339(a.to), a.covered ? "covered" : "not covered");
  }
}

void cause(std::string& out, const Symptom& s, const QuoteLine& quote, std::string_view why) {
  out += fmt::format("\n**{}**", escaped(describe(s)));
  if (!why.empty()) out += fmt::format(" ({})", escaped(why));
  out += fmt::format("\n\n- symptom {}, domain {}, {}\n", escaped(s.symptom), model::word(s.domain),
                     model::word(s.confidence));
  if (s.begin.known)
    out += fmt::format("- began {}{}\n", rfc3339(stamp(s.begin)),
                       s.count > 1 ? fmt::format(", {} times", grouped(s.count)) : "");
  out += fmt::format("- rule {}\n", escaped(s.proof.rule));
  quote_block(out, s, quote);
}

struct Told {
  std::uint32_t symptom;
  std::string_view why;
};
void causes(std::string& out, const Verdict& v, const std::vector<Told>& all,
            const QuoteLine& quote) {
  for (std::size_t i = 0; i < std::min(all.size(), kCauses); ++i) {
    cause(out, v.symptoms.at(all[i].symptom), quote, all[i].why);
  }
  if (all.size() > kCauses) {
    out += fmt::format("\n{} more are left out.\n", grouped(all.size() - kCauses));
  }
}

void table(std::string& out, const Verdict& v) {
  if (v.symptoms.empty()) return;
  out +=
      "\n## Symptoms\n\n| began (UTC) | symptom | where | role | behind |\n|---|---|---|---|---|\n";
  std::size_t n = 0;
  for (const Symptom& s : v.symptoms) {
    if (n++ == kRows) {
      out += fmt::format("\n{} more are left out.\n", grouped(v.symptoms.size() - kRows));
      break;
    }
    std::string behind;
    if (!s.demoted_by.empty()) {
      const Demotion& d = s.demoted_by.front();
      behind = fmt::format("{}: {}", escaped(title_of(v.symptoms.at(d.cause))), escaped(d.because));
    }
    out +=
        fmt::format("| {} | {} | {} | {} | {} |\n", s.begin.known ? rfc3339(stamp(s.begin)) : "?",
                    escaped(title_of(s)), escaped(place_text(s)), to_text(s.state), behind);
  }
}

void list(std::string& out, std::string_view heading, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out += fmt::format("\n## {}\n\n", heading);
  for (const std::string& item : items) out += fmt::format("- {}\n", escaped(item));
}

std::vector<std::string> next_steps(const Verdict& v) {
  std::vector<std::string> out;
  const auto say = [&](std::string text) {
    if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end())
      out.push_back(std::move(text));
  };
  for (const std::uint32_t index : v.root_causes) say(v.symptoms.at(index).action);
  if (v.retry != model::Retry::Unknown) say(fmt::format("retry: {}", model::word(v.retry)));
  if (!v.exclude_nodes.empty()) say(fmt::format("leave out {}", fmt::join(v.exclude_nodes, ", ")));
  for (const EntityRef& e : v.suspects) say(fmt::format("suspect, not proven: {}", entity_text(e)));
  for (const std::string& ask : v.ask) say(ask);
  return out;
}

std::vector<std::string> gaps(const Verdict& v) {
  std::vector<std::string> out;
  for (const CoverageItem& item : v.coverage) {
    out.push_back(fmt::format("{}{}: {}{}", model::word(item.source),
                              item.node.empty() ? "" : " of " + item.node, item.status,
                              item.reason.empty() ? "" : ", " + item.reason));
  }
  for (const Incomplete& i : v.incomplete)
    out.push_back(fmt::format("{} stopped at {} {}", i.rule, grouped(i.limit), i.factor));
  return out;
}

}  // namespace

std::string to_markdown(const Verdict& v, const QuoteLine& quote) {
  std::string out = fmt::format("# {}\n\n", escaped(v.summary));
  out +=
      fmt::format("Job {}{}: outcome {}, {}", v.workload_id.empty() ? "?" : escaped(v.workload_id),
                  v.attempt ? fmt::format(", attempt {}", *v.attempt) : "",
                  escaped(model::word(v.outcome)), escaped(model::word(v.status)));
  if (v.confidence) out += fmt::format(", {}", model::word(*v.confidence));
  if (v.provisional) out += ", **provisional**";
  out += fmt::format(", domain {}.\n", escaped(model::word(v.domain)));
  if (!v.root_causes.empty()) out += "\n## Root cause\n";
  std::vector<Told> told;
  for (const std::uint32_t index : v.root_causes) told.push_back({index, ""});
  causes(out, v, told, quote);
  if (!v.alternatives.empty()) out += "\n## Alternatives\n";
  told.clear();
  for (const Candidate& candidate : v.alternatives) {
    for (const std::uint32_t index : candidate.members) told.push_back({index, candidate.why});
  }
  causes(out, v, told, quote);
  table(out, v);
  list(out, "Missing", gaps(v));
  list(out, "Next", next_steps(v));
  return out;
}

}  // namespace attrib::verdict
