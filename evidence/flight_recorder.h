#pragma once

// Dumps of PyTorch's flight recorder: one file a rank, a pickle (TORCH_NCCL_DEBUG_INFO_TEMP_FILE)
// or the JSON of its HTTP handler. A dump becomes observations that rules read: one line that says
// what was read, a record for each process group, and a record for each operation that had not
// ended, and for the last that had, of each group.

#include "evidence/draft.h"
#include "evidence/read.h"

namespace attrib::evidence {

constexpr std::size_t kMaxDumpBytes = std::size_t{256} << 20U;
constexpr std::size_t kMaxDumpOperations =
    20'000;  // Kept of one dump; the rest are named and left out.

// Or is it a log whose lines speak of collectives?
bool is_flight_dump(std::string_view bytes);

// Reads `bytes` of `input` (of kind flight_recorder). A dump that is none, or not of the rank it is given for,
// is named, counted and left out; its source is `failed`.
Status read_flight_dump(const Input& input, std::string_view bytes, std::uint32_t index,
                        Gathering* gathering);

}  // namespace attrib::evidence
