#pragma once

#include "evidence/draft.h"
#include "evidence/read.h"

namespace attrib::evidence {

// Reads one raw text log (input.log is set): an observation a line, framed, in the order of the
// file.
Status read_raw(const Input& input, std::uint32_t index, Gathering* gathering);

}  // namespace attrib::evidence
