#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostics.h"
#include "dsl/ast.h"
#include "dsl/split.h"
#include "dsl/syntax.h"

namespace attrib::dsl {

// Parses one region of `file`; nothing when it has an error, which the sink then holds. `tree` is
// scratch space.
std::optional<Decl> parse_declaration(std::string_view file, SourceId source, const Region& region,
                                      SyntaxTree& tree, DiagnosticSink& sink);

}  // namespace attrib::dsl
