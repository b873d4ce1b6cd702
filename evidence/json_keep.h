#pragma once

// Which lines of NDJSON become observations. Without a filter all do. With one, ordinary lines of
// logs that no rule reads are passed over, most of them unparsed (json_shape.h): a line stands for
// others only if it is like one that was parsed in all but its time, number and message. Kept are
//
//   * lines that a rule may read, and those that tell of lost lines;
//   * all that is no text (metrics, records, headers), and all that has an `id` of its own;
//   * the first line of each stream: it says which nodes and ranks there are;
//   * the lines of its stream that a pattern of several lines may reach from its first;
//   * of lines that only show progress the latest of each stream, by time and number;
//   * of lines that say the same to all rules that read them the first of each stream.
//
// A kept line without a time keeps the times of the lines around it, as of a raw log.

#include "evidence/json_objects.h"
#include "evidence/line_blocks.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

// Reads all blocks. `filter` may be null. False: lines were passed over that may belong to a
// pattern of several lines, because a stream is not in the order of its times: what was gathered is
// not to be used, but read again without a filter.
Result<bool> keep_json_lines(LineBlocks* blocks, LineFilter* filter, JsonObjects* objects,
                             Gathering* gathering);

}  // namespace attrib::evidence
