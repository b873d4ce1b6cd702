#pragma once

// One function a kind of rule: from all declarations of that kind, in the order of their full
// names, to Module::rules (and Module::extracts).

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/context.h"

namespace attrib::compiler {

class RuleChecker;

void check_lets(Context& context);
void check_extracts(Context& context);  // Runs samples and rejects too.
void check_decodes(Context& context);
void check_infers(Context& context);
void check_demotes(Context& context);
void check_outcomes(Context& context);
void check_ambiguities(Context& context);

// samples.cpp
void check_samples(Context& context, const dsl::ExtractDecl& decl, const Extract& extract,
                   const Rule& rule);

// rule_graph.cpp: gives each infer rule its layer and brings Module::rules into their final order.
void layer_rules(Context& context);

template <typename T>
std::vector<const Declared<T>*> by_full_name(const DeclaredMap<T>& map) {
  std::vector<const Declared<T>*> out;
  for (const auto& [name, declared] : map) out.push_back(&declared);
  std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
    return std::tie(a->pack, a->decl->name.text) < std::tie(b->pack, b->decl->name.text);
  });
  return out;
}

// Clauses in the order they are written, whatever list of the tree they are in: a later one may
// rely on an earlier.
class InOrder {
 public:
  void add(Span span, std::function<void()> action) {
    actions_.emplace_back(span.begin, std::move(action));
  }
  void run() {
    std::stable_sort(actions_.begin(), actions_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, action] : actions_) action();
  }

 private:
  std::vector<std::pair<std::uint32_t, std::function<void()>>> actions_;
};

// The band of a `confidence` clause.
model::Band confidence(Context& context, const std::optional<dsl::Name>& word);

// The texts of `references` clauses; an empty one is reported.
std::vector<std::string> references(Context& context, const std::vector<dsl::Text>& clauses);

// Reports that `what` `name` lacks a clause.
void missing(Context& context, Span span, const char* what, const std::string& name,
             const char* clause);

}  // namespace attrib::compiler
