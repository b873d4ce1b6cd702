#include "vm/near_index.h"

#include <algorithm>
#include <tuple>

namespace attrib::vm {

using model::Moment;
using model::Nanos;
using model::Point;

const Moment& point_of(const Occurrence& o, Point point) {
  return point == Point::Begin ? o.begin : point == Point::Seen ? o.seen : o.last;
}

Nanos latest_begin(const Occurrence& o) {
  Nanos end = model::add_nanos(o.begin.hi, repeats_of(o));
  if (o.last.known) end = std::max(end, o.last.hi);
  return std::max(end, o.begin.hi);
}

namespace {

// Either side may be the cause, whose repeats widen the window.
Nanos latest_of(const Occurrence& o, Point point) {
  if (point == Point::Begin) return latest_begin(o);
  return model::add_nanos(point_of(o, point).hi, repeats_of(o));
}

}  // namespace

NearBounds near_bounds(const Occurrence& outer, Point point, Nanos a, Nanos b, bool reversed) {
  const Nanos first = point_of(outer, point).lo;
  const Nanos last = latest_of(outer, point);
  NearBounds out;
  out.all = false;
  out.earliest = reversed ? model::sub_nanos(first, b) : model::add_nanos(first, a);
  out.latest = reversed ? model::sub_nanos(last, a) : model::add_nanos(last, b);
  return out;
}

NearIndex::NearIndex(const std::vector<Occurrence>& occurrences,
                     const std::vector<std::uint32_t>& list, Point point)
    : size_(static_cast<std::uint32_t>(list.size())) {
  const bool sorted = point == Point::Begin;
  begins_.reserve(list.size());
  for (const std::uint32_t i : list) {
    const Moment& at = point_of(occurrences[i], point);
    if (sorted && !at.known) break;
    begins_.push_back(at.known ? at.lo : -model::kForever - 1);
  }
  while (leaves_ < begins_.size()) leaves_ *= 2;
  ends_.assign(std::size_t{leaves_} * 2, -model::kForever - 2);
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const Occurrence& o = occurrences[list[i]];
    ends_[leaves_ + i] = point_of(o, point).known ? latest_of(o, point) : model::kForever;
  }
  for (std::size_t i = leaves_; i-- > 1;) ends_[i] = std::max(ends_[2 * i], ends_[2 * i + 1]);
  if (sorted) return;
  starts_.assign(std::size_t{leaves_} * 2, model::kForever + 1);
  std::copy(begins_.begin(), begins_.end(), starts_.begin() + leaves_);
  for (std::size_t i = leaves_; i-- > 1;) {
    starts_[i] = std::min(starts_[2 * i], starts_[2 * i + 1]);
  }
}

NearWindow NearIndex::window(const NearBounds& bounds) const {
  const auto known = static_cast<std::uint32_t>(begins_.size());
  NearWindow w{bounds.earliest, bounds.latest, known, known};
  if (!bounds.all && starts_.empty()) {
    w.end = static_cast<std::uint32_t>(
        std::upper_bound(begins_.begin(), begins_.end(), bounds.latest) - begins_.begin());
  }
  return w;
}

std::uint32_t NearIndex::next(const NearWindow& window, std::uint32_t from) const {
  if (from >= window.unknown_from) return std::min(from, size_);
  // Climb to the next subtree at or after `from` that may hold something, then descend; it may
  // still not, where the latest end and the earliest start are of two facts.
  std::size_t node = leaves_ + from;
  for (;;) {
    while (out_of(window, node)) {
      while ((node & 1U) != 0) node /= 2;
      if (node == 0) return window.unknown_from;
      ++node;
    }
    if (node >= leaves_) break;
    node *= 2;
  }
  const auto found = static_cast<std::uint32_t>(node - leaves_);
  return found < window.end ? found : window.unknown_from;
}

std::vector<bool> contradicting_streams(const std::vector<Occurrence>& occurrences,
                                        bool all_points) {
  std::vector<const Moment*> moments;
  for (const Occurrence& o : occurrences) {
    for (const Moment* m : {&o.begin, &o.seen, &o.last}) {
      if (m != &o.begin && !all_points) continue;
      if (m->known && m->stream != 0) moments.push_back(m);
    }
  }
  std::stable_sort(moments.begin(), moments.end(), [](const Moment* a, const Moment* b) {
    return std::tie(a->stream, a->position) < std::tie(b->stream, b->position);
  });
  std::vector<bool> bad(moments.empty() ? 0 : moments.back()->stream + 1U, false);
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const Moment& a = *moments[i - 1];
    const Moment& b = *moments[i];
    if (a.stream != b.stream) continue;
    const bool same = a.position == b.position;
    if (same ? a.lo != b.lo || a.hi != b.hi : b.lo < a.lo || b.hi < a.hi) bad[a.stream] = true;
  }
  return bad;
}

}  // namespace attrib::vm
