#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "tools/attrib-vm/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/say.h"
#include "verdict/format.h"
#include "vm/machine.h"

namespace attrib::attrib_vm {
namespace {

using model::SourceKind;

std::string counted(const evidence::Evidence& evidence) {
  std::map<std::pair<SourceKind, std::string>, std::size_t> per_stream;
  for (const evidence::Observation& each : evidence.observations)
    ++per_stream[{each.source, each.node}];
  constexpr std::size_t kShown = 40;
  std::string out;
  std::size_t shown = 0;
  for (const auto& [key, count] : per_stream) {
    if (shown++ == kShown) {
      out += fmt::format("  ... and {} more\n", per_stream.size() - kShown);
      break;
    }
    out += fmt::format("  {:<16} {:<24} {:>9} observations\n", model::word(key.first),
                       key.second.empty() ? "(no node named)" : key.second, count);
  }
  return out;
}

// Source kinds nobody delivered, and listed sources that are not complete.
std::string missing(const evidence::Evidence& evidence) {
  std::set<SourceKind> seen;
  for (const evidence::Observation& each : evidence.observations) seen.insert(each.source);
  for (const evidence::SourceStatus& each : evidence.sources) seen.insert(each.kind);
  std::string out;
  for (std::size_t i = 0; i < model::words<SourceKind>().size(); ++i) {
    if (!seen.contains(static_cast<SourceKind>(i))) {
      out += fmt::format("  {:<16} not among the evidence\n", model::words<SourceKind>()[i]);
    }
  }
  for (const evidence::SourceStatus& each : evidence.sources) {
    if (each.status != "ok") {
      out += fmt::format("  {:<16} {:<24} {}{}{}\n", model::word(each.kind), each.node, each.status,
                         each.reason.empty() ? "" : ": ", each.reason);
    }
  }
  return out;
}

std::string speakers(const evidence::Observation& o) {
  std::string out;
  for (std::size_t i = 0; i < model::words<SourceKind>().size(); ++i) {
    const auto kind = static_cast<SourceKind>(i);
    if (kind != o.source && (o.speaks & model::source_bit(kind)) != 0)
      out += fmt::format("+{}", model::word(kind));
  }
  return out;
}

std::string place(const evidence::Observation& o) {
  std::string out = o.node;
  if (o.rank) out += fmt::format("{}rank {}", out.empty() ? "" : " ", *o.rank);
  if (!o.pod.empty()) out += fmt::format("{}pod {}", out.empty() ? "" : " ", o.pod);
  if (!o.container.empty()) out += "/" + o.container.str();
  return out.empty() ? "-" : out;
}

std::string content(const evidence::Observation& o) {
  const auto pairs = [](const std::map<std::string, std::string>& map) {
    std::string out;
    for (const auto& [key, value] : map) out += fmt::format(" {}={}", key, value);
    return out;
  };
  std::string out = o.message;
  if (o.is_metric) out = fmt::format("metric {} = {} millionths", o.name, o.value);
  if (o.is_record) out = "record" + pairs(o.record);
  out += o.labels.empty() ? "" : " |" + pairs(o.labels);
  std::string shown;
  for (const char c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown;
}

// The middle of what a stamp leaves open, and how much that is.
std::string when(const model::Moment& seen) {
  if (!seen.known) return "time unknown";
  if (seen.lo == -model::kForever || seen.hi == model::kForever) {
    const bool before = seen.lo == -model::kForever;
    return before && seen.hi == model::kForever ? "time unknown"
           : before                             ? "before " + verdict::rfc3339(seen.hi)
                                                : "after " + verdict::rfc3339(seen.lo);
  }
  const model::Nanos width = seen.hi - seen.lo;
  return fmt::format("{} ±{}ms", verdict::rfc3339(seen.lo + width / 2), width / 2'000'000);
}

void print_lines(const evidence::Evidence& evidence) {
  for (const evidence::Observation& o : evidence.observations) {
    cli::say("{} | {} | {}{} | {} | {}\n", fmt::join(o.ids, ", "), when(o.seen),
             model::word(o.source), speakers(o), place(o), content(o));
  }
}

void print_unmatched(const evidence::Evidence& evidence, const vm::RunResult& result,
                     std::size_t samples) {
  cli::say("understood by the rules: {} of {} observations\n",
           evidence.observations.size() - result.unmatched.size(), evidence.observations.size());
  for (std::size_t i = 0; i < std::min(samples, result.unmatched.size()); ++i) {
    const evidence::Observation& each = evidence.observations[result.unmatched[i]];
    constexpr std::size_t kColumns = 100;
    cli::say("  not understood: {}: {}\n", each.ids.front(), each.message.substr(0, kColumns));
  }
  if (result.unmatched.size() > samples) {
    cli::say("  ... and {} more (--samples N shows more)\n", result.unmatched.size() - samples);
  }
}

}  // namespace

int check_command(const CheckFlags& flags) {
  const Result<evidence::Evidence> read = read_evidence(flags.input);
  if (!read) {
    cli::tell("attrib-vm: {}\n", read.error().message);
    return cli::kRefused;
  }
  const evidence::Evidence& evidence = read.value();
  cli::say("workload {}: state {}, {} nodes, {} ranks, {} placed\n",
           evidence.workload.id.empty() ? "(no id)" : evidence.workload.id,
           evidence.workload.state.empty() ? "(not given)" : evidence.workload.state,
           evidence.workload.nodes.size(),
           evidence.workload.ranks ? fmt::format("{}", *evidence.workload.ranks) : "?",
           evidence.workload.placement.size());
  cli::say("read:\n{}", counted(evidence));
  const evidence::Counters& counters = evidence.counters;
  cli::say(
      "copies {}, rejected {}, truncated {}, invalid UTF-8 {}, stamp or framing not understood "
      "{}\n",
      counters.copies, counters.rejected, counters.truncated, counters.escaped, counters.unparsed);
  for (const std::string& problem : evidence.problems) cli::say("  problem: {}\n", problem);
  if (flags.lines) print_lines(evidence);
  cli::say("missing:\n{}", missing(evidence));
  if (!flags.program.empty()) {
    const Result<program::VerifiedProgram> program = load_program(flags.program);
    if (!program) {
      cli::tell("attrib-vm: {}\n", program.error().message);
      return cli::kRefused;
    }
    print_unmatched(evidence, vm::run(program.value(), evidence), flags.samples);
  }
  return counters.rejected > 0 ? cli::kFindings : cli::kDone;
}

}  // namespace attrib::attrib_vm
