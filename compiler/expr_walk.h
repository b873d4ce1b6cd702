#pragma once

#include <vector>

#include "compiler/module.h"

namespace attrib::compiler {

// Variables of the rule that `id` reads, queries included, each once, in order.
std::vector<VarId> vars_of(const Module& module, const Rule& rule, ExprId id);

// Does it read none but these?
bool reads_only(const Module& module, const Rule& rule, ExprId id, const std::vector<VarId>& vars);

// The conjuncts of `a and b and ...`, in order; nothing for an invalid id.
std::vector<ExprId> conjuncts(const Module& module, ExprId id);

// The value of a duration made of constants and parameters, or nothing.
std::optional<std::int64_t> constant_duration(const Module& module, const Rule& rule, ExprId id);

}  // namespace attrib::compiler
