#pragma once

#include "base/diagnostics.h"
#include "dsl/ast.h"

namespace attrib::dsl {

// Parses one text of `sources`. Errors go to the sink, each with a place and a hint where one is
// known; a declaration with an error is left out and parsing goes on with the next, so one run
// reports them all. Never throws.
File parse(const SourceMap& sources, SourceId source, DiagnosticSink& sink);

// Words that start a top-level declaration ("pack", "event", ...), for "did you mean" and
// completion.
const std::vector<std::string>& declaration_keywords();

}  // namespace attrib::dsl
