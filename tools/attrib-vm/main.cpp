// attrib-vm: runs one program over one body of evidence and prints one verdict.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/attrib-vm/commands.h"
#include "tools/cli/command_line.h"
#include "tools/cli/completion.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/say.h"

namespace {

using attrib::attrib_vm::CheckFlags;
using attrib::attrib_vm::InputFlags;
using attrib::attrib_vm::RunFlags;

void add_input_flags(CLI::App& command, InputFlags& flags) {
  command.add_option(
      "--input,-i", flags.inputs,
      "evidence: a JSON document or NDJSON, plain, .gz or .zst; - is standard input");
  command.add_option(
      "--log,-l", flags.logs,
      "raw log: KIND[@NODE|@rankN]=FILE, folder or glob, as kernel@node-07=dmesg.txt");
  command.add_flag("--strict", flags.strict, "refuse the evidence at the first bad observation");
  command
      .add_option("--threads", flags.threads,
                  "read on so many threads: several files at once, long logs with help (default: one for each "
                  "processor, at most 4); the verdict does not depend on it")
      ->check(CLI::Range(1, 256));
  command.add_option("--year", flags.year, "year of stamps that have none")
      ->check(CLI::Range(1970, 2100));
  command.add_option("--tz", flags.zone, "zone of stamps that have none: UTC, +02:00, -0700");
  command.add_option("--boot", flags.boot,
                     "when the machine booted: dmesg seconds count from here");
}

int run(int argc, char** argv) {
  CLI::App app{
      "Runs a compiled rule program over the evidence of one workload attempt and prints one "
      "verdict.",
      "attrib-vm"};
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 a verdict was printed, 2 program or evidence refused, 3 usage, "
      "4 a verdict was printed but it is provisional or evidence was rejected.\n\n"
      "Example: attrib-vm run --program fleet.rbc --log kernel@node-07=dmesg.txt --log "
      "slurm=job.out");

  RunFlags run;
  CLI::App* run_app = app.add_subcommand("run", "diagnose one attempt");
  run_app->add_option("--program,-p", run.program, "compiled program (rulec build)")->required();
  add_input_flags(*run_app, run.input);
  run_app
      ->add_option("--format,-f", run.format,
                   "how to print (default: text on a terminal, else json)")
      ->check(CLI::IsMember({"text", "json", "markdown", "dot", "mermaid"}));
  run_app->add_flag("--explain", run.explain, "print the proof of every claim");
  run_app->add_flag("--stats", run.stats,
                    "print what was read and what each rule cost, to standard error");
  run_app
      ->add_option("--profile", run.profile,
                   "print where time went, to standard error: by stage, by rule, and for each "
                   "line how often it was looked at and matched")
      ->check(CLI::IsMember({"text", "json"}))
      ->expected(0, 1)
      ->default_str("text");
  run_app->add_flag("--mask-digest", run.mask_digest,
                    "print sha256:masked for the program digest (golden files)");
  run_app->add_option("--color", run.color, "colours in text")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  run_app->add_option("--width", run.width, "columns of text")->check(CLI::Range(40, 400));

  run_app->add_flag("--portable", run.portable,
                    "use no instructions that only some processors have: slower, the same verdict");

  CheckFlags check;
  CLI::App* check_app =
      app.add_subcommand("check", "say what was read, what was not understood and what is missing");
  check_app->add_option("--program,-p", check.program,
                        "also count the lines that its rules understand");
  add_input_flags(*check_app, check.input);
  check_app->add_flag("--lines", check.lines,
                      "show each observation as the rules see it: time, source, place and body");
  check_app->add_option("--samples", check.samples, "lines not understood to show");

  CLI::App* completion_app = app.add_subcommand("completion", "print a completion script");
  std::string shell;
  completion_app->add_option("shell", shell, "which shell")
      ->required()
      ->check(CLI::IsMember({"bash"}));

  attrib::cli::wrap_help(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return attrib::cli::told(app, error);
  }
  if (completion_app->parsed()) {
    attrib::cli::say("{}", attrib::cli::bash_completion(app));
    return attrib::cli::kDone;
  }
  const InputFlags& input = run_app->parsed() ? run.input : check.input;
  if (input.inputs.empty() && input.logs.empty()) {
    attrib::cli::tell("attrib-vm: no evidence: give --input or --log\n");
    return attrib::cli::kUsage;
  }
  return run_app->parsed() ? attrib::attrib_vm::run_command(run)
                           : attrib::attrib_vm::check_command(check);
}

}  // namespace

int main(int argc, char** argv) { return attrib::cli::ended("attrib-vm", run(argc, argv)); }
