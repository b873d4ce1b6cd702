#include "vm/before_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace attrib::vm {
namespace {

using model::Moment;
using model::Truth;

Moment random_moment(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Moment m;
  m.known = below(10) != 0;
  m.error = static_cast<model::Nanos>(below(4));
  m.lo = static_cast<model::Nanos>(below(30));
  m.hi = m.lo + 2 * m.error + static_cast<model::Nanos>(below(3));
  m.clock = below(4);
  if (m.clock != 0 && below(2) == 0) {
    m.stream = 10 * m.clock + below(2);  // A stream has one clock.
    m.position = below(6);
  }
  return m;
}

TEST_CASE("the index answers as asking each moment does, whatever clocks and streams") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Moment> moments(random() % 8);
    for (Moment& m : moments) m = random_moment(random);
    const BeforeIndex index(moments);
    std::vector<Moment> turned;
    for (const Moment& m : moments) turned.push_back(mirrored(m));
    const BeforeIndex later(turned);
    for (int k = 0; k < 8; ++k) {
      const Moment q = random_moment(random);
      const bool before = std::any_of(moments.begin(), moments.end(), [&](const Moment& p) {
        return model::before(p, q) == Truth::Yes;
      });
      const bool after = std::any_of(moments.begin(), moments.end(), [&](const Moment& p) {
        return model::before(q, p) == Truth::Yes;
      });
      REQUIRE(index.any_before(q) == before);
      REQUIRE(later.any_before(mirrored(q)) == after);
    }
  }
}

}  // namespace
}  // namespace attrib::vm
