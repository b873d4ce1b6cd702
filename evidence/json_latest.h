#pragma once

// Lines of NDJSON of that only the last of each stream counts, as lines of progress are. Which lines
// those are takes a walk over their templates, and most are overtaken soon: so they wait, and are
// asked about from the last one back. What comes of it does not depend on how long they wait.
//
// Memory: kMostBytes of waiting lines, and the last line of each stream and sort.

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/json_objects.h"
#include "evidence/json_shape.h"
#include "evidence/json_streams.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

class JsonLatest {
 public:
  using Hits = std::span<const LineFilter::Hit>;
  struct Line {
    const JsonLine* text = nullptr;
    const WrittenTime* ts = nullptr;  // As it is written there.
    std::uint64_t number = 0;
  };

  JsonLatest(LineFilter* filter, JsonObjects* objects, Gathering* gathering)
      : filter_(filter), objects_(objects), gathering_(gathering) {}

  // Takes a line that nobody wants unless it is the last, of which all hits are `hits`. False: where
  // it lies in its stream does not show, or it may count whatever follows.
  bool wait(JsonStream* stream, const Line& line, Hits hits);
  // Asks about those that wait. To be called before others of the stream are asked about.
  void settle(JsonStream* stream);
  // Takes the line, which is of those sorts, instead of an earlier one; none must wait. False: it does
  // not show which is the later one, or that its rules read all such lines of the stream.
  bool offer(JsonStream* stream, const Line& line, LineFilter::Sorts sorts);
  // All that are the last ones go to the objects.
  Status finish(std::deque<JsonStream>* streams);

 private:
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  struct Waiting {
    JsonStream* stream = nullptr;
    std::uint64_t number = 0;
    LineFilter::Sorts sorts = 0;  // That it may be of.
    std::uint32_t before = 0;     // The one before of its stream: its place in waiting_, from 1.
    std::uint32_t line = 0, line_size = 0;  // In bytes_.
    std::uint32_t ts = 0, ts_size = 0, message = 0, message_size = 0;  // In the line.
    std::uint32_t hits = 0, hits_size = 0;                             // In hits_.
  };

  void settle_all();
  LineFilter::Answer ask(const Waiting& each);
  [[nodiscard]] std::string_view line_of(const Waiting& each) const {
    return std::string_view(bytes_).substr(each.line, each.line_size);
  }
  void take(const Waiting& each, LatestLine* into) const;

  LineFilter* filter_;
  JsonObjects* objects_;
  Gathering* gathering_;
  std::vector<Waiting> waiting_;
  std::string bytes_;
  std::vector<LineFilter::Hit> hits_;
  std::size_t places_ = 0;  // Given to waiting lines: none comes twice.
  std::vector<LineFilter::Sorts> settled_;
};

}  // namespace attrib::evidence
