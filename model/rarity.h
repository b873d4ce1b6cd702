#pragma once

// How often a text is expected in ordinary logs: what makes one literal a better filter than
// another.

#include <cstddef>
#include <string_view>
#include <vector>

namespace attrib::model {

constexpr double kBytesOfLine = 139;  // Mean of ordinary logs.

// Expected occurrences for each byte of an ordinary log: what the shapes of ordinary lines hold
// (ordinary_lines.h), and for a text that none holds expected_by_pairs(). A rough order, not a
// measurement: 1e-6 and 1e-9 differ, 2e-9 and 3e-9 do not. The first call takes milliseconds.
//
// In any case, if it is found so; it then has no capitals.
double expected_hits(std::string_view text, bool any_case = false);

// From how often its bytes follow one another there alone, which costs next to nothing: good for
// comparing parts of a text, blind to words that ordinary lines hold whole.
double expected_by_pairs(std::string_view text, bool any_case = false);

// The same of each stretch of `size` bytes, from 1, by where it begins; `out` is overwritten.
void expected_by_pairs(std::string_view text, bool any_case, std::size_t size, std::vector<double>* out);

using Rarity = double (*)(std::string_view text, bool any_case);

}  // namespace attrib::model
