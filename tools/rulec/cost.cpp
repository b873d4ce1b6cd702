// rulec cost.

#include <fmt/format.h>

#include "compiler/generate.h"
#include "program/codec.h"
#include "ruletest/literal_cost_report.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"
#include "tools/rulec/compile.h"

namespace attrib::rulec {
namespace {

int refused(const Error& error) {
  cli::tell("rulec: {}\n", error.message);
  return cli::kRefused;
}

Result<program::Program> loaded(const std::string& path) {
  ATTRIB_TRY(const std::string bytes, cli::read_file(path));
  auto program = program::decode(bytes);
  if (!program) return Error{fmt::format("{}: {}", path, program.error().message)};
  auto accepted = program::verify(std::move(program).value());
  if (!accepted) return Error{fmt::format("{}: {}", path, accepted.error().message)};
  return accepted.value().get();
}

int print(const program::Program& program, const RuleFlags& rules, const CostFlags& flags) {
  ruletest::LiteralCostReport report(program);
  if (!flags.log.empty()) {
    if (const auto measured = report.measure(flags.log); !measured)
      return refused(measured.error());
  }
  const auto written =
      cli::write_stdout(rules.format == "json" ? report.json() : report.text(flags.top));
  return written ? cli::kDone : refused(written.error());
}

}  // namespace

int cost_command(const RuleFlags& rules, const CostFlags& flags) {
  if (!flags.program.empty()) {
    const auto program = loaded(flags.program);
    return program ? print(program.value(), rules, flags) : refused(program.error());
  }
  Compilation compilation;
  if (!compile(rules, compilation)) return cli::kRefused;
  if (compilation.sink.has_errors()) print_diagnostics(rules, compilation);
  if (!compilation.module) return cli::kRefused;
  const auto program = verified(compiler::generate(*compilation.module, compilation.sources));
  return program ? print(program->get(), rules, flags) : cli::kRefused;
}

}  // namespace attrib::rulec
