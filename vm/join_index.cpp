#include "vm/join_index.h"

#include <algorithm>

namespace attrib::vm {
namespace {

JoinLanes lanes_of(const std::vector<Occurrence>& occurrences, std::vector<std::uint32_t> list,
                   model::Point point) {
  std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
    return occurrences[a].type < occurrences[b].type;
  });
  JoinLanes lanes;
  for (std::size_t first = 0, i = 1; first < list.size(); ++i) {
    const std::uint32_t type = occurrences[list[first]].type;
    if (i < list.size() && occurrences[list[i]].type == type) continue;
    std::vector<std::uint32_t> part(list.begin() + static_cast<std::ptrdiff_t>(first),
                                    list.begin() + static_cast<std::ptrdiff_t>(i));
    NearIndex near(occurrences, part, point);
    lanes.push_back({type, std::move(part), std::move(near)});
    first = i;
  }
  return lanes;
}

}  // namespace

JoinIndex::JoinIndex(const std::vector<Occurrence>& occurrences,
                     const std::vector<std::uint32_t>& list, model::Point point)
    : maybe_(lanes_of(occurrences, list, point)) {}

JoinIndex::JoinIndex(const std::vector<Occurrence>& occurrences,
                     const std::vector<std::uint32_t>& list, model::Point point,
                     const std::vector<std::optional<Value>>& keys) {
  std::unordered_map<Value, std::vector<std::uint32_t>, Hash> parts;
  std::vector<std::uint32_t> maybe;
  for (std::size_t i = 0; i < list.size(); ++i) {
    (keys[i] ? parts[*keys[i]] : maybe).push_back(list[i]);
  }
  maybe_ = lanes_of(occurrences, std::move(maybe), point);
  for (auto& [key, part] : parts) {
    equal_.emplace(key, lanes_of(occurrences, std::move(part), point));
  }
}

JoinParts JoinIndex::nothing() {
  static const JoinLanes kNothing;
  return {&kNothing, &kNothing};
}

void JoinCursor::Side::enter(const JoinLane* of, const NearBounds& bounds) {
  lane = of;
  position = 0;
  fact = kNone;
  if (lane == nullptr) return;
  window = lane->near.window(bounds);
  advance();
}

bool JoinCursor::next_type() {
  for (;;) {
    const bool more_equal = equal_at_ < parts_.equal->size();
    const bool more_maybe = maybe_at_ < parts_.maybe->size();
    if (!more_equal && !more_maybe) return false;
    const std::uint32_t a = more_equal ? (*parts_.equal)[equal_at_].type : kNone;
    const std::uint32_t b = more_maybe ? (*parts_.maybe)[maybe_at_].type : kNone;
    type_ = std::min(a, b);
    equal_.enter(a == type_ ? &(*parts_.equal)[equal_at_++] : nullptr, bounds_);
    maybe_.enter(b == type_ ? &(*parts_.maybe)[maybe_at_++] : nullptr, bounds_);
    if (equal_.fact != kNone || maybe_.fact != kNone) return true;
  }
}

}  // namespace attrib::vm
