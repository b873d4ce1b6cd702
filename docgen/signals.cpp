#include "docgen/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/diagnostics_render.h"
#include "base/text.h"
#include "compiler/csv.h"
#include "compiler/data_files.h"
#include "docgen/markdown.h"

namespace attrib::docgen {
namespace {

constexpr std::array<std::string_view, kSignalGrades> kGrades = {"read", "sample", "derived",
                                                                 "recall", "memory"};
constexpr std::array<std::string_view, 5> kHeader = {"signal", "grade", "rules", "left_out",
                                                     "source"};

std::string area_of(const std::string& path) {
  const auto slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".csv")) name.resize(name.size() - 4);
  return name;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

class SignalReader {
 public:
  explicit SignalReader(const Library& library)
      : library_(library), context_{sources_, sink_, data_, options_, {}, {}, {}, {}, {}, {}} {
    for (const compiler::Rule& rule : library.module().rules) {
      rules_.push_back(rule.pack + "." + rule.name);
    }
  }

  Signals read(std::vector<std::pair<std::string, std::string>> files) {
    std::sort(files.begin(), files.end());
    for (auto& [path, text] : files) {
      out_.areas.push_back({area_of(path), {}});
      read_file(sources_.add(path, std::move(text)));
    }
    return std::move(out_);
  }

 private:
  void read_file(SourceId id) {
    const auto rows = compiler::parse_csv(context_, id);
    if (!rows) {
      for (const Diagnostic* d : sink_.sorted(sources_)) {
        if (d->span.source == id) problem(d->span, d->message);
      }
      return;
    }
    std::vector<std::string> header;
    for (const compiler::CsvCell& cell : rows->front().cells) header.push_back(cell.text);
    if (!std::equal(header.begin(), header.end(), kHeader.begin(), kHeader.end())) {
      problem(rows->front().cells.front().span,
              fmt::format("the header is not `{}`", fmt::join(kHeader, ",")));
      return;
    }
    for (std::size_t i = 1; i < rows->size(); ++i) read_row((*rows)[i]);
  }

  void read_row(const compiler::CsvRow& row) {
    const std::size_t before = out_.problems.size();
    const Span span = row.cells.front().span;
    Signal signal{
        row.cells[0].text, {}, words_of(row.cells[2].text), row.cells[3].text, row.cells[4].text};
    check_name(signal.name, span);
    const auto grade = std::find(kGrades.begin(), kGrades.end(), row.cells[1].text);
    if (grade == kGrades.end()) {
      problem(span, fmt::format("`{}` is no grade; one of {}", row.cells[1].text,
                                fmt::join(kGrades, ", ")));
    } else {
      signal.grade = static_cast<SignalGrade>(grade - kGrades.begin());
    }
    for (const std::string& rule : signal.rules) check_rule(rule, span);
    if (signal.rules.empty() && signal.left_out.empty()) {
      problem(span, "no rule reads it, and `left_out` does not say why");
    }
    if (!signal.rules.empty() && !signal.left_out.empty()) {
      problem(span, "rules read it, yet `left_out` says why none does");
    }
    if (signal.source.empty()) problem(span, "it has no source");
    if (out_.problems.size() == before) out_.areas.back().signals.push_back(std::move(signal));
  }

  void check_name(const std::string& name, Span span) {
    if (name.empty() || name.find_first_of(" \t\"|") != std::string::npos) {
      problem(span, "a signal is named by one word");
    }
    const auto [known, fresh] = known_.try_emplace(name, place(span));
    if (!fresh)
      problem(span, fmt::format("signal `{}` is listed already, in {}", name, known->second));
  }
  void check_rule(const std::string& rule, Span span) {
    if (!library_.find(rule).empty()) return;
    const auto near = nearest(rule, rules_);
    problem(span, fmt::format("no rule is called `{}`{}", rule,
                              near ? fmt::format("; did you mean `{}`?", *near) : ""));
  }

  [[nodiscard]] std::string place(Span span) const {
    return fmt::format("{}:{}", sources_.path(span.source),
                       sources_.line_column(span.source, span.begin).line);
  }
  void problem(Span span, const std::string& what) {
    out_.problems.push_back(fmt::format("{}: {}", place(span), what));
  }

  const Library& library_;
  SourceMap sources_;
  DiagnosticSink sink_;
  compiler::DiskData data_{{}};
  compiler::CheckOptions options_;
  compiler::Context context_;  // What the CSV reader reports to.
  std::vector<std::string> rules_;
  std::map<std::string, std::string> known_;  // Signal -> where.
  Signals out_;
};

std::string rule_link(const Library& library, const std::string& rule) {
  const auto found = library.find(rule);
  if (found.empty()) return code(rule);
  const auto& [pack, heading] = found.front();
  return link(escaped(rule), "packs/" + Library::target("", pack, heading));
}

std::string percent(const SignalCount& count) {
  if (count.total == 0) return "";
  const std::size_t permille = count.with_rules * 1000 / count.total;  // Down: only all is 100.0.
  return fmt::format("{}.{}", permille / 10, permille % 10);
}

std::string area_table(const Library& library, const SignalArea& area) {
  std::string out = fmt::format(
      "\n## {}\n\n| signal | grade | read by | source |\n|---|---|---|---|\n", area.name);
  for (const Signal& signal : area.signals) {
    std::vector<std::string> links;
    for (const std::string& rule : signal.rules) links.push_back(rule_link(library, rule));
    out += fmt::format("| {} | {} | {} | {} |\n", code(signal.name), to_text(signal.grade),
                       links.empty() ? "left out: " + escaped(signal.left_out)
                                     : fmt::format("{}", fmt::join(links, ", ")),
                       escaped(signal.source));
  }
  return out;
}

constexpr std::string_view kHead = R"(# Signals and the rules that read them

Generated from the lists in `stdlib-rules/signals/`. Do not edit: `tools/docs.sh` writes it anew.

A signal is one thing that can be seen of a failing job: a family of lines, a metric, a field of a record. Its grade says
how well its text is known: `read` in the source of the program or on the vendor's page, `sample` of real output, `derived` from
such, or from general knowledge (`recall`, `memory`). A signal without a rule is left out for the reason given.

)";

}  // namespace

std::string_view to_text(SignalGrade grade) { return kGrades[static_cast<std::size_t>(grade)]; }

Signals read_signals(const Library& library,
                     const std::vector<std::pair<std::string, std::string>>& files) {
  return SignalReader(library).read(files);
}

SignalCount count_signals(const Signals& signals, SignalGrade grade) {
  SignalCount count;
  for (const SignalArea& area : signals.areas) {
    for (const Signal& signal : area.signals) {
      if (signal.grade != grade) continue;
      ++count.total;
      count.with_rules += signal.rules.empty() ? 0 : 1;
    }
  }
  return count;
}

std::string signals_page(const Library& library, const Signals& signals) {
  std::string out(kHead);
  out += "| grade | signals | with rules | % | left out |\n|---|---:|---:|---:|---:|\n";
  SignalCount all;
  const auto row = [&](std::string_view name, const SignalCount& count) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", name, count.total, count.with_rules,
                       percent(count), count.total - count.with_rules);
  };
  for (std::size_t i = 0; i < kSignalGrades; ++i) {
    const auto grade = static_cast<SignalGrade>(i);
    const SignalCount count = count_signals(signals, grade);
    if (count.total > 0) row(to_text(grade), count);
    all.total += count.total;
    all.with_rules += count.with_rules;
  }
  row("all", all);
  for (const SignalArea& area : signals.areas) out += area_table(library, area);
  return out;
}

}  // namespace attrib::docgen
