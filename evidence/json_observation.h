#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/draft.h"
#include "evidence/json_value.h"

namespace attrib::evidence {

// One element of `observations` or one NDJSON line. None: `problems` says why. The message is as
// given, not framed; `ids` holds the given id, or none.
std::optional<Draft> read_observation(const JsonValue& object, std::vector<std::string>* problems);

// 16 hex digits of what an observation without id says; the same observation always has the same.
std::string default_id(const Draft& draft);

}  // namespace attrib::evidence
