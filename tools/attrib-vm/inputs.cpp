#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "program/container.h"
#include "program/verify.h"
#include "tools/attrib-vm/commands.h"
#include "tools/cli/files.h"

namespace attrib::attrib_vm {

namespace {

// More gain little: the kept lines are made into observations by the thread that reads.
std::size_t usual_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 4U); }

}  // namespace

Result<evidence::Evidence> read_evidence(const InputFlags& flags, evidence::LineFilter* filter) {
  evidence::ReadOptions options;
  options.filter = filter;
  options.strict = flags.strict;
  options.threads = flags.threads != 0 ? flags.threads : usual_threads();
  if (flags.year != 0) options.year = flags.year;
  if (!flags.zone.empty()) {
    ATTRIB_TRY(options.zone_offset, evidence::parse_zone(flags.zone));
  }
  if (!flags.boot.empty()) {
    ATTRIB_TRY(options.boot, evidence::parse_time(flags.boot));
  }
  std::vector<evidence::Input> inputs;
  for (const std::string& path : flags.inputs) {
    ATTRIB_TRY(evidence::Input input, evidence::load_input(path));
    inputs.push_back(std::move(input));
  }
  for (const std::string& text : flags.logs) {
    ATTRIB_TRY(const evidence::LogSpec spec, evidence::parse_log_spec(text));
    ATTRIB_TRY(std::vector<evidence::Input> more, evidence::load_logs(spec));
    for (evidence::Input& input : more) inputs.push_back(std::move(input));
  }
  return evidence::read(inputs, options);
}

Result<program::VerifiedProgram> load_program(const std::string& path) {
  ATTRIB_TRY(const cli::Beginning file,
             cli::read_beginning(path, program::kHeadBytes, program::bytes_for_runs));
  Result<program::VerifiedProgram> loaded = program::load_for_runs(file.bytes(), file.size());
  if (!loaded) return Error{fmt::format("{}: {}", path, loaded.error().message)};
  return loaded;
}

}  // namespace attrib::attrib_vm
