#pragma once

// From syntax trees to the typed IR.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "compiler/module.h"
#include "dsl/ast.h"

namespace attrib::compiler {

// Reads the data files that tables name. Paths are as written in the rule; `beside` is the rule file's path.
class DataFiles {
 public:
  virtual ~DataFiles() = default;
  // The file's bytes and the path to show, or nothing when there is none.
  struct Found {
    std::string shown_path;
    std::string bytes;
  };
  [[nodiscard]] virtual std::optional<Found> read(const std::string& path, const std::string& beside) const = 0;
};

struct CheckOptions {
  bool strict = false;  // Library symptoms need owner, action, domain and reference.
};

// Checks all files together (names resolve over all of them) and returns the module, or nothing when the sink has an
// error. Test blocks are not compiled; their names are checked by ruletest/. CSV texts and the built-in prelude are
// added to `sources`. Samples and rejects are run here.
std::optional<Module> check(const std::vector<dsl::File>& files, SourceMap& sources, const DataFiles& data,
                            const CheckOptions& options, DiagnosticSink& sink);

}  // namespace attrib::compiler
