#pragma once

// Repeats of one line, counted instead of kept: of lines of one stream that are equal but for their
// stamps the first kKeptRepeats of a burst are kept, and of those behind them the last of each run,
// which stands for the run. What a rule or verdict tells of a burst follows from these
// (docs/semantics.md, "Counted repeats"); the filter says of which lines that is so.
//
// Memory: some kilobytes for each of at most kMostCounted bodies, however many repeats there are.

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "evidence/draft.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

constexpr std::size_t kKeptRepeats = 16;
constexpr std::size_t kMostCounted = 1024;

class RepeatCounter {
 public:
  // Both must outlive it. Without a filter, or where the gathering does not allow it, every line is
  // kept.
  RepeatCounter(LineFilter* filter, Gathering* gathering);

  // Sees each draft of a raw log that is worth keeping, in the order of the file; true: took it.
  // `alone`: it is one whole line, and not one of those that are kept for their neighbours' sake.
  // `place`: of its body in the line, or null.
  bool take(Draft* draft, bool alone, const LineFilter::Place* place);
  // A stamped line lies here that may be kept later.
  void see_stamp() { ++stamped_; }
  // Hands out what is held.
  void flush();

 private:
  struct Line {  // A body and all else that repeats have alike.
    StreamKey key;
    std::string body;
    model::SourceMask speaks = 0;
    std::optional<Counting> counting;  // None: all its lines are kept.
    std::optional<Draft> last;         // Not handed out yet.
    std::uint64_t stamped_before = 0;  // Stamped lines seen before `last`.
    std::size_t kept = 0;              // Of this burst, `last` too.
    CountedRepeats counted;            // What `last` stands for.
    std::uint32_t found = 0;           // Of each of its lines (Observation::found).
  };
  enum class Step : std::uint8_t { Copy, Run, Burst, Apart };

  void repeat(Line* line, Draft draft);
  [[nodiscard]] Step step_to(const Line& line, const Draft& next) const;
  void hold(Line* line, Draft draft);
  void hand_out(Line* line);

  LineFilter* filter_;
  Gathering* gathering_;
  std::unordered_map<std::uint64_t, Line> lines_;  // By hash.
  // Hashes of bodies that were seen once: only what comes again is looked at more closely.
  std::array<std::uint64_t, 4096> seen_{};
  std::bitset<4096> may_be_counted_;  // Nothing in lines_ has another hash, by its last bits.
  std::uint64_t stamped_ = 0;
};

}  // namespace attrib::evidence
