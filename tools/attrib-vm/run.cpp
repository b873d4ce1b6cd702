#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "base/processor.h"
#include "tools/attrib-vm/commands.h"
#include "tools/attrib-vm/memory.h"
#include "tools/attrib-vm/profile.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/files.h"
#include "tools/cli/say.h"
#include "verdict/print.h"
#include "verdict/quote.h"
#include "vm/line_filter.h"
#include "vm/machine.h"

namespace attrib::attrib_vm {
namespace {

Status print_json(const verdict::Verdict& verdict, const RunFlags& flags) {
  Status written = Done{};
  verdict::write_json(verdict, {flags.mask_digest, flags.explain}, [&](std::string_view piece) {
    if (written) written = cli::write_stdout(piece);
  });
  return written;
}

std::string printed(const verdict::Verdict& verdict, const evidence::Evidence& evidence,
                    const RunFlags& flags, const std::string& format) {
  if (format == "dot") return verdict::to_dot(verdict);
  if (format == "mermaid") return verdict::to_mermaid(verdict);
  const verdict::Quotable lines = verdict::quotable(evidence);
  const verdict::QuoteLine quote = [&lines](std::string_view id) {
    const auto found = lines.find(id);
    return found == lines.end() ? std::string() : found->second;
  };
  if (format == "markdown") return verdict::to_markdown(verdict, quote);
  const bool color =
      flags.color == "always" || (flags.color == "auto" && cli::stdout_is_terminal());
  return verdict::to_text(verdict, quote, {flags.width, color, flags.explain});
}

Status print(const verdict::Verdict& verdict, const evidence::Evidence& evidence,
             const RunFlags& flags) {
  std::string format = flags.format;
  if (format.empty()) format = cli::stdout_is_terminal() ? "text" : "json";
  if (format == "json") return print_json(verdict, flags);
  return cli::write_stdout(printed(verdict, evidence, flags, format));
}

void print_stats(const evidence::Evidence& evidence, const vm::RunResult& result) {
  const evidence::Counters& counters = evidence.counters;
  cli::tell("observations: {} distinct, {} copies, {} rejected, {} truncated, {} with invalid "
             "UTF-8, {} unparsed\n",
             counters.lines, counters.copies, counters.rejected, counters.truncated,
             counters.escaped, counters.unparsed);
  cli::tell("events: {}; observations that no extract matched: {}\n",
             result.counts.extracted, result.counts.unmatched);
  cli::tell("{:>12} {:>9}  rule\n", "steps", "made");
  for (const vm::RuleStats& rule : result.stats) {
    if (rule.steps > 0) cli::tell("{:>12} {:>9}  {}\n", rule.steps, rule.made, rule.rule);
  }
}

}  // namespace

int run_command(const RunFlags& flags) {
  begin_with_large_pages();
  const auto refuse = [](const Error& error) {
    cli::tell("attrib-vm: {}\n", error.message);
    return cli::kRefused;
  };
  if (flags.portable) use_portable_code();
  std::optional<RunProfile> profile;
  if (!flags.profile.empty()) profile.emplace();
  const auto stepped = [&](Step step) {
    if (profile) profile->stepped(step);
  };
  // The process ends next: taking program, evidence and result apart would be time for nothing.
  static const auto* const kProgram = new auto(load_program(flags.program));
  if (!*kProgram) return refuse(kProgram->error());
  stepped(Step::Load);
  static auto* const kEngine = new vm::LineEngine(kProgram->value().get());
  const auto filter = vm::make_line_filter(kEngine);
  static const auto* const kRead = new auto(read_evidence(flags.input, filter.get()));
  if (!*kRead) return refuse(kRead->error());
  const evidence::Evidence& evidence = kRead->value();
  for (const std::string& problem : evidence.problems)
    cli::tell("attrib-vm: {}\n", problem);
  stepped(Step::Read);

  vm::RunOptions options;
  options.lines = kEngine;
  options.list_events = false;
  options.process_ends = true;
  if (profile) options.profile = &*profile;
  static auto* const kResult = new auto(vm::run(kProgram->value(), evidence, options));
  vm::RunResult& result = *kResult;
  verdict::fold(result.verdict);
  const Status written = print(result.verdict, evidence, flags);
  if (!written) return refuse(written.error());
  stepped(Step::Print);
  if (flags.stats) print_stats(evidence, result);
  if (profile) {
    const program::Program& rules = kProgram->value().get();
    cli::tell("{}",
               flags.profile == "json" ? profile->json(rules, evidence, result)
                                       : profile->text(rules, evidence, result, flags.explain));
  }
  const bool incomplete = result.verdict.provisional || evidence.counters.rejected > 0;
  return incomplete ? cli::kIncomplete : cli::kDone;
}

}  // namespace attrib::attrib_vm
