#pragma once

// Which occurrences of a list may lie in a window? A superset, found in logarithmic time a hit:
// the `window` instruction decides.

#include <cstdint>
#include <vector>

#include "model/attribute.h"
#include "vm/facts.h"

namespace attrib::vm {

// What a fact's time must touch: an occurrence that ends before or starts after is out.
struct TimeRange {
  model::Nanos earliest = -model::kForever - 1;
  model::Nanos latest = model::kForever;
};

// The times a window lets through, as seen from one fact: of facts whose stamps are of its clock,
// whose error cancels, and of others.
struct NearBounds {
  TimeRange any_clock, own_clock;
  model::ClockId clock = model::kNoClock;
  bool all = true;  // Everything, for windows with an unknown bound.
};

// The inner fact lies between a and b after `outer` (or, `reversed`, outer after it), or may be
// simultaneous with it because of the disorder of its stream.
NearBounds near_bounds(const Occurrence& outer, model::Point point, model::Nanos a, model::Nanos b,
                       bool reversed, model::Nanos disorder = 0);

// The part of a list that a window may touch. Positions index the list.
struct NearWindow {
  TimeRange range;
  const void* spans = nullptr;     // Those of the index that count.
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
  [[nodiscard]] std::uint32_t next(const NearWindow& window, std::uint32_t from) const {
    // Mostly the next one is.
    if (from < window.end && !spans_in(window).out_of(window.range, leaves_ + from)) return from;
    if (from >= window.unknown_from) return from < size_ ? from : size_;
    return search(window, from);
  }

 private:
  struct Spans {
    std::vector<model::Nanos> ends;    // A heap-shaped tree of the latest ends.
    std::vector<model::Nanos> starts;  // Sorted, or a tree of the earliest ones.
    bool sorted = false;
    [[nodiscard]] bool out_of(const TimeRange& range, std::size_t node) const {
      return ends[node] < range.earliest || (!sorted && starts[node] > range.latest);
    }
  };
  static const Spans& spans_in(const NearWindow& window) {
    return *static_cast<const Spans*>(window.spans);
  }
  [[nodiscard]] std::uint32_t search(const NearWindow& window, std::uint32_t from) const;
  Spans spans_of(const std::vector<Occurrence>& occurrences, const std::vector<std::uint32_t>& list,
                 model::Point point, bool own_clock) const;

  Spans any_clock_;
  Spans own_clock_;                         // If all are of one clock.
  model::ClockId clock_ = model::kNoClock;  // That one.
  std::uint32_t leaves_ = 1;
  std::uint32_t known_ = 0;
  std::uint32_t size_ = 0;
};

// By how much the order of lines contradicts their stamps, by stream; 0: not at all. Two facts of a
// stream that contradict each other count as simultaneous, whatever their stamps say, and these are
// at most that far apart. `all_points`: of what was seen and of the last repeats, too, not of the
// begins alone.
std::vector<model::Nanos> disorder_of_streams(const std::vector<Occurrence>& occurrences,
                                              bool all_points);

// By when the last repeat of it has begun at the latest.
model::Nanos latest_begin(const Occurrence& o);

const model::Moment& point_of(const Occurrence& o, model::Point point);

}  // namespace attrib::vm
