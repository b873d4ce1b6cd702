#pragma once

#include "base/source.h"
#include "dsl/ast.h"

namespace attrib::compiler {

constexpr const char* kPreludePack = "core";

// Declarations every program has: what the workload's header says arrives as the event JobState.
dsl::File parse_prelude(SourceMap& sources);

}  // namespace attrib::compiler
