#pragma once

#include "evidence/draft.h"
#include "evidence/read.h"

namespace attrib::evidence {

// Reads one JSON document or NDJSON input into `gathering`. Which of the two it is follows from the
// text: NDJSON has one whole object a line. An Error: nothing in it can be understood, or strict
// and something is wrong.
Status read_json(const Input& input, std::uint32_t index, Gathering* gathering);

}  // namespace attrib::evidence
