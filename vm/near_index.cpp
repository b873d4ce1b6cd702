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

// When it starts and ends at the latest. Either side may be the cause, whose repeats widen the
// window.
Nanos start_of(const Occurrence& o, Point point, bool own_clock) {
  const Moment& at = point_of(o, point);
  return own_clock ? model::add_nanos(at.lo, at.error) : at.lo;
}

Nanos end_of(const Occurrence& o, Point point, bool own_clock) {
  const Moment& at = point_of(o, point);
  Nanos end = std::max(at.hi, model::add_nanos(at.hi, repeats_of(o)));
  if (point == Point::Begin) end = latest_begin(o);
  return own_clock ? model::sub_nanos(end, at.error) : end;
}

TimeRange range_of(const Occurrence& outer, Point point, Nanos a, Nanos b, bool reversed,
                   Nanos disorder, bool own_clock) {
  const Nanos first = start_of(outer, point, own_clock);
  const Nanos last = end_of(outer, point, own_clock);
  TimeRange out;
  out.earliest = reversed ? model::sub_nanos(first, b) : model::add_nanos(first, a);
  out.latest = reversed ? model::sub_nanos(last, a) : model::add_nanos(last, b);
  if (disorder > 0) {
    out.earliest = std::min(out.earliest, model::sub_nanos(first, disorder));
    out.latest = std::max(out.latest, model::add_nanos(last, disorder));
  }
  return out;
}

}  // namespace

NearBounds near_bounds(const Occurrence& outer, Point point, Nanos a, Nanos b, bool reversed,
                       Nanos disorder) {
  NearBounds out;
  out.all = false;
  out.clock = point_of(outer, point).clock;
  out.any_clock = range_of(outer, point, a, b, reversed, disorder, false);
  out.own_clock = range_of(outer, point, a, b, reversed, disorder, true);
  return out;
}

NearIndex::NearIndex(const std::vector<Occurrence>& occurrences,
                     const std::vector<std::uint32_t>& list, Point point)
    : size_(static_cast<std::uint32_t>(list.size())) {
  // Unknown begins stand last; other points may be unknown anywhere and are then always in.
  known_ = size_;
  if (point == Point::Begin) {
    const auto unknown = std::find_if(list.begin(), list.end(), [&](std::uint32_t i) {
      return !occurrences[i].begin.known;
    });
    known_ = static_cast<std::uint32_t>(unknown - list.begin());
  }
  while (leaves_ < known_) leaves_ *= 2;
  any_clock_ = spans_of(occurrences, list, point, false);
  for (std::uint32_t i = 0; i < known_; ++i) {
    const Moment& at = point_of(occurrences[list[i]], point);
    if (!at.known) continue;
    if (clock_ == model::kNoClock) clock_ = at.clock;
    if (at.clock == model::kNoClock || at.clock != clock_) {
      clock_ = model::kNoClock;
      return;
    }
  }
  if (clock_ != model::kNoClock) own_clock_ = spans_of(occurrences, list, point, true);
}

NearIndex::Spans NearIndex::spans_of(const std::vector<Occurrence>& occurrences,
                                     const std::vector<std::uint32_t>& list, Point point,
                                     bool own_clock) const {
  Spans out;
  out.starts.assign(known_, -model::kForever - 1);
  out.ends.assign(std::size_t{leaves_} * 2, -model::kForever - 2);
  for (std::uint32_t i = 0; i < known_; ++i) {
    const Occurrence& o = occurrences[list[i]];
    const bool known = point_of(o, point).known;
    if (known) out.starts[i] = start_of(o, point, own_clock);
    out.ends[leaves_ + i] = known ? end_of(o, point, own_clock) : model::kForever;
  }
  for (std::size_t i = leaves_; i-- > 1;) {
    out.ends[i] = std::max(out.ends[2 * i], out.ends[2 * i + 1]);
  }
  out.sorted = std::is_sorted(out.starts.begin(), out.starts.end());
  if (out.sorted) return out;
  std::vector<Nanos> tree(std::size_t{leaves_} * 2, model::kForever + 1);
  std::copy(out.starts.begin(), out.starts.end(), tree.begin() + leaves_);
  for (std::size_t i = leaves_; i-- > 1;) tree[i] = std::min(tree[2 * i], tree[2 * i + 1]);
  out.starts = std::move(tree);
  return out;
}

NearWindow NearIndex::window(const NearBounds& bounds) const {
  NearWindow w;
  w.end = w.unknown_from = known_;
  w.spans = &any_clock_;
  if (bounds.all) return w;
  const bool own_clock = clock_ != model::kNoClock && clock_ == bounds.clock;
  w.range = own_clock ? bounds.own_clock : bounds.any_clock;
  const Spans& spans = own_clock ? own_clock_ : any_clock_;
  w.spans = &spans;
  if (spans.sorted) {
    w.end = static_cast<std::uint32_t>(
        std::upper_bound(spans.starts.begin(), spans.starts.end(), w.range.latest) -
        spans.starts.begin());
  }
  return w;
}

std::uint32_t NearIndex::search(const NearWindow& window, std::uint32_t from) const {
  const Spans& spans = spans_in(window);
  // Climb to the next subtree at or after `from` that may hold something, then descend; it may
  // still not, where the latest end and the earliest start are of two facts.
  std::size_t node = leaves_ + from;
  for (;;) {
    while (spans.out_of(window.range, node)) {
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

std::vector<Nanos> disorder_of_streams(const std::vector<Occurrence>& occurrences,
                                       bool all_points) {
  std::vector<const Moment*> moments;
  for (const Occurrence& o : occurrences) {
    for (const Moment* m : {&o.begin, &o.seen, &o.last}) {
      if (m != &o.begin && !all_points) continue;
      if (m->known && m->stream != 0) moments.push_back(m);
    }
  }
  std::sort(moments.begin(), moments.end(), [](const Moment* a, const Moment* b) {
    return std::tie(a->stream, a->position) < std::tie(b->stream, b->position);
  });
  std::vector<Nanos> out(moments.empty() ? 0 : moments.back()->stream + 1U, 0);
  for (std::size_t i = 0; i < moments.size();) {
    const std::uint32_t stream = moments[i]->stream;
    Nanos latest = -model::kForever;  // Of this place in the stream and those before.
    while (i < moments.size() && moments[i]->stream == stream) {
      const std::uint64_t position = moments[i]->position;
      Nanos least = model::kForever;
      for (; i < moments.size() && moments[i]->stream == stream && moments[i]->position == position;
           ++i) {
        // On one clock its error cancels.
        const Moment& m = *moments[i];
        latest = std::max(latest, model::add_nanos(m.lo, m.error));
        least = std::min(least, model::sub_nanos(m.hi, m.error));
      }
      out[stream] = std::max(out[stream], model::sub_nanos(latest, least));
    }
  }
  return out;
}

}  // namespace attrib::vm
