#pragma once

// The program's answer to the reader's question which lines are worth keeping (evidence/line_filter.h):
// those that hold a text without which no extract can match.

#include <memory>

#include "evidence/line_filter.h"
#include "program/verify.h"

namespace attrib::vm {

// `program` must outlive the filter, which costs nothing until it is first asked; then about a
// millisecond for two thousand texts. An extract that may match a line of any text is tried on
// every line: `rulec cost` names them.
std::unique_ptr<evidence::LineFilter> make_line_filter(const program::VerifiedProgram& program);

}  // namespace attrib::vm
