#pragma once

// Which lines of a raw log become observations. Without a filter all do. With one, of a log's
// middle only those that a rule may read, and what these need around them:
//
//   * the first and the last kAlwaysKept bytes are kept whole: they show where the log begins and
//     ends, who speaks in it and how its lines are framed;
//   * a kept line without a stamp keeps the stamps of the nearest stamped lines of its stream on
//     either side, within kNeighbourBytes (neighbours.h);
//   * the first line of a pattern of several lines keeps its stream's lines up to the last that may
//     belong to it, within kNextReach;
//   * of lines that only show progress the last of each stream is kept, and of the lines of each rule
//     that keeps the last alike;
//   * a line that tells of lost lines is kept always.
//
// Memory: what is kept, and a window of some hundred kilobytes.

#include <cstddef>
#include <cstdint>

#include "evidence/draft.h"
#include "evidence/line_filter.h"
#include "evidence/log_window.h"
#include "evidence/raw_lines.h"

namespace attrib::evidence {

constexpr std::size_t kAlwaysKept = std::size_t{1} << 14U;

// Reads all that `source` has. `filter` may be null.
Status keep_lines(ByteSource* source, LineFilter* filter, RawLines* lines, Gathering* gathering);

}  // namespace attrib::evidence
