#pragma once

// The first tier of the parser: finds where declarations begin and end, by braces, texts and
// comments only, so that one run reports the errors of every declaration and an error in one never
// hides the next.

#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace attrib::dsl {

struct Region {
  std::uint32_t begin = 0;  // Bytes of the file.
  std::uint32_t end = 0;
  bool damaged = false;                   // Reported here already: do not parse.
  std::optional<std::uint32_t> unclosed;  // The innermost brace that is still open at the end.
};

// Regions in the order of the file. A region starts with a word or a stray character; it ends with
// the brace that closes its block, or before a line that starts with the word of a declaration.
std::vector<Region> split_declarations(std::string_view text, SourceId source,
                                       DiagnosticSink& sink);

}  // namespace attrib::dsl
