#pragma once

// Which occurrences of a list may begin in a window? A superset, found in logarithmic time a hit:
// the `window` instruction decides.

#include <cstdint>
#include <set>
#include <vector>

#include "vm/facts.h"

namespace attrib::vm {

// The part of a list that a window may touch. Positions index the list.
struct NearWindow {
  std::uint32_t end = 0;           // Past the last position with a known begin to look at.
  model::Nanos least_end = 0;      // An occurrence that ends before cannot be in the window.
  std::uint32_t unknown_from = 0;  // Positions from here on have no known begin: always in.
};

class NearIndex {
 public:
  // `list`: indexes of occurrences in canonical order; begins are sorted, unknown ones last.
  NearIndex(const std::vector<Occurrence>& occurrences, const std::vector<std::uint32_t>& list);

  // The inner fact begins between a and b after `outer` (or, `reversed`, outer after it).
  [[nodiscard]] NearWindow window(const Occurrence& outer, model::Nanos a, model::Nanos b,
                                  bool reversed) const;
  // Everything, for windows with an unknown bound.
  [[nodiscard]] NearWindow everything() const;
  // The first position >= `from` inside the window, or list.size().
  [[nodiscard]] std::uint32_t next(const NearWindow& window, std::uint32_t from) const;

 private:
  std::vector<model::Nanos> begins_;  // lo, of the known ones.
  std::vector<model::Nanos> ends_;    // A heap-shaped tree of the latest ends.
  std::uint32_t leaves_ = 1;
  std::uint32_t size_ = 0;
};

// Streams in which the order of lines contradicts their stamps. There a difference of times is not
// what the times say, so windows from facts of such streams are not looked up by time.
std::set<std::uint32_t> contradicting_streams(const std::vector<Occurrence>& occurrences);

// By when the last repeat of it has begun at the latest.
model::Nanos latest_begin(const Occurrence& o);

}  // namespace attrib::vm
