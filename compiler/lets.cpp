// lets: no cycles, and each right by itself. They are inlined where they are used (expr_call.cpp).

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "compiler/rule_checker.h"
#include "compiler/rules.h"

namespace attrib::compiler {
namespace {

// Names of all calls in an expression. Nesting is limited by the parser.
void calls_of(const dsl::Expr& e, std::set<std::string>* out);

void calls_of(const dsl::ExprPtr& e, std::set<std::string>* out) {
  if (e) calls_of(*e, out);
}

void calls_of(const dsl::Expr& e, std::set<std::string>* out) {
  if (const auto* call = std::get_if<dsl::CallExpr>(&e.node)) {
    out->insert(call->callee.text);
    for (const dsl::ExprPtr& arg : call->args) calls_of(arg, out);
  } else if (const auto* unary = std::get_if<dsl::UnaryExpr>(&e.node)) {
    calls_of(unary->operand, out);
  } else if (const auto* binary = std::get_if<dsl::BinaryExpr>(&e.node)) {
    calls_of(binary->left, out);
    calls_of(binary->right, out);
  } else if (const auto* has = std::get_if<dsl::HasExpr>(&e.node)) {
    calls_of(has->what, out);
  } else if (const auto* in = std::get_if<dsl::InExpr>(&e.node)) {
    calls_of(in->value, out);
    calls_of(in->set, out);
    for (const dsl::ExprPtr& item : in->list) calls_of(item, out);
  }
}

using CallGraph = std::map<std::string, std::set<std::string>>;

// Every let that can reach itself.
std::set<std::string> recursive_lets(const CallGraph& calls) {
  std::set<std::string> out;
  for (const auto& [name, direct] : calls) {
    std::set<std::string> seen;
    std::vector<std::string> todo(direct.begin(), direct.end());
    while (!todo.empty()) {
      const std::string at = std::move(todo.back());
      todo.pop_back();
      const auto next = calls.find(at);
      if (next == calls.end() || !seen.insert(at).second) continue;
      todo.insert(todo.end(), next->second.begin(), next->second.end());
    }
    if (seen.contains(name)) out.insert(name);
  }
  return out;
}

}  // namespace

void check_lets(Context& c) {
  CallGraph calls;
  for (const auto& [name, declared] : c.names.lets) calls_of(declared.decl->body, &calls[name]);
  c.broken_lets = recursive_lets(calls);
  for (const std::string& name : c.broken_lets) {
    const dsl::LetDecl& let = *c.names.lets.at(name).decl;
    Diagnostic& d = c.sink.emit<diag::RecursiveLet>(let.name.span, name);
    for (const std::string& called : calls.at(name)) {
      if (called == name || !c.broken_lets.contains(called)) continue;
      d.note(c.names.lets.at(called).decl->name.span, fmt::format("through `{}`", called));
    }
  }
  for (const auto& [name, declared] : c.names.lets) {
    if (c.broken_lets.contains(name)) continue;
    const std::size_t exprs = c.module.exprs.size(), queries = c.module.queries.size();
    // Infer rules may call the most, so what is wrong there is wrong everywhere.
    RuleChecker r(c, RuleKind::Infer, declared.decl->name, declared.pack);
    if (!r.check_let(*declared.decl)) c.broken_lets.insert(name);
    c.module.exprs.resize(exprs);
    c.module.queries.resize(queries);
  }
}

}  // namespace attrib::compiler
