#pragma once

// What the choice of lines for an alternative costs, for people: `rulec cost`, and warnings.

#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"

namespace attrib::model {

constexpr double kMaxHitsAMillionLines = 300;  // More, and the literals of an alternative are weak.

// One row of literal_cost.cpp each.
enum class SlowPath : std::uint8_t {
  EveryLine,  // No literals: the template is tried on each line.
  Short,      // A literal under kMinFilterLiteral bytes: one more pass over the log.
  Frequent,   // More than kMaxHitsAMillionLines expected.
  Regex,      // A line that holds a literal is tried by RE2: some microseconds.
  AnyCase,    // Letters of both cases: more words of the log may begin one.
  Escaped,    // A literal that JSON writes in another way: found by its shortest spellings only.
};
std::string_view to_text(SlowPath path);  // A few words
bool is_weak(SlowPath path);  // Worth a warning; the others are for `rulec cost` to tell.

std::vector<SlowPath> slow_paths(const Alternative& alternative);

// Lines of a million ordinary ones that hold one of `literals`, to two digits: it is no measurement.
double hits_a_million_lines(const std::vector<std::string>& literals, bool any_case);

// For people: of spellings that differ in blanks only the plain one. "a b" of {"a b", "a\t", ...}.
std::vector<std::string> plain_spellings(const std::vector<std::string>& literals);

}  // namespace attrib::model
