#pragma once

// A second opinion: the typed tree of a rule set over a body of evidence, evaluated in the slowest
// and most obvious way that docs/semantics.md allows. No bytecode, no index, no budget.

#include "compiler/module.h"
#include "evidence/evidence.h"
#include "verdict/verdict.h"

namespace attrib::reference {

// Not folded; no program digest.
verdict::Verdict evaluate(const compiler::Module& module, const evidence::Evidence& evidence);

}  // namespace attrib::reference
