#pragma once

#include <string>
#include <string_view>

#include "program/program.h"

namespace attrib::program {

// One operation a line with its source beside it, stable enough for golden tests. `only_rule` (full name) narrows it.
std::string disassemble(const Program& program, std::string_view only_rule = {});
// docs/bytecode.md, from opcodes.def.
std::string bytecode_page();

}  // namespace attrib::program
