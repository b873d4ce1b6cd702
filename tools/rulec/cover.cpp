// rulec cover.

#include "ruletest/cover.h"

#include <fmt/format.h>

#include "compiler/generate.h"
#include "ruletest/cover_report.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"
#include "tools/rulec/compile.h"

namespace attrib::rulec {

int cover_command(const RuleFlags& rules, const CoverFlags& flags) {
  Compilation compilation;
  if (!compile(rules, compilation)) return cli::kRefused;
  if (compilation.sink.has_errors() || rules.format == "text")
    print_diagnostics(rules, compilation);
  if (!compilation.module) return cli::kRefused;
  const auto program = verified(compiler::generate(*compilation.module, compilation.sources));
  if (!program) return cli::kRefused;
  const ruletest::Cover cover =
      ruletest::cover(compilation.files, compilation.sources, *compilation.module, *program,
                      {.conditions = flags.conditions, .rows = flags.rows});
  const ruletest::CoverReport report(cover, flags.filter);
  if (const auto written = cli::write_stdout(flags.json ? report.json() : report.text());
      !written) {
    cli::tell("rulec: {}\n", written.error().message);
    return cli::kRefused;
  }
  if (!cover.failures.empty()) {
    cli::tell("{}", cover.failures);
    return cli::kFindings;
  }
  const bool enough = static_cast<double>(report.all().permille()) >= flags.fail_under * 10.0;
  if (!enough) cli::tell("rulec: less than {} % is covered\n", flags.fail_under);
  return enough ? cli::kDone : cli::kFindings;
}

}  // namespace attrib::rulec
