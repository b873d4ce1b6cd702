#pragma once

// The program's answer to the reader's question which lines are worth keeping (evidence/line_filter.h):
// those that hold a text without which no extract can match.

#include <memory>

#include "evidence/line_filter.h"
#include "program/verify.h"

namespace attrib::vm {

// `program` must outlive the filter. Null when the program has an extract that may match a line of
// any text: then nothing can be left out. Takes about a millisecond for two thousand texts.
std::unique_ptr<evidence::LineFilter> make_line_filter(const program::VerifiedProgram& program);

}  // namespace attrib::vm
