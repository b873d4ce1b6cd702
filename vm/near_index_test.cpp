#include "vm/near_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace attrib::vm {
namespace {

using model::Nanos;
using model::Truth;

Occurrence random_occurrence(std::mt19937& random) {
  Occurrence o;
  o.begin.known = random() % 8 != 0;
  o.begin.lo = static_cast<Nanos>(random() % 100);
  o.begin.hi = o.begin.lo + static_cast<Nanos>(random() % 10);
  o.last = o.begin;
  if (random() % 3 == 0) {
    o.last.lo += static_cast<Nanos>(random() % 40);
    o.last.hi = o.last.lo + static_cast<Nanos>(random() % 5);
  }
  o.seen.known = random() % 8 != 0;
  o.seen.lo = static_cast<Nanos>(random() % 100);
  o.seen.hi = o.seen.lo + static_cast<Nanos>(random() % 10);
  for (model::Moment* m : {&o.begin, &o.last, &o.seen}) {
    // Now and then with a clock and its error.
    m->clock = static_cast<model::ClockId>(random() % 3);
    m->error = static_cast<Nanos>(random() % 30);
    m->lo -= m->error;
    m->hi += m->error;
  }
  return o;
}

std::vector<std::uint32_t> found(const NearIndex& index, const NearWindow& window,
                                 std::size_t size) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = index.next(window, 0); i < size; i = index.next(window, i + 1)) {
    out.push_back(i);
  }
  return out;
}

TEST_CASE("a window look-up finds every occurrence that the window may hold") {
  std::mt19937 random(11);
  std::size_t left_out = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Occurrence> all(random() % 20);
    for (Occurrence& o : all) o = random_occurrence(random);
    if (round % 2 == 0) {
      for (Occurrence& o : all) o.begin.clock = o.last.clock = o.seen.clock = 1;
    }
    std::sort(all.begin(), all.end(), [](const Occurrence& a, const Occurrence& b) {
      return std::pair(!a.begin.known, a.begin.lo) < std::pair(!b.begin.known, b.begin.lo);
    });
    std::vector<std::uint32_t> list(all.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) list[i] = i;
    Occurrence outer = random_occurrence(random);
    outer.begin.known = outer.seen.known = outer.last.known = true;
    const auto from = static_cast<model::Point>(random() % 3);
    const auto to = static_cast<model::Point>(random() % 3);
    const NearIndex index(all, list, to);
    const Nanos a = static_cast<Nanos>(random() % 60) - 30;
    const Nanos b = a + static_cast<Nanos>(random() % 30);
    for (const bool reversed : {false, true}) {
      const auto hits = found(index, index.window(near_bounds(outer, from, a, b, reversed)), all.size());
      CHECK(std::is_sorted(hits.begin(), hits.end()));
      left_out += all.size() - hits.size();
      for (std::uint32_t i = 0; i < all.size(); ++i) {
        // The inner or the outer one may be the cause, whose repeats widen the window.
        const auto& p = reversed ? all[i] : outer;
        const auto& q = reversed ? outer : all[i];
        const auto& at_p = point_of(p, reversed ? to : from);
        const auto& at_q = point_of(q, reversed ? from : to);
        const bool may = model::within(at_p, at_q, a, b, repeats_of(p)) != Truth::No ||
                         model::within(at_p, at_q, a - repeats_of(q), b) != Truth::No;
        if (may) REQUIRE(std::binary_search(hits.begin(), hits.end(), i));
      }
    }
    CHECK(found(index, index.window(NearBounds{}), all.size()).size() == all.size());
  }
  CHECK(left_out > 1000);
}

TEST_CASE("a stream whose order contradicts its stamps tells by how much") {
  std::vector<Occurrence> all(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    all[i].begin = model::moment_at(10 * i, 1, 1);
    all[i].begin.stream = i == 2 ? 8 : 7;
    all[i].begin.position = i;
  }
  CHECK(disorder_of_streams(all, true) == std::vector<Nanos>(9, 0));
  all[0].begin.position = 5;
  std::vector<Nanos> seven(9, 0);
  seven[7] = 10;
  CHECK(disorder_of_streams(all, false) == seven);
  CHECK(disorder_of_streams(all, true) == seven);
  all[0].begin.position = 0;
  all[1].last = all[0].begin;
  all[1].last.position = 9;
  CHECK(disorder_of_streams(all, false) == std::vector<Nanos>(9, 0));
  CHECK(disorder_of_streams(all, true) == seven);
}

TEST_CASE("in a disordered stream a window look-up finds what counts as simultaneous") {
  std::mt19937 random(12);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Occurrence> all(1 + random() % 20);
    for (Occurrence& o : all) {
      o = random_occurrence(random);
      o.begin.stream = 1 + static_cast<std::uint32_t>(random() % 2);
      o.begin.position = random() % 30;
      o.last = o.begin;
    }
    std::sort(all.begin(), all.end(), [](const Occurrence& a, const Occurrence& b) {
      return std::pair(!a.begin.known, a.begin.lo) < std::pair(!b.begin.known, b.begin.lo);
    });
    std::vector<std::uint32_t> list(all.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) list[i] = i;
    const NearIndex index(all, list);
    const auto disorder = disorder_of_streams(all, false);
    const Occurrence& outer = all[random() % all.size()];
    if (!outer.begin.known) continue;
    const Nanos a = static_cast<Nanos>(random() % 20) - 10;
    const Nanos b = a + static_cast<Nanos>(random() % 20);
    const NearBounds bounds = near_bounds(outer, model::Point::Begin, a, b, false,
                                          disorder[outer.begin.stream]);
    const auto hits = found(index, index.window(bounds), all.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (model::within(outer.begin, all[i].begin, a, b) == Truth::No) continue;
      REQUIRE(std::binary_search(hits.begin(), hits.end(), i));
    }
  }
}

}  // namespace
}  // namespace attrib::vm
