#pragma once

// The program's answer to the reader's question which lines are worth keeping (evidence/line_filter.h):
// those that hold a text without which no extract can match.

#include <memory>

#include "evidence/line_filter.h"
#include "vm/line_engine.h"

namespace attrib::vm {

// `engine` must outlive the filter. An extract that may match a line of any text is tried on every
// line: `rulec cost` names them.
std::unique_ptr<evidence::LineFilter> make_line_filter(LineEngine* engine);

}  // namespace attrib::vm
