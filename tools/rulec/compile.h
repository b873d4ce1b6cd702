#pragma once

// The way from paths to a checked module, shared by the commands.

#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "compiler/module.h"
#include "dsl/ast.h"
#include "program/verify.h"
#include "tools/rulec/commands.h"

namespace attrib::rulec {

struct Compilation {
  SourceMap sources;
  DiagnosticSink sink;
  std::vector<dsl::File> files;
  std::optional<compiler::Module> module;  // Nothing when the sink has an error.
};

// Reads, parses and checks everything, names in tests too. False, with a message on standard error,
// when a file cannot be read.
bool compile(const RuleFlags& rules, Compilation& out);
// Only reads and parses.
bool parse(const RuleFlags& rules, Compilation& out);

// Prints what the sink holds: text to standard error, JSON to standard output.
void print_diagnostics(const RuleFlags& rules, const Compilation& compilation);

// A program that does not verify is a mistake of the compiler: nothing is returned after a message.
std::optional<program::VerifiedProgram> verified(program::Program program);

}  // namespace attrib::rulec
