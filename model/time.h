#pragma once

// Interval time (docs/language.md, "Time"). A moment is never a point: its true time lies in [lo, hi].
//
// All arithmetic saturates at +-kForever, so hostile stamps cannot overflow.

#include <cstdint>

#include "model/truth.h"

namespace attrib::model {

using Nanos = std::int64_t;  // Nanoseconds; as a time, since 1970-01-01T00:00:00Z.

constexpr Nanos kForever = 4'000'000'000'000'000'000;  // About 126 years either way.
constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSecond = 1'000'000'000;
constexpr Nanos kMinute = 60 * kSecond;
constexpr Nanos kHour = 60 * kMinute;

constexpr Nanos clamp_nanos(Nanos value) {
  return value > kForever ? kForever : value < -kForever ? -kForever : value;
}
// Both operands are clamped first, so the sum (at most 8e18 either way) fits 64 bits.
constexpr Nanos add_nanos(Nanos a, Nanos b) { return clamp_nanos(clamp_nanos(a) + clamp_nanos(b)); }
constexpr Nanos sub_nanos(Nanos a, Nanos b) { return clamp_nanos(clamp_nanos(a) - clamp_nanos(b)); }

// Whose clock made a stamp. Two moments of one clock differ without clock error; kNoClock shares with nobody.
using ClockId = std::uint32_t;
constexpr ClockId kNoClock = 0;

struct Moment {
  Nanos lo = 0;  // True time, clock error included on both sides.
  Nanos hi = 0;
  Nanos error = 0;  // The clock's part of the width: [lo + error, hi - error] is the stamp with its resolution and lag.
  ClockId clock = kNoClock;
  // Place in a stream, for the sign of a difference; stream 0 is none (a shifted moment has none).
  std::uint32_t stream = 0;
  std::uint64_t position = 0;
  bool known = false;  // False: nothing is known of this time; every comparison is Unknown.

  friend bool operator==(const Moment&, const Moment&) = default;
};

struct Span64 {
  Nanos lo = 0;
  Nanos hi = 0;
  friend bool operator==(const Span64&, const Span64&) = default;
};

// A moment at exactly `at` (tests, job times of the header).
Moment moment_at(Nanos at, Nanos error = 0, ClockId clock = kNoClock);

// The moment moved by something in [by_lo, by_hi]; keeps clock and error, loses its place in the stream unless both
// are zero.
Moment shifted(const Moment& m, Nanos by_lo, Nanos by_hi);

// The smallest moment that holds both; used for `begin A .. B` whose ends are moments themselves.
Moment hull(const Moment& a, const Moment& b);

// What q - p can be. Clock error cancels on one clock; order in one stream decides the sign.
Span64 difference(const Moment& p, const Moment& q);

// Is q - p inside [a, b] (closed)? Yes, No or Unknown ("maybe"). `repeats` widens b: from an occurrence with
// repeats the window may open at any repeat, so pass last - first (0 for a single event).
Truth within(const Moment& p, const Moment& q, Nanos a, Nanos b, Nanos repeats = 0);

// By how much the window was missed (positive) when within() is No, else 0. For why-not and margins.
Nanos missed_by(const Moment& p, const Moment& q, Nanos a, Nanos b, Nanos repeats = 0);

// Does p certainly come before q? Yes when every possible q - p is > 0, No when none is, else Unknown.
Truth before(const Moment& p, const Moment& q);

}  // namespace attrib::model
