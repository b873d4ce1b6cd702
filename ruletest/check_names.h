#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "compiler/module.h"
#include "dsl/ast.h"

namespace attrib::ruletest {

// Checks everything in the test blocks of `files` that can be wrong before a test runs: names of
// symptoms, extracts, rules, fields and sources, fixed words, values, tests that expect nothing and
// logs without a line.
void check_names(const std::vector<dsl::File>& files, const compiler::Module& module,
                 DiagnosticSink& sink);

}  // namespace attrib::ruletest
