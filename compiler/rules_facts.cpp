// decode and infer: from events to symptoms, and from symptoms to symptoms.

#include "compiler/rule_checker.h"
#include "compiler/rules.h"

namespace attrib::compiler {
namespace {

void check_decode(Context& c, const dsl::DecodeDecl& decl, const std::string& pack) {
  RuleChecker r(c, RuleKind::Decode, decl.name, pack);
  r.rule.references = references(c, decl.references);
  r.reserve(1 + decl.lookups.size(), decl.name.span);
  r.rule.confidence = confidence(c, decl.confidence);
  if (!decl.on) {
    missing(c, decl.name.span, "decode", decl.name.text, "on");
    c.module.rules.push_back(std::move(r.rule));
    return;
  }
  if (decl.emits.empty()) missing(c, decl.name.span, "decode", decl.name.text, "emit");
  bool good = true;
  InOrder clauses;
  clauses.add(decl.on->span,
              [&] { good = r.declare_fact(*decl.on, RuleChecker::Facts::Events).has_value(); });
  for (const dsl::LookupDecl& lookup : decl.lookups) {
    clauses.add(lookup.span, [&] { good = good && r.declare_row(lookup).has_value(); });
  }
  for (const dsl::ExprPtr& when : decl.whens) {
    clauses.add(when->span, [&] {
      if (good) r.rule.whens.push_back(r.condition(*when));
    });
  }
  clauses.run();
  for (const dsl::EmitDecl& emit : decl.emits) {
    if (!good) {
      find_symptom(c, emit.symptom);  // What it reads has been reported, but not its own name.
      continue;
    }
    if (auto made = r.emit(emit, EmitOn::True)) r.rule.emits.push_back(std::move(*made));
  }
  c.module.rules.push_back(std::move(r.rule));
}

void check_infer(Context& c, const dsl::InferDecl& decl, const std::string& pack) {
  RuleChecker r(c, RuleKind::Infer, decl.name, pack);
  r.rule.references = references(c, decl.references);
  r.reserve(decl.each.size() + decl.lookups.size(), decl.name.span);
  r.rule.confidence = confidence(c, decl.confidence);
  if (decl.each.empty()) missing(c, decl.name.span, "infer", decl.name.text, "each");
  if (decl.emits.empty()) missing(c, decl.name.span, "infer", decl.name.text, "emit");
  bool good = true;
  InOrder clauses;
  for (const dsl::EachDecl& each : decl.each) {
    clauses.add(each.span, [&] {
      good = good && (each.in ? r.declare_member(each.variable, *each.in)
                              : r.declare_fact(each.variable, RuleChecker::Facts::Either))
                         .has_value();
    });
  }
  for (const dsl::LookupDecl& lookup : decl.lookups) {
    clauses.add(lookup.span, [&] { good = good && r.declare_row(lookup).has_value(); });
  }
  for (const dsl::AbsentDecl& absent : decl.absents) {
    clauses.add(absent.span, [&] {
      if (good) r.rule.absents.push_back(r.absent(absent));
    });
  }
  for (const dsl::ExprPtr& when : decl.whens) {
    clauses.add(when->span, [&] {
      if (good) r.rule.whens.push_back(r.condition(*when));
    });
  }
  clauses.run();
  for (const auto& [on, emit] : decl.emits) {
    if (!good) {
      find_symptom(c, emit.symptom);
      continue;
    }
    if (auto made = r.emit(emit, static_cast<EmitOn>(on))) r.rule.emits.push_back(std::move(*made));
  }
  c.module.rules.push_back(std::move(r.rule));
}

}  // namespace

model::Band confidence(Context& c, const std::optional<dsl::Name>& word) {
  if (!word) return model::Band::Likely;
  return find_word_of<model::Band>(c, "confidence", *word).value_or(model::Band::Likely);
}

std::vector<std::string> references(Context& c, const std::vector<dsl::Text>& clauses) {
  std::vector<std::string> out;
  for (const dsl::Text& each : clauses) {
    if (each.value.empty())
      c.sink.emit<diag::BadArguments>(each.span, "references", "texts that are not empty");
    out.push_back(each.value);
  }
  return out;
}

void missing(Context& c, Span span, const char* what, const std::string& name, const char* clause) {
  c.sink.emit<diag::MissingClause>(span, what, name, clause);
}

void check_decodes(Context& c) {
  for (const auto* each : by_full_name(c.names.decodes)) check_decode(c, *each->decl, each->pack);
}

void check_infers(Context& c) {
  for (const auto* each : by_full_name(c.names.infers)) check_infer(c, *each->decl, each->pack);
}

}  // namespace attrib::compiler
