#pragma once

#include <vector>

#include "program/program.h"

namespace attrib::vm {

// For each event type: is it told only as a sign of progress? Then no rule looks at its events, and
// of those in one stream the last one says as much as all (survival.h).
std::vector<bool> progress_only(const program::Program& program);

// Does the extract make nothing but such an event, about whom the line's own source names?
bool shows_progress_only(const program::Program& program, const program::Extract& extract,
                         const std::vector<bool>& progress_only);

}  // namespace attrib::vm
