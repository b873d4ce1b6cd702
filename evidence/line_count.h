#pragma once

// What a pass over a buffer tells about its lines.

#include <cstdint>
#include <string_view>

namespace attrib::evidence {

struct LineCounts {
  std::uint64_t line_ends = 0;  // '\n'
  std::uint64_t filled = 0;     // Lines that are not empty, the last one too if no line end follows.
  bool has_escape = false;      // ESC, which terminal colours begin with.
};

// `text` begins at the start of a line. About 40 GB/s where the processor has AVX2.
LineCounts count_lines(std::string_view text);

// The same line ends alone, twice as fast.
std::uint64_t count_line_ends(std::string_view text);

}  // namespace attrib::evidence
