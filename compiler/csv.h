#pragma once

// Data files: RFC 4180 with a header line. Cells keep their places, so that a bad one is shown
// where it stands.

#include <optional>
#include <string>
#include <vector>

#include "compiler/context.h"

namespace attrib::compiler {

struct CsvCell {
  std::string text;
  Span span;
};
struct CsvRow {
  std::vector<CsvCell> cells;
};

// All rows, the header first; every row has as many cells as the header. Nothing (reported) when
// the text is not CSV.
std::optional<std::vector<CsvRow>> parse_csv(Context& context, SourceId source);

// Reads the file that `path` names, once a path, and adds it to the sources. Nothing (reported)
// when there is none.
std::optional<SourceId> load_data(Context& context, const dsl::Text& path);

}  // namespace attrib::compiler
