#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "dsl/ast.h"

namespace attrib::rulec {

// The .rules files below the given folders, and the given files; each once, by path. An error names
// the path that does not exist or cannot be read, or the folder without a rule file.
Result<std::vector<std::string>> find_rule_files(const std::vector<std::string>& paths);

// Where data files are looked up when no --data is given: the parent of each folder.
std::vector<std::string> default_data_folders(const std::vector<std::string>& paths);

// Reads the files into `sources` and parses them.
Result<std::vector<dsl::File>> parse_files(const std::vector<std::string>& files,
                                           SourceMap& sources, DiagnosticSink& sink);

}  // namespace attrib::rulec
