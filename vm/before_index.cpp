#include "vm/before_index.h"

#include <algorithm>

namespace attrib::vm {

using model::Moment;
using model::Nanos;

void BeforeIndex::Least::add(Nanos end, std::uint32_t of_stream) {
  // Moments without a stream are nobody's own, so they count for `other` too.
  if (end < value) {
    if (stream != of_stream || of_stream == 0) other = std::min(other, value);
    if (of_stream == 0) other = std::min(other, end);
    value = end;
    stream = of_stream;
  } else if (of_stream == 0 || of_stream != stream) {
    other = std::min(other, end);
  }
}

BeforeIndex::BeforeIndex(std::span<const Moment> moments) {
  for (const Moment& m : moments) {
    if (!m.known) continue;
    const Nanos inner = model::sub_nanos(m.hi, m.error);
    Clock& clock = clocks_[m.clock];
    clock.with_error.add(m.hi, m.stream);
    clock.without_error.add(inner, m.stream);
    if (m.stream != 0) streams_[m.stream].push_back({m.position, m.clock, m.hi, inner});
  }
  for (const auto& [id, clock] : clocks_) by_end_.emplace_back(clock.with_error.value, id);
  std::sort(by_end_.begin(), by_end_.end());
  for (auto& [stream, list] : streams_) {
    std::sort(list.begin(), list.end(),
              [](const InStream& a, const InStream& b) { return a.position < b.position; });
    for (std::size_t i = 1; i < list.size(); ++i) {
      list[i].with_error = std::min(list[i].with_error, list[i - 1].with_error);
      list[i].without_error = std::min(list[i].without_error, list[i - 1].without_error);
    }
  }
}

// In one stream only what stands earlier can be before; a stream has one clock.
bool BeforeIndex::before_in_stream(const Moment& q) const {
  const auto it = streams_.find(q.stream);
  if (q.stream == 0 || it == streams_.end()) return false;
  const auto& list = it->second;
  const auto end = std::lower_bound(
      list.begin(), list.end(), q.position,
      [](const InStream& a, std::uint64_t position) { return a.position < position; });
  if (end == list.begin()) return false;
  const InStream& upto = *(end - 1);
  const bool one_clock = q.clock != model::kNoClock && upto.clock == q.clock;
  return one_clock ? upto.without_error < model::add_nanos(q.lo, q.error) : upto.with_error < q.lo;
}

bool BeforeIndex::any_before(const Moment& q) const {
  if (!q.known) return false;
  if (before_in_stream(q)) return true;
  if (q.clock != model::kNoClock) {
    const auto own = clocks_.find(q.clock);
    if (own != clocks_.end() &&
        own->second.without_error.outside(q.stream) < model::add_nanos(q.lo, q.error)) {
      return true;
    }
  }
  for (const auto& [least, id] : by_end_) {
    if (least >= q.lo) return false;
    if (id == q.clock && id != model::kNoClock) continue;
    if (clocks_.at(id).with_error.outside(q.stream) < q.lo) return true;
  }
  return false;
}

Moment mirrored(const Moment& m) {
  Moment out = m;
  out.lo = model::sub_nanos(0, m.hi);
  out.hi = model::sub_nanos(0, m.lo);
  out.position = ~m.position;
  return out;
}

}  // namespace attrib::vm
