#pragma once

// Will a line template compile? Answered without compiling it where that can be: a program of a
// thousand templates is checked when it is loaded, and a run needs few of them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"

namespace attrib::model {

// What LineMatcher(line, names, types, max_memory).error() says. Takes a microsecond for a template
// and ten for a `regex`; as long as compiling only where the expression may come near
// `max_memory`.
std::string pattern_fault(const LineTemplate& line, const std::vector<std::string>& names,
                          const std::vector<Type>& types, std::size_t max_memory);

// At least as many instructions as RE2 makes of `expression`, which it can parse. Stops counting
// past kManyInstructions.
constexpr std::size_t kManyInstructions = std::size_t{1} << 20U;
std::size_t most_instructions(std::string_view expression);

// True only if RE2, which can parse it, also compiles it within `max_memory`.
bool surely_fits(std::string_view expression, std::size_t max_memory);

}  // namespace attrib::model
