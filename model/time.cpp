#include "model/time.h"

#include <algorithm>

namespace attrib::model {

Moment moment_at(Nanos at, Nanos error, ClockId clock) {
  Moment m;
  m.lo = sub_nanos(at, error);
  m.hi = add_nanos(at, error);
  m.error = error;
  m.clock = clock;
  m.known = true;
  return m;
}

Moment shifted(const Moment& m, Nanos by_lo, Nanos by_hi) {
  Moment out = m;
  if (by_lo > by_hi) std::swap(by_lo, by_hi);
  out.lo = add_nanos(m.lo, by_lo);
  out.hi = add_nanos(m.hi, by_hi);
  if (by_lo != 0 || by_hi != 0) {
    out.stream = 0;
    out.position = 0;
  }
  return out;
}

Moment hull(const Moment& a, const Moment& b) {
  if (!a.known) return b;
  if (!b.known) return a;
  Moment out;
  out.known = true;
  out.lo = std::min(a.lo, b.lo);
  out.hi = std::max(a.hi, b.hi);
  if (a.clock == b.clock && a.error == b.error) {
    out.clock = a.clock;
    out.error = a.error;
  }
  return out;
}

Span64 difference(const Moment& p, const Moment& q) {
  Span64 d;
  if (p.clock != kNoClock && p.clock == q.clock) {
    d.lo = sub_nanos(add_nanos(q.lo, q.error), sub_nanos(p.hi, p.error));
    d.hi = sub_nanos(sub_nanos(q.hi, q.error), add_nanos(p.lo, p.error));
  } else {
    d.lo = sub_nanos(q.lo, p.hi);
    d.hi = sub_nanos(q.hi, p.lo);
  }
  if (p.stream != 0 && p.stream == q.stream) {
    if (p.position < q.position) d.lo = std::max<Nanos>(d.lo, 0);
    if (p.position > q.position) d.hi = std::min<Nanos>(d.hi, 0);
    if (p.position == q.position) d.lo = d.hi = 0;
    if (d.lo > d.hi) d.lo = d.hi = p.position < q.position ? d.lo : d.hi;  // Stamps that contradict the order.
  }
  return d;
}

Truth within(const Moment& p, const Moment& q, Nanos a, Nanos b, Nanos repeats) {
  if (!p.known || !q.known) return Truth::Unknown;
  const Span64 d = difference(p, q);
  const Nanos end = add_nanos(b, repeats);
  if (d.hi < a || d.lo > end) return Truth::No;
  return a <= d.lo && d.hi <= end ? Truth::Yes : Truth::Unknown;
}

Nanos missed_by(const Moment& p, const Moment& q, Nanos a, Nanos b, Nanos repeats) {
  if (!p.known || !q.known) return 0;
  const Span64 d = difference(p, q);
  const Nanos end = add_nanos(b, repeats);
  if (d.hi < a) return sub_nanos(a, d.hi);
  if (d.lo > end) return sub_nanos(d.lo, end);
  return 0;
}

Truth before(const Moment& p, const Moment& q) {
  if (!p.known || !q.known) return Truth::Unknown;
  const Span64 d = difference(p, q);
  if (d.lo > 0) return Truth::Yes;
  return d.hi <= 0 ? Truth::No : Truth::Unknown;
}

}  // namespace attrib::model
