#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/line_template.h"

namespace attrib::model {

// The RE2 expression of one hole or skip of a line: hole_pattern(), but a text with nothing after
// it takes the rest of the line (the shortest run would always be empty there).
std::string part_pattern(const LineTemplate& line, std::size_t part,
                         const std::vector<Type>& capture_types);

}  // namespace attrib::model
