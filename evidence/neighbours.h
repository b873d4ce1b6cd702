#pragma once

// The stamps around a line that has none, of lines that are not kept themselves.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "evidence/draft.h"
#include "evidence/log_window.h"
#include "evidence/raw_lines.h"

namespace attrib::evidence {

constexpr std::size_t kNeighbourBytes = std::size_t{1} << 14U;

// Looks from line to line, no further than the first that answers, and remembers of each only what
// its first bytes tell: those of other streams are passed over however many ask. Memory: 24 bytes
// for each line around where it was asked last, but for those that begin as no stamped line does.
class Neighbours {
 public:
  // Both must outlive it.
  Neighbours(const LogWindow* window, const RawLines* lines) : window_(window), lines_(lines) {}

  // Of the line [begin, end) of the stream: the nearest stamped lines that begin within
  // kNeighbourBytes of it, none before `floor`. Null: there is none.
  std::shared_ptr<Around> of(const StreamKey& stream, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t floor);

 private:
  // What is remembered of a line: a hash of its stream's labels and then, once it was read, of its
  // whole stream.
  using Mark = std::uint32_t;
  struct Line {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;  // With its line end.
    Mark mark = 0;
    bool looked = false;      // It may have a stamp, and then
    bool names_node = false;  // this is so.
    bool read = false;
  };
  struct Wanted {
    const StreamKey* stream = nullptr;
    Mark labels = 0, whole = 0;
  };

  [[nodiscard]] static Mark mark_of(const Labels& labels);
  [[nodiscard]] static Mark mark_of(const StreamKey& stream);
  // Its stamp, if it has one and is of the stream.
  std::optional<Stamp> stamp_of(const Wanted& wanted, Line* line) const;
  // Is there anything to remember of the line [begin, end)?
  bool look_at(std::uint64_t begin, std::uint64_t end, Line* line) const;
  [[nodiscard]] std::string_view text_of(const Line& line) const;

  void forget(std::uint64_t begin, std::uint64_t least, std::uint64_t most);
  [[nodiscard]] bool is_rare(const StreamKey& stream, std::uint64_t begin);
  std::optional<Stamp> rank_before(const Wanted& wanted, std::uint64_t begin, std::uint64_t least) const;
  std::optional<Stamp> rank_behind(const Wanted& wanted, std::uint64_t end, std::uint64_t most) const;
  std::optional<Stamp> before(const Wanted& wanted, std::uint64_t begin, std::uint64_t least);
  std::optional<Stamp> behind(const Wanted& wanted, std::uint64_t end, std::uint64_t most);
  bool step_back(std::uint64_t least);
  void step_on();
  [[nodiscard]] std::uint64_t line_end(std::uint64_t at) const;

  const LogWindow* window_;
  const RawLines* lines_;
  std::uint64_t from_ = 0, to_ = 0;  // Whole lines that were looked at.
  std::deque<Line> near_;            // By place.
  std::optional<std::uint64_t> last_of_rank_;  // Where a line with a label was asked about last.
};

}  // namespace attrib::evidence
