#include "model/time.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace attrib::model {
namespace {

constexpr Nanos kMost = std::numeric_limits<Nanos>::max();
constexpr Nanos kLeast = std::numeric_limits<Nanos>::min();

Moment in_stream(Nanos at, std::uint32_t stream, std::uint64_t position, Nanos error = 0) {
  Moment m = moment_at(at, error, 1);
  m.stream = stream;
  m.position = position;
  return m;
}

TEST_CASE("arithmetic saturates at forever") {
  CHECK(add_nanos(kMost, kMost) == kForever);
  CHECK(add_nanos(kLeast, kLeast) == -kForever);
  CHECK(sub_nanos(kLeast, kMost) == -kForever);
  CHECK(sub_nanos(kMost, kLeast) == kForever);
  CHECK(add_nanos(kForever, -1) == kForever - 1);
  CHECK(moment_at(kMost, kMost).lo == 0);
  CHECK(moment_at(kMost, kMost).hi == kForever);
  CHECK(shifted(moment_at(0), kLeast, kMost).lo == -kForever);
  CHECK(within(moment_at(kLeast, kMost), moment_at(kMost, kMost), kLeast, kMost) == Truth::Yes);
}

TEST_CASE("two clocks differ by both errors") {
  const Moment p = moment_at(0, 250 * kMillisecond, 1);
  const Moment q = moment_at(kSecond, 100 * kMillisecond, 2);
  CHECK(difference(p, q) == Span64{650 * kMillisecond, 1350 * kMillisecond});
  CHECK(before(p, q) == Truth::Yes);
  CHECK(before(q, p) == Truth::No);
}

TEST_CASE("one clock's error cancels, its resolution does not") {
  const Moment p = moment_at(0, 250 * kMillisecond, 1);
  Moment q = moment_at(100 * kMillisecond, 250 * kMillisecond, 1);
  CHECK(difference(p, q) == Span64{100 * kMillisecond, 100 * kMillisecond});
  q.hi = add_nanos(q.hi, kSecond);
  CHECK(difference(p, q) == Span64{100 * kMillisecond, 1100 * kMillisecond});
  q.clock = 2;
  CHECK(before(p, q) == Truth::Unknown);
}

TEST_CASE("no clock is shared with nobody") {
  const Moment p = moment_at(0, kSecond);
  const Moment q = moment_at(kSecond, kSecond);
  CHECK(before(p, q) == Truth::Unknown);
}

TEST_CASE("order in one stream decides the sign of a difference") {
  // Stamps of one second each, so that only the order tells.
  Moment p = in_stream(0, 3, 1);
  Moment q = in_stream(0, 3, 2);
  p.hi = q.hi = kSecond;
  CHECK(difference(p, q) == Span64{0, kSecond});
  CHECK(difference(q, p) == Span64{-kSecond, 0});
  q.stream = 4;
  CHECK(difference(p, q) == Span64{-kSecond, kSecond});
}

TEST_CASE("equal positions of one stream are one time") {
  Moment p = in_stream(0, 3, 1);
  p.hi = kSecond;
  CHECK(difference(p, p) == Span64{0, 0});
  CHECK(before(p, p) == Truth::No);
}

TEST_CASE("stamps that contradict the order of their stream give no empty interval") {
  const Moment p = in_stream(10 * kSecond, 3, 1);
  const Moment q = in_stream(0, 3, 2);
  const Span64 forward = difference(p, q);
  CHECK(forward.lo <= forward.hi);
  CHECK(forward.lo >= 0);
  const Span64 backward = difference(q, p);
  CHECK(backward.lo <= backward.hi);
  CHECK(backward.hi <= 0);
}

TEST_CASE("a shift moves the interval and gives up the place in the stream") {
  const Moment p = in_stream(kSecond, 3, 1, kMillisecond);
  const Moment moved = shifted(p, -kSecond, kSecond);
  CHECK(moved.lo == -kMillisecond);
  CHECK(moved.hi == 2 * kSecond + kMillisecond);
  CHECK(moved.error == p.error);
  CHECK(moved.clock == p.clock);
  CHECK(moved.stream == 0);
  CHECK(shifted(p, 0, 0) == p);
  CHECK(shifted(p, kSecond, -kSecond) == moved);
}

TEST_CASE("a window is closed, and a maybe is between") {
  const Moment p = moment_at(0);
  CHECK(within(p, moment_at(10), 0, 10) == Truth::Yes);
  CHECK(within(p, moment_at(11), 0, 10) == Truth::No);
  CHECK(within(p, moment_at(0), 0, 10) == Truth::Yes);
  CHECK(within(p, moment_at(-1), 0, 10) == Truth::No);
  CHECK(within(p, moment_at(10, 1), 0, 10) == Truth::Unknown);
  CHECK(within(p, moment_at(-1, 1), 0, 10) == Truth::Unknown);
  CHECK(within(p, moment_at(12), 0, 10, 2) == Truth::Yes);
  CHECK(within(p, moment_at(13), 0, 10, 2) == Truth::No);
}

TEST_CASE("a miss is told by how much") {
  const Moment p = moment_at(0);
  CHECK(missed_by(p, moment_at(13), 0, 10) == 3);
  CHECK(missed_by(p, moment_at(-4), 0, 10) == 4);
  CHECK(missed_by(p, moment_at(5), 0, 10) == 0);
  CHECK(missed_by(p, moment_at(10, 1), 0, 10) == 0);
  CHECK(missed_by(p, moment_at(13), 0, 10, 1) == 2);
}

TEST_CASE("an unknown time compares as unknown with everything") {
  const Moment unknown;
  CHECK(within(unknown, moment_at(0), -kForever, kForever) == Truth::Unknown);
  CHECK(before(moment_at(0), unknown) == Truth::Unknown);
  CHECK(missed_by(unknown, moment_at(0), 1, 2) == 0);
}

TEST_CASE("a hull holds both and keeps a clock only both have") {
  const Moment a = moment_at(0, 1, 5);
  const Moment b = moment_at(10, 1, 5);
  CHECK(hull(a, b).lo == -1);
  CHECK(hull(a, b).hi == 11);
  CHECK(hull(a, b).clock == 5);
  CHECK(hull(a, moment_at(10, 1, 6)).clock == kNoClock);
  CHECK(hull(Moment{}, b) == b);
}

TEST_CASE("the difference holds every pair of true times") {
  std::mt19937 random(3);
  const auto below = [&](unsigned n) { return static_cast<Nanos>(random() % n); };
  for (int i = 0; i < 2000; ++i) {
    const Nanos error = below(5);
    const bool one_clock = below(2) == 0;
    Moment p = moment_at(below(20), error, 1);
    Moment q = moment_at(below(20), one_clock ? error : below(5), one_clock ? 1 : 2);
    p.hi += below(4);
    q.hi += below(4);
    // The clock runs off by something within its error: the same for both on one clock.
    const Nanos off_p = below(static_cast<unsigned>(2 * p.error + 1)) - p.error;
    const Nanos off_q = one_clock ? off_p : below(static_cast<unsigned>(2 * q.error + 1)) - q.error;
    const auto inside = [&](const Moment& m) {
      const Nanos stamp = m.lo + m.error;
      return stamp + below(static_cast<unsigned>(m.hi - m.error - stamp + 1));
    };
    const Nanos d = inside(q) + off_q - (inside(p) + off_p);
    const Span64 span = difference(p, q);
    REQUIRE(span.lo <= d);
    REQUIRE(d <= span.hi);
  }
}

}  // namespace
}  // namespace attrib::model
