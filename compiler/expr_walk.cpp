#include "compiler/expr_walk.h"

#include <algorithm>

#include "model/time.h"

namespace attrib::compiler {
namespace {

const Expr& expr(const Module& module, ExprId id) { return module.exprs[id.value]; }

// Loops instead of recursion: a chain of `and`s may be long.
void gather(const Module& module, const Rule& rule, ExprId from, std::vector<VarId>& out) {
  std::vector<ExprId> todo{from};
  const auto note = [&](VarId var) {
    if (var.valid() && std::find(out.begin(), out.end(), var) == out.end()) out.push_back(var);
  };
  while (!todo.empty()) {
    const ExprId id = todo.back();
    todo.pop_back();
    if (!id.valid()) continue;
    const Expr& at = expr(module, id);
    note(at.var);
    note(at.second_var);
    todo.push_back(at.b);
    todo.push_back(at.a);
    if (at.kind != ExprKind::Aggregate || !at.query.valid()) continue;
    const Query& query = module.queries[at.query.value];
    todo.push_back(rule.vars[query.var.value].where);
    todo.push_back(query.over);
  }
}

}  // namespace

std::vector<VarId> vars_of(const Module& module, const Rule& rule, ExprId id) {
  std::vector<VarId> out;
  gather(module, rule, id, out);
  std::ranges::sort(out, {}, &VarId::value);
  return out;
}

bool reads_only(const Module& module, const Rule& rule, ExprId id, const std::vector<VarId>& vars) {
  const auto read = vars_of(module, rule, id);
  return std::all_of(read.begin(), read.end(), [&](VarId var) {
    // A query's own variable is bound by the query.
    return var.value >= rule.own_vars || std::find(vars.begin(), vars.end(), var) != vars.end();
  });
}

std::vector<ExprId> conjuncts(const Module& module, ExprId id) {
  std::vector<ExprId> out, todo{id};
  while (!todo.empty()) {
    const ExprId next = todo.back();
    todo.pop_back();
    if (!next.valid()) continue;
    const Expr& at = expr(module, next);
    if (at.kind != ExprKind::And) {
      out.push_back(next);
      continue;
    }
    todo.push_back(at.b);
    todo.push_back(at.a);
  }
  return out;
}

std::optional<std::int64_t> constant_duration(const Module& module, const Rule& rule, ExprId id) {
  if (!id.valid()) return std::nullopt;
  const Expr& at = expr(module, id);
  switch (at.kind) {
    case ExprKind::Constant:
      return at.constant.number;
    case ExprKind::Param:
      return rule.params[at.index].value.number;
    case ExprKind::Negate: {
      const auto a = constant_duration(module, rule, at.a);
      return a ? std::optional(model::sub_nanos(0, *a)) : std::nullopt;
    }
    case ExprKind::Add:
    case ExprKind::Sub: {
      const auto a = constant_duration(module, rule, at.a);
      const auto b = constant_duration(module, rule, at.b);
      if (!a || !b) return std::nullopt;
      return at.kind == ExprKind::Add ? model::add_nanos(*a, *b) : model::sub_nanos(*a, *b);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace attrib::compiler
