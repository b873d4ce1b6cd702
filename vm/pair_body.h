#pragma once

// The body of a demotion's inner loop, taken apart by what its parts depend on. What depends on one
// of the two facts alone need not be asked again for each pair, and what depends on both is the
// same for all causes that look alike to it: ten thousand causes may be of a hundred nodes.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "program/program.h"

namespace attrib::vm {

// Every instruction writes a register of its own, so that the parts may run in any order that keeps
// `once` first. A filter that does not let through means: no edge.
struct PairBody {
  std::vector<program::Instruction> once;    // Constants and parameters.
  std::vector<program::Instruction> effect;  // What depends on the effect.
  std::vector<program::Instruction> cause;   // What depends on the cause.
  std::vector<program::Instruction> pair;    // What depends on both, but for the window.
  std::vector<std::uint16_t> key;            // Registers of `cause` that `pair` and the edge read.
  std::uint32_t registers = 0;               // How many there are now.
  program::Instruction window;               // Of the two facts themselves.
  unsigned window_passes = 7;                // Mask of its filters.
  std::uint16_t relation = 0;                // Register that the edge reads.
  program::Instruction edge;
  std::uint32_t edge_at = 0;
};

// `open`: where the loop over causes opens, in a loop over effects. None: the body is not of this
// form, or registers carry something from one round of it to another.
std::optional<PairBody> pair_body(const program::Rule& rule,
                                  std::span<const program::Instruction> code, std::uint32_t open);

}  // namespace attrib::vm
