#include "ruletest/loosen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/expr_walk.h"
#include "model/time.h"

namespace attrib::ruletest {
namespace {

using compiler::Expr;
using compiler::ExprId;
using compiler::ExprKind;
using compiler::Module;
using compiler::Rule;
using compiler::RuleKind;

constexpr std::size_t kShownText = 100;

// As written, in one line.
std::string written(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  if (out.size() > kShownText) out = out.substr(0, kShownText) + "...";
  return out;
}

class Loosener {
 public:
  Loosener(const Module& module, const SourceMap& sources) : sources_(sources) {
    out_.module = module;
    model::SymptomType note;
    note.name = "~";  // After all names that rules can have: no index moves.
    note.pack = "~";
    note.on = {model::EntityKind::Attempt};
    note.role = model::Role::Note;
    note.domain = model::Domain::Unattributed;
    note.title = "~";
    for (const Rule& each : module.rules) begins_.emplace(each.span.source, each.span.begin);
    note_ = static_cast<std::uint32_t>(m().symptoms.size());
    m().symptoms.push_back(std::move(note));
  }

  Loosened run() {
    const auto rules = static_cast<std::uint32_t>(m().rules.size());
    for (rule_ = 0; rule_ < rules; ++rule_) {
      const RuleKind kind = m().rules[rule_].kind;
      if (kind == RuleKind::Extract || kind == RuleKind::Ambiguous || !fires_plainly()) continue;
      number_ = 0;
      wheres();
      whens();
      absents();
      if (kind == RuleKind::Demote) window();
    }
    return std::move(out_);
  }

 private:
  Module& m() { return out_.module; }
  const Rule& rule() { return m().rules[rule_]; }

  // What fires only when something is unknown does not depend on a condition being true.
  bool fires_plainly() {
    const auto& emits = rule().emits;
    return rule().kind != RuleKind::Infer ||
           std::any_of(emits.begin(), emits.end(),
                       [](const auto& e) { return e.on == compiler::EmitOn::True; });
  }

  Rule copy() {
    Rule out = rule();
    out.name += fmt::format("~{}", number_++);
    out.emits.clear();
    if (out.kind == RuleKind::Decode || out.kind == RuleKind::Infer) {
      compiler::Emit emit;
      emit.type = note_;
      emit.span = out.span;
      out.emits.push_back(std::move(emit));
    }
    return out;
  }
  void add(Rule without, std::string text, Span span) {
    const auto index = static_cast<std::uint32_t>(m().rules.size());
    if (!is_in_rule(span)) span = rule().span;  // It is in a `let`.
    m().rules.push_back(std::move(without));
    out_.conditions.push_back({rule_, index, std::move(text), span});
  }

  // Does it stand after the rule's name and before that of the next rule?
  bool is_in_rule(Span span) {
    const Span own = rule().span;
    if (span.source != own.source || span.begin < own.begin) return false;
    const auto next = begins_.upper_bound({own.source, own.begin});
    return next == begins_.end() || next->first != own.source || span.begin < next->second;
  }

  // `and` of all but one; invalid if none is left.
  ExprId all_but(const std::vector<ExprId>& parts, std::size_t left_out) {
    ExprId all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == left_out) continue;
      if (!all.valid()) {
        all = parts[i];
        continue;
      }
      Expr both;
      both.kind = ExprKind::And;
      both.type.kind = model::ValueKind::Truth;
      both.span = m().exprs[parts[i].value].span;
      both.a = all;
      both.b = parts[i];
      all = ExprId{static_cast<std::uint32_t>(m().exprs.size())};
      m().exprs.push_back(std::move(both));
    }
    return all;
  }

  // Calls `put(rule, expression)` with each part of the condition left out.
  template <typename Put>
  void parts_of(std::string_view word, ExprId condition, const Put& put) {
    const std::vector<ExprId> parts = compiler::conjuncts(m(), condition);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Expr part = m().exprs[parts[i].value];
      if (part.kind == ExprKind::Has) continue;
      Rule without = copy();
      put(without, all_but(parts, i));
      add(std::move(without), fmt::format("{} {}", word, written(sources_.text(part.span))), part.span);
    }
  }

  void wheres() {
    for (std::size_t v = 0; v < rule().own_vars; ++v) {
      parts_of("where", rule().vars[v].where,
               [&](Rule& without, ExprId rest) { without.vars[v].where = rest; });
    }
  }
  void whens() {
    const std::string_view word = rule().kind == RuleKind::Demote ? "where" : "when";
    for (std::size_t w = 0; w < rule().whens.size(); ++w) {
      parts_of(word, rule().whens[w], [&](Rule& without, ExprId rest) {
        if (rest.valid()) {
          without.whens[w] = rest;
        } else {
          without.whens.erase(without.whens.begin() + static_cast<std::ptrdiff_t>(w));
        }
      });
    }
  }
  void absents() {
    for (std::size_t a = 0; a < rule().absents.size(); ++a) {
      Rule without = copy();
      without.absents.erase(without.absents.begin() + static_cast<std::ptrdiff_t>(a));
      const Span span = rule().absents[a].span;
      add(std::move(without), written(sources_.text(span)), span);
    }
  }

  // Wide enough for any job.
  void window() {
    constexpr model::Nanos kYear = model::kHour * 24 * 365;
    Rule without = copy();
    without.window_from = duration(-kYear);
    without.window_to = duration(kYear);
    Span span = m().exprs[rule().window_from.value].span;
    span.end = std::max(span.end, m().exprs[rule().window_to.value].span.end);
    add(std::move(without), "within " + written(sources_.text(span)), span);
  }
  ExprId duration(model::Nanos length) {
    Expr made;
    made.type.kind = model::ValueKind::Duration;
    made.type.reader = model::Reader::Length;
    made.constant = model::duration_constant(length);
    m().exprs.push_back(std::move(made));
    return ExprId{static_cast<std::uint32_t>(m().exprs.size() - 1)};
  }

  const SourceMap& sources_;
  Loosened out_;
  std::set<std::pair<SourceId, std::uint32_t>> begins_;  // Of all rules' names.
  std::uint32_t note_ = 0;
  std::uint32_t rule_ = 0;
  std::size_t number_ = 0;
};

}  // namespace

Loosened loosen(const Module& module, const SourceMap& sources) {
  return Loosener(module, sources).run();
}

}  // namespace attrib::ruletest
