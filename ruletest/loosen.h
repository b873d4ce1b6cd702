#pragma once

// Rules with one condition left out, beside the rules themselves: where such a rule fires and the
// whole one does not, that condition alone kept the rule quiet.

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "compiler/module.h"

namespace attrib::ruletest {

struct LoosenedCondition {
  std::uint32_t rule = 0;     // Index into the module's rules.
  std::uint32_t without = 0;  // The same rule without the condition.
  std::string text;           // As written: "where c.node == e.node", "within", "absent n: nccl.enter".
  Span span;
};

struct Loosened {
  compiler::Module module;  // What was given, with the loosened rules after it.
  std::vector<LoosenedCondition> conditions;
};

// Of decode, infer, demote and outcome rules: each part of `where` and `when` that `and` joins, each
// `absent`, and the window of a demote rule. A `has` is left out: it guards what follows it. A
// loosened rule emits nothing but a note of a type of its own, so that no other rule sees it; what
// it does to the verdict is not to be looked at.
Loosened loosen(const compiler::Module& module, const SourceMap& sources);

}  // namespace attrib::ruletest
