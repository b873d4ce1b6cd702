#pragma once

// Which occurrences of a list may lie in a window? A superset, found in logarithmic time a hit:
// the `window` instruction decides.

#include <cstdint>
#include <vector>

#include "model/attribute.h"
#include "vm/facts.h"

namespace attrib::vm {

// The times a window lets through, as seen from one fact. Outside them nothing can be in it.
struct NearBounds {
  model::Nanos earliest = -model::kForever - 1;  // An occurrence that ends before is out.
  model::Nanos latest = model::kForever;         // One that starts after is out.
  bool all = true;                               // Everything, for windows with an unknown bound.
};

// The inner fact lies between a and b after `outer` (or, `reversed`, outer after it).
NearBounds near_bounds(const Occurrence& outer, model::Point point, model::Nanos a, model::Nanos b,
                       bool reversed);

// The part of a list that a window may touch. Positions index the list.
struct NearWindow {
  model::Nanos earliest = 0;
  model::Nanos latest = 0;
  std::uint32_t end = 0;           // Past the last position with a known time to look at.
  std::uint32_t unknown_from = 0;  // Positions from here on have no known begin: always in.
};

class NearIndex {
 public:
  // `list`: indexes of occurrences in canonical order; begins are sorted, unknown ones last.
  NearIndex(const std::vector<Occurrence>& occurrences, const std::vector<std::uint32_t>& list,
            model::Point point = model::Point::Begin);

  [[nodiscard]] NearWindow window(const NearBounds& bounds) const;
  // The first position >= `from` inside the window, or list.size().
  [[nodiscard]] std::uint32_t next(const NearWindow& window, std::uint32_t from) const;

 private:
  [[nodiscard]] bool out_of(const NearWindow& window, std::size_t node) const {
    return ends_[node] < window.earliest || (!starts_.empty() && starts_[node] > window.latest);
  }

  std::vector<model::Nanos> begins_;  // lo, of the known ones; sorted when the point is the begin.
  std::vector<model::Nanos> ends_;    // A heap-shaped tree of the latest ends.
  std::vector<model::Nanos> starts_;  // The same of the earliest starts, for points that are not
                                      // sorted.
  std::uint32_t leaves_ = 1;
  std::uint32_t size_ = 0;
};

// Streams in which the order of lines contradicts their stamps, by stream. There a difference of
// times is not what the times say, so windows from facts of such streams are not looked up by time.
// `all_points`: by what was seen and by the last repeats, too, not by the begins alone.
std::vector<bool> contradicting_streams(const std::vector<Occurrence>& occurrences,
                                        bool all_points);

// By when the last repeat of it has begun at the latest.
model::Nanos latest_begin(const Occurrence& o);

const model::Moment& point_of(const Occurrence& o, model::Point point);

}  // namespace attrib::vm
