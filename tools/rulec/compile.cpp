#include "tools/rulec/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/data_files.h"
#include "ruletest/check_names.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/say.h"
#include "tools/rulec/rule_files.h"

namespace attrib::rulec {

bool parse(const RuleFlags& rules, Compilation& out) {
  const auto found = find_rule_files(rules.paths);
  if (!found) {
    cli::tell("rulec: {}\n", found.error().message);
    return false;
  }
  auto parsed = parse_files(found.value(), out.sources, out.sink);
  if (!parsed) {
    cli::tell("rulec: {}\n", parsed.error().message);
    return false;
  }
  out.files = std::move(parsed).value();
  return true;
}

bool compile(const RuleFlags& rules, Compilation& out) {
  if (!parse(rules, out)) return false;
  const compiler::DiskData data(rules.data.empty() ? default_data_folders(rules.paths)
                                                   : rules.data);
  compiler::CheckOptions options;
  options.strict = rules.strict;
  // After a syntax error declarations are missing; checking the rest would report their names as
  // unknown.
  if (out.sink.has_errors()) return true;
  out.module = compiler::check(out.files, out.sources, data, options, out.sink);
  if (out.module) ruletest::check_names(out.files, *out.module, out.sink);
  if (out.sink.has_errors()) out.module.reset();
  return true;
}

void print_diagnostics(const RuleFlags& rules, const Compilation& compilation) {
  if (rules.format == "json") {
    cli::say("{}", render_diagnostics_json(compilation.sink, compilation.sources));
    return;
  }
  const bool color =
      rules.color == "always" || (rules.color == "auto" && isatty(STDERR_FILENO) == 1);
  cli::tell("{}", render_diagnostics(compilation.sink, compilation.sources, color));
}

std::optional<program::VerifiedProgram> verified(program::Program program) {
  auto result = program::verify(std::move(program));
  if (result) return std::move(result).value();
  cli::tell("rulec: internal error: the compiled program does not verify: {}\n",
            result.error().message);
  return std::nullopt;
}

}  // namespace attrib::rulec
