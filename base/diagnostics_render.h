#pragma once

#include <string>

#include "base/diagnostics.h"

namespace attrib {

// `path:line:col: error[RL0301]: text`, the source line, a caret range, then notes with their own places and
// hints. Plain ASCII unless `color`. One diagnostic, ends with a line end.
std::string render_diagnostic(const Diagnostic& diagnostic, const SourceMap& sources, bool color);

// All of a sink in order, then one line of totals ("2 errors, 1 warning").
std::string render_diagnostics(const DiagnosticSink& sink, const SourceMap& sources, bool color);

// The same fields as a JSON array (stable keys: id, severity, message, path, line, column, end_line, end_column,
// notes, hints).
std::string render_diagnostics_json(const DiagnosticSink& sink, const SourceMap& sources);

}  // namespace attrib
