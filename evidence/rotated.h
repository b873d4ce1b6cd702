#pragma once

// The files of a rotated log, known by their names: train.log.2.gz, train.log.1, train.log. Which
// inputs are one set is decided here; how its files become one stream is parts.h.
//
// Files that only look like it must not be joined: launchers write rank files as out.0, out.1, ...
// So numbers count only beside the file without a number, and if they begin at 1 as those of
// logrotate do. A date behind the whole name (train.log-20260518.gz, 0.log.20260518-083105) counts
// beside the file without one, or beside another dated one if a dot stands in the name before it.
// Files whose first stamps contradict the order of
// their names are no set, and neither are those with numbers and dates.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/draft.h"
#include "evidence/read.h"

namespace attrib::evidence {

struct RotatedName {
  enum class Form : std::uint8_t { Current, Numbered, Dated };
  Form form = Form::Current;
  std::string base;          // Of the set: without number, date and .gz or .zst.
  std::uint32_t number = 0;  // The greater, the older.
  std::string date;          // Its digits.
};
RotatedName read_rotated_name(std::string_view name);

// `inputs` with each rotated set replaced by one input, which stands where its first file stood and
// lives in `sets`. A file that is there twice, plain and packed, is read once; the packed one is
// rejected by name.
Result<std::vector<const Input*>> join_rotated(const std::vector<const Input*>& inputs,
                                               std::deque<Input>* sets, Gathering* gathering);

}  // namespace attrib::evidence
