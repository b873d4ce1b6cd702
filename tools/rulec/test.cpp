// rulec test.

#include <fmt/format.h>

#include "compiler/generate.h"
#include "ruletest/run_tests.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"
#include "tools/rulec/compile.h"

namespace attrib::rulec {

int test_command(const RuleFlags& rules, const std::string& filter, const std::string& documents) {
  Compilation compilation;
  if (!compile(rules, compilation)) return cli::kRefused;
  if (compilation.sink.has_errors() || rules.format == "text")
    print_diagnostics(rules, compilation);
  if (!compilation.module) return cli::kRefused;
  const auto program = verified(compiler::generate(*compilation.module, compilation.sources));
  if (!program) return cli::kRefused;
  if (!documents.empty()) {
    const auto written = cli::write_file(
        documents, ruletest::test_documents(compilation.files, compilation.sources, filter));
    if (!written) {
      cli::tell("rulec: {}\n", written.error().message);
      return cli::kRefused;
    }
  }
  const ruletest::TestSummary summary =
      ruletest::run_tests(compilation.files, compilation.sources, *program, filter);
  if (const auto written = cli::write_stdout(summary.report); !written) {
    cli::tell("rulec: {}\n", written.error().message);
    return cli::kRefused;
  }
  return summary.ok() ? cli::kDone : cli::kFindings;
}

}  // namespace attrib::rulec
