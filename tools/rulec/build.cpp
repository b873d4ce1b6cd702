// rulec check and rulec build.

#include <fmt/format.h>

#include <variant>

#include "compiler/generate.h"
#include "compiler/ir_print.h"
#include "dsl/print.h"
#include "program/codec.h"
#include "program/disassemble.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"
#include "tools/rulec/compile.h"

namespace attrib::rulec {
namespace {

int report(const Status& written) {
  if (written) return cli::kDone;
  cli::tell("rulec: {}\n", written.error().message);
  return cli::kRefused;
}

// The trees of all files, in path order, each under its name.
std::string syntax_text(const Compilation& compilation) {
  std::string out;
  for (const dsl::File& file : compilation.files) {
    out += fmt::format("{}# {}\n{}", out.empty() ? "" : "\n", compilation.sources.path(file.source),
                       dsl::print(file));
  }
  return out;
}

int emit_syntax(const RuleFlags& rules) {
  Compilation compilation;
  if (!parse(rules, compilation)) return cli::kRefused;
  print_diagnostics(rules, compilation);
  if (compilation.sink.has_errors()) return cli::kRefused;
  return report(cli::write_stdout(syntax_text(compilation)));
}

std::string ir_text(const compiler::Module& module, const std::string& only_rule) {
  if (only_rule.empty()) return compiler::to_text(module);
  std::string out;
  for (const compiler::Rule& rule : module.rules) {
    if (rule.pack + "." + rule.name == only_rule) out += compiler::rule_text(module, rule);
  }
  return out;
}

std::string counts(const compiler::Module& module, std::size_t files) {
  return fmt::format("{} files, {} packs, {} extracts, {} rules, {} tables", files,
                     module.packs.size(), module.extracts.size(),
                     module.rules.size() - module.extracts.size(), module.tables.size());
}

}  // namespace

int check_command(const RuleFlags& rules) {
  Compilation compilation;
  if (!compile(rules, compilation)) return cli::kRefused;
  print_diagnostics(rules, compilation);
  if (!compilation.module) return cli::kRefused;
  if (rules.format == "text")
    cli::say("ok: {}\n", counts(*compilation.module, compilation.files.size()));
  return rules.strict && compilation.sink.warning_count() > 0 ? cli::kFindings : cli::kDone;
}

int build_command(const RuleFlags& rules, const BuildFlags& flags) {
  if (flags.emit == "ast" && flags.output.empty()) return emit_syntax(rules);
  Compilation compilation;
  if (!compile(rules, compilation)) return cli::kRefused;
  print_diagnostics(rules, compilation);
  if (!compilation.module) return cli::kRefused;
  const auto program = verified(compiler::generate(*compilation.module, compilation.sources));
  if (!program) return cli::kRefused;
  std::string dump;
  if (flags.emit == "ast") dump = syntax_text(compilation);
  if (flags.emit == "ir") dump = ir_text(*compilation.module, flags.dump_rule);
  if (flags.emit == "bytecode") dump = program::disassemble(**program, flags.dump_rule);
  if (!dump.empty()) {
    if (const auto written = cli::write_stdout(dump); !written) return report(written);
  }
  if (!flags.dump_rule.empty() && dump.empty() && !flags.emit.empty()) {
    cli::tell("rulec: no rule is called `{}`; give its full name, PACK.RULE\n", flags.dump_rule);
    return cli::kRefused;
  }
  if (flags.output.empty()) return cli::kDone;
  const std::string bytes = program::encode(**program);
  if (const auto written = cli::write_file(flags.output, bytes); !written) return report(written);
  if (rules.format == "text") {
    cli::tell("{}: {}, {} bytes\n", flags.output,
              counts(*compilation.module, compilation.files.size()), bytes.size());
  }
  return cli::kDone;
}

}  // namespace attrib::rulec
