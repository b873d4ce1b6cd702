#pragma once

// Memory in blocks for programs that make millions of small things and end soon after. A block costs a
// few instructions to take and to give back, and neighbours of a size lie side by side: of a flood of events, joining and
// splitting freed blocks took a tenth of the time.
//
// What is given back serves blocks of the same size (within a fifth) and never returns to the system; for long-lived
// programs that is wrong. Blocks of more than kLargestBlock bytes, and all of them where the address
// space is bounded too tightly, are malloc's.

#include <cstddef>

namespace attrib {

constexpr std::size_t kLargestBlock = std::size_t{32} << 10U;

// At least `bytes` of them, for any type without an alignment of its own; null: there is no memory.
// Any thread may call both, and give back what another one took.
void* take_block(std::size_t bytes);
// What take_block() gave, or null.
void give_back_block(void* block);

}  // namespace attrib
