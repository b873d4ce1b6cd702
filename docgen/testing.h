#pragma once

// For tests of the pages: a library from texts held in memory.

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/testing.h"
#include "docgen/library.h"
#include "dsl/parse.h"

namespace attrib::docgen {

struct Rules {
  SourceMap sources;
  DiagnosticSink sink;
  std::vector<dsl::File> files;
  std::optional<compiler::Module> module;

  explicit Rules(const std::vector<std::pair<std::string, std::string>>& texts) {
    for (const auto& [path, text] : texts) {
      files.push_back(dsl::parse(sources, sources.add(path, text), sink));
    }
    module = compiler::check(files, sources, compiler::MemoryData(), {}, sink);
    REQUIRE(render_diagnostics(sink, sources, false) == "");
  }
  [[nodiscard]] Library library() const { return {sources, files, *module}; }
};

}  // namespace attrib::docgen
