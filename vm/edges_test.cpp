#include "vm/edges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace attrib::vm {
namespace {

struct Offer {
  Edge edge;
  std::uint32_t cause_type;
};

// Effect after effect, type after type, causes in order.
std::vector<Offer> random_offers(std::mt19937& random) {
  std::vector<Offer> out;
  for (std::uint32_t effect = 0; effect < 5; ++effect) {
    for (std::uint32_t type = 0; type < 3; ++type) {
      const std::uint32_t causes = static_cast<std::uint32_t>(random() % 14);
      const unsigned strong_of_8 = static_cast<unsigned>(random() % 9);
      for (std::uint32_t cause = 0; cause < causes; ++cause) {
        out.push_back({{100 * type + cause, effect, 0, random() % 8 < strong_of_8}, type});
      }
    }
  }
  return out;
}

using Kept = std::vector<std::tuple<std::uint32_t, std::uint32_t, bool>>;

Kept kept(const EdgeCollector& collector) {
  Kept out;
  collector.edges().for_each(
      [&](const Edge& e) { out.emplace_back(e.effect, e.cause, e.strong); });
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("going from effect to effect keeps the edges that any order keeps") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    EdgeCollector sorting(4, 1'000'000), going(4, 1'000'000);
    sorting.begin_rule(false);
    going.begin_rule(true);
    std::uint32_t effect = 0xffffffff;
    for (const Offer& offer : random_offers(random)) {
      if (offer.edge.effect != effect) going.begin_effect();
      effect = offer.edge.effect;
      CHECK(sorting.full(effect, offer.cause_type) == going.full(effect, offer.cause_type));
      CHECK(sorting.add(offer.edge, offer.cause_type) == going.add(offer.edge, offer.cause_type));
    }
    sorting.end_rule();
    going.end_rule();
    CHECK(kept(sorting) == kept(going));
    CHECK(sorting.capped() == going.capped());
    CHECK(sorting.made() == going.made());
  }
}

TEST_CASE("adding many causes of a type at once keeps, counts and stops as adding one by one") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t budget = 20'000 + random() % 40;
    EdgeCollector single(4, budget), many(4, budget);
    for (EdgeCollector* each : {&single, &many}) {  // Little is left for the rule that follows.
      each->begin_rule(true);
      for (std::uint32_t n = 0; !each->over_budget() && n < 10'000; ++n) {
        each->begin_effect();
        each->add({n, n, 0, true}, 0);
      }
      each->end_rule();
      each->begin_rule(true);
      for (std::uint32_t n = 0; n < 9'980; ++n) {
        each->begin_effect();
        each->add({n, n, 0, true}, 0);
      }
    }
    const std::vector<Offer> offers = random_offers(random);
    std::uint32_t effect = 0xffffffff;
    bool stopped = false;
    for (std::size_t i = 0; i < offers.size() && !stopped;) {
      const Offer first = offers[i];
      if (first.edge.effect != effect) {
        single.begin_effect();
        many.begin_effect();
      }
      effect = first.edge.effect;
      EdgeCollector::Adding adding(many, effect, first.edge.rule, first.cause_type);
      bool wants_more = true;
      for (; i < offers.size() && offers[i].edge.effect == effect &&
             offers[i].cause_type == first.cause_type;
           ++i) {
        if (!wants_more || stopped) continue;
        const Edge& edge = offers[i].edge;
        wants_more = single.add(edge, first.cause_type);
        CHECK(adding.add(edge.cause, edge.strong) == wants_more);
        CHECK(single.wants_strong_only(effect, first.cause_type) == adding.wants_strong_only());
        CHECK(single.over_budget() == adding.over_budget());
        stopped = single.over_budget();
      }
    }
    single.end_rule();
    many.end_rule();
    CHECK(kept(single) == kept(many));
    CHECK(single.capped() == many.capped());
    CHECK(single.made() == many.made());
  }
}

TEST_CASE("a strong cause behind many weak ones of its type is found, up to where the search ends") {
  constexpr std::uint32_t kLimit = 64;
  const auto found_behind = [](std::uint32_t weak) {
    EdgeCollector collector(kLimit, 1'000'000);
    collector.begin_rule(true);
    collector.begin_effect();
    std::uint32_t cause = 0;
    while (cause < weak && collector.add({cause, 0, 0, false}, 0)) ++cause;
    if (cause == weak) collector.add({cause, 0, 0, true}, 0);
    collector.end_rule();
    bool strong = false;
    collector.edges().for_each([&](const Edge& e) { strong = strong || e.strong; });
    return strong;
  };
  CHECK(found_behind(1023));
  CHECK_FALSE(found_behind(1024));
}

TEST_CASE("a rule may use half of the edges that are left, but for the least") {
  const std::uint64_t budget = 4 * EdgeCollector::kLeast;
  EdgeCollector collector(1000, budget);
  const auto use = [&] {  // How many a rule makes until it is told to stop.
    collector.begin_rule(true);
    std::uint32_t n = 0;
    for (; !collector.over_budget(); ++n) {
      collector.begin_effect();
      collector.add({n, n, 0, true}, 0);
    }
    collector.end_rule();
    return n - 1;
  };
  CHECK(use() == budget / 2);
  CHECK(use() == EdgeCollector::kLeast);
  CHECK(use() < EdgeCollector::kLeast);
  CHECK(use() == 0);
}

}  // namespace
}  // namespace attrib::vm
