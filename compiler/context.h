#pragma once

// What one run of check() carries from step to step.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/check.h"
#include "compiler/names.h"

namespace attrib::compiler {

// What a table's IR does not keep: which results may be null.
struct TableFacts {
  std::vector<bool> optional_results;
};

struct Context {
  SourceMap& sources;
  DiagnosticSink& sink;
  const DataFiles& data;
  const CheckOptions& options;

  Names names;
  Module module;
  std::vector<TableFacts> tables;     // Beside Module::tables.
  std::set<std::string> broken_lets;  // Reported by themselves; calls of them stay silent.
  std::map<std::string, SourceId> data_sources;  // CSV files read so far, by the path shown.
  std::string pack;                              // Of the declaration being checked.
};

// The limit `most` on `count` things of `owner`; false (and reported) when passed.
bool within_limit(Context& context, Span span, std::size_t count, std::size_t most,
                  const std::string& owner, const std::string& things);

}  // namespace attrib::compiler
