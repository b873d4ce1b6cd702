#pragma once

// What a line must hold to match a template: the filter's question to a whole log.

#include <string>
#include <vector>

#include "model/line_template.h"

namespace attrib::model {

struct RequiredLiterals {
  // A line that holds none of these cannot match. Empty: any line may match.
  std::vector<std::string> any_of;
  double expected_hits = 1;  // Of all together, for each byte of an ordinary log (rarity.h).
};

constexpr std::size_t kMinFilterLiteral = 7;  // Shorter ones cost a pass over the log each.

// Of all phrases of the line outside its optional parts, the one that is rarest in ordinary logs,
// its words with one blank between; a blank of a template also matches a longer run or a tab, so
// the set holds, for each blank, what stands in front of it when it is the first that is longer. A
// `regex` line gives nothing.
RequiredLiterals required_literals(const LineTemplate& line);

}  // namespace attrib::model
