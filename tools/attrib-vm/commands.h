#pragma once

// The two commands of attrib-vm. Flags are parsed in main.cpp; each command returns the exit code.

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/read.h"
#include "program/verify.h"

namespace attrib::attrib_vm {

struct InputFlags {
  std::vector<std::string> inputs;  // --input
  std::vector<std::string> logs;    // --log
  bool strict = false;
  std::size_t threads = 0;  // 0: as the machine has them, but few.
  int year = 0;  // 0: not given
  std::string zone;
  std::string boot;
};

struct RunFlags {
  std::string program;
  InputFlags input;
  std::string format;  // empty: text on a terminal, else json
  bool explain = false;
  bool stats = false;
  std::string profile;  // "text", "json", or empty for none
  bool mask_digest = false;
  std::string color = "auto";
  std::size_t width = 80;
  bool portable = false;
};

struct CheckFlags {
  std::string program;  // Optional
  InputFlags input;
  std::size_t samples = 10;  // Lines not understood to show.
  bool lines = false;        // Show every observation as the rules see it.
};

// With a `filter` only the lines of raw logs that it wants.
Result<evidence::Evidence> read_evidence(const InputFlags& flags,
                                         evidence::LineFilter* filter = nullptr);
Result<program::VerifiedProgram> load_program(const std::string& path);

int run_command(const RunFlags& flags);
int check_command(const CheckFlags& flags);

}  // namespace attrib::attrib_vm
