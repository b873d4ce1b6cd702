#pragma once

#include "base/source.h"
#include "compiler/module.h"
#include "program/program.h"

namespace attrib::compiler {

// Lowers a checked module to a program. Cannot fail: what could be wrong was reported by check(). Deterministic: the
// same sources give the same bytes. `sources` gives the places of the span section and the texts of the source section.
program::Program generate(const Module& module, const SourceMap& sources);

}  // namespace attrib::compiler
