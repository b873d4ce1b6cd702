// Prints docs/bytecode.md: `bytecode_page > docs/bytecode.md`. program_test compares the two.

#include <fmt/core.h>

#include "program/disassemble.h"

int main() { fmt::print("{}", attrib::program::bytecode_page()); }
