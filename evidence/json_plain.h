#pragma once

#include <optional>
#include <string_view>

#include "evidence/draft.h"

namespace attrib::evidence {

// The usual observation, one object of known fields with texts and whole numbers, read in one pass:
// what read_observation() makes of it. None: something about it is not usual, or wrong; then the
// general way through JsonValue tells what. A tenth of its cost.
std::optional<Draft> read_plain_observation(std::string_view object);

}  // namespace attrib::evidence
