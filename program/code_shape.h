#pragma once

// The nesting of loops and outputs in one rule's code: what may follow what, before any register is
// looked at.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace attrib::program {

constexpr std::uint32_t kNoLoop = 0xffffffff;

struct CodeShape {
  // Of each instruction: the `open` of the innermost loop it stands in, or kNoLoop. An `open`
  // stands outside its own loop, its `next` inside.
  std::vector<std::uint32_t> loop_of;
  // Of each instruction: is it inside an output that an earlier instruction started (emit.*, say)?
  std::vector<std::uint8_t> inside_output;  // 0 or 1
  std::vector<std::uint32_t> filters;  // The instructions that are such.
};

struct ShapeFault {
  std::uint32_t at = 0;  // Instruction, from the rule's first.
  std::string what;
};

bool is_open(Opcode op);

// Fills `shape`, or says what is wrong: unknown opcodes; `next` without its `open`, or naming
// another register; an `open` whose target is not the instruction after its `next`; more than
// kMaxLoopDepth loops; `halt` anywhere but at the end; a jump that goes back, out of the rule, into
// a loop or into an output; an output that is torn by anything but loads and tests.
std::optional<ShapeFault> code_shape(std::span<const Instruction> code, CodeShape* shape);

}  // namespace attrib::program
