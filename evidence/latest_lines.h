#pragma once

// Of lines of that only the last of its stream counts (LineFilter::kLatest), the last one so far.
// At most as many drafts for each stream as there are sorts of such lines.

#include <map>
#include <string_view>
#include <vector>

#include "evidence/draft.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

class LatestLines {
 public:
  using Sorts = LineFilter::Sorts;

  // Those of `sorts` of which no later line of its stream is known; earlier ones are forgotten.
  Sorts overtakes(const Draft& draft, Sorts sorts);
  // `sorts`: as overtakes() told.
  void add(Draft draft, Sorts sorts);
  // All of them, by stream.
  std::vector<Draft> take();

 private:
  struct Latest {
    Sorts sorts = 0;  // No other line of the stream has one of them.
    Draft draft;
  };
  std::map<StreamKey, std::vector<Latest>> latest_;
};

// Which sorts of lines need no line further in front in a block that is read backwards.
class DoneStreams {
 public:
  using Sorts = LineFilter::Sorts;

  void add(std::string_view label, const StreamKey& stream, Sorts sorts);
  // A launcher's label is read at once and tells most streams apart, which is enough for progress.
  [[nodiscard]] bool has_progress(std::string_view label) const;
  [[nodiscard]] Sorts of(const StreamKey& stream) const;

 private:
  std::vector<std::string_view> labels_;
  std::map<StreamKey, Sorts> streams_;
};

}  // namespace attrib::evidence
