#pragma once

// How often a text is expected in ordinary logs: what makes one literal a better filter than
// another.

#include <string_view>

namespace attrib::model {

// Expected occurrences for each byte of an ordinary log: from how often its bytes follow one
// another in a sample (bench/make_log.py --signal 0). A rough order, not a measurement: 1e-6 and 1e-9
// differ, 2e-9 and 3e-9 do not.
double expected_hits(std::string_view text);

}  // namespace attrib::model
