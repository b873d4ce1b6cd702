// demote, outcome, ambiguous: what explains what, how it ended, and what to say when causes tie.

#include <fmt/format.h>

#include "compiler/expr_walk.h"
#include "compiler/rule_checker.h"
#include "compiler/rules.h"

namespace attrib::compiler {
namespace {

class DemoteChecker {
 public:
  DemoteChecker(Context& context, const dsl::DemoteDecl& decl, const std::string& pack)
      : c_(context), decl_(decl), r_(context, RuleKind::Demote, decl.name, pack) {}

  void check() {
    const std::string& name = decl_.name.text;
    r_.reserve(2, decl_.name.span);
    for (const dsl::ParamDecl& param : decl_.params) r_.declare_param(param);
    if (!decl_.cause) missing(c_, decl_.name.span, "demote", name, "cause");
    if (!decl_.effect) missing(c_, decl_.name.span, "demote", name, "effect");
    if (!decl_.within) missing(c_, decl_.name.span, "demote", name, "within");
    if (!decl_.because || decl_.because->value.empty()) {
      missing(c_, decl_.because ? decl_.because->span : decl_.name.span, "demote", name, "because");
    }
    if (c_.options.strict && decl_.references.empty()) {
      c_.sink.emit<diag::StrictLibrary>(decl_.name.span, "demote", name, "references");
    }
    if (decl_.cause && decl_.effect) body();
    if (decl_.because) r_.rule.because = decl_.because->value;
    r_.rule.of_job = decl_.of_job;
    r_.rule.references = references(c_, decl_.references);
    c_.module.rules.push_back(std::move(r_.rule));
  }

 private:
  void body() {
    // The cause is variable 0 and the effect variable 1, in whichever order they are written.
    const auto cause = r_.declare_fact(*decl_.cause, RuleChecker::Facts::Symptoms);
    const auto effect = r_.declare_fact(*decl_.effect, RuleChecker::Facts::Symptoms);
    if (!cause || !effect) return;
    relate(*cause);
    relate(*effect);
    for (const dsl::ExprPtr& where : decl_.wheres) r_.rule.whens.push_back(r_.condition(*where));
    if (!decl_.within) return;
    r_.rule.window_from = r_.duration(*decl_.within->from);
    r_.rule.window_to = r_.duration(*decl_.within->to);
    const auto start = point(*decl_.within->start);
    const auto end = point(*decl_.within->end);
    if (!start || !end) return;
    if (start->first == end->first) {
      c_.sink.emit<diag::BadWindow>(decl_.within->end->span, decl_.cause->name.text,
                                    decl_.effect->name.text);
      return;
    }
    r_.rule.window_start = start->second;
    r_.rule.window_end = end->second;
    r_.rule.window_reversed = start->first == *effect;
  }

  // New lines mean nothing, so a `where` that stands after `effect e: T` is read as that variable's.
  // What it says of both variables is the relation all the same: unknown, it leaves a weak edge.
  void relate(VarId var) {
    Module& m = c_.module;
    ExprId own;
    for (const ExprId part : conjuncts(m, r_.rule.vars[var.value].where)) {
      if (!reads_only(m, r_.rule, part, {var})) {
        r_.rule.whens.push_back(part);
      } else if (!own.valid()) {
        own = part;
      } else {
        Expr both;
        both.kind = ExprKind::And;
        both.span = m.exprs[part.value].span;
        both.type.kind = model::ValueKind::Truth;
        both.a = own;
        both.b = part;
        own = ExprId{static_cast<std::uint32_t>(m.exprs.size())};
        m.exprs.push_back(std::move(both));
      }
    }
    r_.rule.vars[var.value].where = own;
  }

  std::optional<std::pair<VarId, model::Point>> point(const dsl::Expr& e) {
    const auto* path = std::get_if<dsl::NameExpr>(&e.node);
    if (path == nullptr || path->parts.size() != 2) {
      c_.sink.emit<diag::BadWindow>(e.span, decl_.cause->name.text, decl_.effect->name.text);
      return std::nullopt;
    }
    const auto var = r_.fact_named(path->parts[0]);
    static constexpr std::string_view kPoints[] = {"begin", "seen", "last"};
    const auto found = find_word(c_, "point of a window", path->parts[1], kPoints);
    if (!var || !found) return std::nullopt;
    return std::pair{*var, static_cast<model::Point>(*found)};
  }

  Context& c_;
  const dsl::DemoteDecl& decl_;
  RuleChecker r_;
};

void check_outcome(Context& c, const dsl::OutcomeDecl& decl, const std::string& pack) {
  RuleChecker r(c, RuleKind::Outcome, decl.name, pack);
  r.rule.references = references(c, decl.references);
  const std::string& name = decl.name.text;
  r.reserve(1, decl.name.span);
  if (!decl.on) missing(c, decl.name.span, "outcome", name, "on");
  if (!decl.gives) missing(c, decl.name.span, "outcome", name, "gives");
  if (!decl.rank) missing(c, decl.name.span, "outcome", name, "rank");
  if (decl.gives) {
    r.rule.gives = find_word_of<model::Outcome>(c, "outcome", *decl.gives).value_or(r.rule.gives);
  }
  r.rule.outcome_rank = decl.rank.value_or(0);
  if (decl.on && r.declare_fact(*decl.on, RuleChecker::Facts::Symptoms)) {
    for (const dsl::ExprPtr& when : decl.whens) r.rule.whens.push_back(r.condition(*when));
    if (decl.emit) {
      if (auto made = r.emit(*decl.emit, EmitOn::True)) r.rule.emits.push_back(std::move(*made));
    }
  }
  c.module.rules.push_back(std::move(r.rule));
}

void check_ambiguous(Context& c, const dsl::AmbiguousDecl& decl, const std::string& pack) {
  RuleChecker r(c, RuleKind::Ambiguous, decl.name, pack);
  r.rule.references = references(c, decl.references);
  const std::string& name = decl.name.text;
  r.reserve(decl.among.size(), decl.name.span);
  if (decl.among.size() < 2)
    missing(c, decl.name.span, "ambiguous", name, "among a, b: root of job");
  if (decl.whens.empty()) missing(c, decl.name.span, "ambiguous", name, "when");
  if (!decl.report) missing(c, decl.name.span, "ambiguous", name, "report");
  for (const dsl::Name& root : decl.among) r.declare_any(root);
  for (const dsl::ExprPtr& when : decl.whens) r.rule.whens.push_back(r.condition(*when));
  static constexpr std::string_view kVerdicts[] = {"undecided"};
  if (decl.verdict) find_word(c, "verdict of ambiguous rules", *decl.verdict, kVerdicts);
  if (decl.report) r.rule.report = r.message(*decl.report);
  for (const dsl::Text& ask : decl.asks) r.rule.asks.push_back(r.message(ask));
  c.module.rules.push_back(std::move(r.rule));
}

}  // namespace

ExprId RuleChecker::duration(const dsl::Expr& e) {
  return wanted(e, model::ValueKind::Duration, "a duration").id;
}

void check_demotes(Context& c) {
  for (const auto* each : by_full_name(c.names.demotes)) {
    DemoteChecker(c, *each->decl, each->pack).check();
  }
}

void check_outcomes(Context& c) {
  for (const auto* each : by_full_name(c.names.outcomes)) check_outcome(c, *each->decl, each->pack);
}

void check_ambiguities(Context& c) {
  for (const auto* each : by_full_name(c.names.ambiguities)) {
    check_ambiguous(c, *each->decl, each->pack);
  }
}

}  // namespace attrib::compiler
