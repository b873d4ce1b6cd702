#pragma once

// For tests of the VM alone: a run of a program that is known to be well formed.

#include <string>

#include "vm/machine.h"

namespace attrib::vm {

RunResult run_program(const program::Program& program, const std::string& digest,
                      const evidence::Evidence& evidence, const RunOptions& options = {});

}  // namespace attrib::vm
