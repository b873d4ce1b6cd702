// rulec: checks, compiles and tests rule files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/cli/command_line.h"
#include "tools/cli/completion.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"

namespace {

using attrib::rulec::BuildFlags;
using attrib::rulec::CostFlags;
using attrib::rulec::CoverFlags;
using attrib::rulec::RuleFlags;

void add_output_flags(CLI::App& command, RuleFlags& rules) {
  command.add_option("--format", rules.format, "how to print diagnostics")
      ->check(CLI::IsMember({"text", "json"}));
  command.add_option("--color", rules.color, "colours in diagnostics")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void add_paths(CLI::App& command, RuleFlags& rules) {
  command
      .add_option("paths", rules.paths, "folders and .rules files; names resolve over all of them")
      ->required();
  command
      .add_option("--data", rules.data,
                  "folder of the CSV files that tables name (default: the parent of each folder)")
      ->check(CLI::ExistingDirectory);
}

void add_rule_flags(CLI::App& command, RuleFlags& rules) {
  add_paths(command, rules);
  command.add_flag("--strict", rules.strict,
                   "library rules: symptoms need owner, action, domain and references, demote "
                   "rules references; warnings fail");
  add_output_flags(command, rules);
}

int run(int argc, char** argv) {
  CLI::App app{"Checks, compiles and tests rule files.", "rulec"};
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 findings or failed tests, 2 rules or program refused, 3 usage.\n\n"
      "Example: rulec build stdlib-rules/ site-rules/ -o fleet.rbc");
  RuleFlags rules;

  CLI::App* check =
      app.add_subcommand("check", "check rules, their samples and the names in their tests");
  add_rule_flags(*check, rules);

  BuildFlags build_flags;
  CLI::App* build = app.add_subcommand("build", "compile rules to a program");
  add_rule_flags(*build, rules);
  build->add_option("--output,-o", build_flags.output, "where the program goes");
  build->add_option("--emit", build_flags.emit, "print a stage to standard output")
      ->check(CLI::IsMember({"ast", "ir", "bytecode"}));
  build->add_option("--dump-rule", build_flags.dump_rule,
                    "with --emit=ir or bytecode: only this rule (PACK.RULE)");

  std::string filter;
  CLI::App* test = app.add_subcommand("test", "run the tests in *_test.rules files");
  add_rule_flags(*test, rules);
  test->add_option("--filter", filter, "only tests whose file, line or title holds this text");
  std::string documents;
  test->add_option("--write-evidence", documents,
                   "also write the tests' evidence to this file, one JSON object a line");

  CoverFlags cover_flags;
  bool cover_strict = false;
  CLI::App* cover = app.add_subcommand(
      "cover",
      "list what no sample or test exercises: rules that never fire, rules never seen to "
      "stay quiet, extracts without a reject");
  add_paths(*cover, rules);
  cover->add_option("--filter", cover_flags.filter,
                    "only what stands in a file, or is called, so; all tests run all the same");
  cover->add_flag("--conditions", cover_flags.conditions,
                  "count conditions that never keep their rule quiet by themselves, too");
  cover->add_flag("--rows", cover_flags.rows, "count rows of tables that no test looks up, too");
  cover->add_flag("--json", cover_flags.json, "print data, schema attrib.cover/1");
  CLI::Option* strict =
      cover->add_flag("--strict", cover_strict, "fail if anything is not covered");
  cover->add_option("--fail-under", cover_flags.fail_under, "fail if less than so many percent are")
      ->check(CLI::Range(0.0, 100.0))
      ->excludes(strict);
  add_output_flags(*cover, rules);

  CostFlags cost_flags;
  CLI::App* cost = app.add_subcommand(
      "cost",
      "list the texts by which lines of a log are chosen for extracts, costliest first: how many "
      "ordinary lines hold them, who shares them, what makes them slow");
  add_paths(*cost, rules);
  CLI::Option* cost_paths = cost->get_option("paths")->required(false);
  cost->add_option("--program", cost_flags.program, "a compiled program instead of rules")
      ->check(CLI::ExistingFile)
      ->excludes(cost_paths);
  cost->add_option("--log", cost_flags.log, "also count the lines of this log that hold them")
      ->check(CLI::ExistingFile);
  cost->add_option("--top", cost_flags.top, "rows of the table, 0 for all (default: 40)");
  add_output_flags(*cost, rules);

  std::string program;
  std::string rule;
  CLI::App* dis = app.add_subcommand("dis", "print a program's instructions");
  dis->add_option("program", program, "compiled program")->required();
  dis->add_option("--rule", rule, "only this rule (PACK.RULE)");

  CLI::App* verify =
      app.add_subcommand("verify", "compile the sources a program carries again and compare");
  verify->add_option("program", program, "compiled program")->required();
  add_output_flags(*verify, rules);

  std::string id;
  bool list = false;
  CLI::App* error = app.add_subcommand("error", "say what a diagnostic means");
  error->add_option("id", id, "its id, such as RL0301");
  error->add_flag("--list", list, "show all");

  std::string shell;
  CLI::App* completion = app.add_subcommand("completion", "print a completion script");
  completion->add_option("shell", shell, "which shell")->required()->check(CLI::IsMember({"bash"}));

  attrib::cli::wrap_help(app);
  try {
    app.parse(argc, argv);
    if (error->parsed() && id.empty() && !list) throw CLI::RequiredError("id or --list");
    if (cost->parsed() && rules.paths.empty() && cost_flags.program.empty())
      throw CLI::RequiredError("paths or --program");
    if (build->parsed() && build_flags.output.empty() && build_flags.emit.empty())
      throw CLI::RequiredError("--output or --emit");
  } catch (const CLI::ParseError& wrong) {
    return attrib::cli::told(app, wrong);
  }
  if (check->parsed()) return attrib::rulec::check_command(rules);
  if (build->parsed()) return attrib::rulec::build_command(rules, build_flags);
  if (test->parsed()) return attrib::rulec::test_command(rules, filter, documents);
  if (cover_strict) cover_flags.fail_under = 100;
  if (cover->parsed()) return attrib::rulec::cover_command(rules, cover_flags);
  if (cost->parsed()) return attrib::rulec::cost_command(rules, cost_flags);
  if (dis->parsed()) return attrib::rulec::dis_command(program, rule);
  if (verify->parsed()) return attrib::rulec::verify_command(program, rules);
  if (error->parsed()) return attrib::rulec::error_command(id, list);
  attrib::cli::say("{}", attrib::cli::bash_completion(app));
  return attrib::cli::kDone;
}

}  // namespace

int main(int argc, char** argv) { return attrib::cli::ended("rulec", run(argc, argv)); }
