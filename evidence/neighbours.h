#pragma once

// The stamps around a line that has none, of lines that are not kept themselves.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "evidence/draft.h"
#include "evidence/log_window.h"
#include "evidence/raw_lines.h"

namespace attrib::evidence {

constexpr std::size_t kNeighbourBytes = std::size_t{1} << 14U;

// Remembers what it read, so that each line is looked at once however many ask. Lines are asked for
// in the order of the log; memory is that of the stamps within kNeighbourBytes on either side.
class Neighbours {
 public:
  // Both must outlive it.
  Neighbours(const LogWindow* window, const RawLines* lines) : window_(window), lines_(lines) {}

  // Of the line [begin, end) of the stream: the nearest stamped lines that begin within
  // kNeighbourBytes of it, none before `floor`. Null: there is none.
  std::shared_ptr<Around> of(const StreamKey& stream, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t floor);

 private:
  struct Stamped {  // A line that may have a stamp.
    std::uint64_t begin = 0, end = 0;
    bool read = false;  // What follows is known.
    std::optional<Stamp> stamp;
    StreamKey stream;
  };
  // Is it one of the stream, with a stamp?
  bool is_of(const StreamKey& stream, Stamped* line) const;

  void start_at(std::uint64_t begin, std::uint64_t end);
  std::optional<Stamp> before(const StreamKey& stream, std::uint64_t begin, std::uint64_t least);
  std::optional<Stamp> behind(const StreamKey& stream, std::uint64_t end, std::uint64_t most);
  void find(std::uint64_t from, std::uint64_t to);
  [[nodiscard]] std::uint64_t line_end(std::uint64_t at) const;

  const LogWindow* window_;
  const RawLines* lines_;
  std::uint64_t from_ = 0, to_ = 0;  // Whole lines that were looked at.
  std::deque<Stamped> stamped_;      // Of these the ones that may have a stamp, by place.
  std::vector<Stamped> found_;       // By the last find().
  std::vector<std::size_t> places_;
};

}  // namespace attrib::evidence
