#include "vm/operations.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>

#include "vm/bag.h"
#include "vm/table_index.h"

namespace attrib::vm {
namespace {

using model::Compare;
using model::Truth;
using model::ValueKind;

struct Bench {
  TextPool texts;
  EntityTable entities;
  evidence::Evidence evidence;
  Topology topology{evidence, entities};

  Truth is(const Value& a, Compare op, const Value& b) {
    return compare(op, a, b, entities, texts);
  }
};

Value duration(std::int64_t n) { return {ValueKind::Duration, n}; }
Value decimal(std::int64_t millionths) { return {ValueKind::Decimal, millionths}; }

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST_CASE("numbers compare as numbers, a whole number with a decimal too") {
  Bench b;
  CHECK(b.is(int_value(2), Compare::Less, int_value(3)) == Truth::Yes);
  CHECK(b.is(int_value(2), Compare::Equal, decimal(2'000'000)) == Truth::Yes);
  CHECK(b.is(decimal(2'000'001), Compare::Greater, int_value(2)) == Truth::Yes);
  CHECK(b.is(int_value(kMost), Compare::Greater, decimal(kMost)) == Truth::Yes);
  CHECK(b.is(int_value(kLeast), Compare::Less, decimal(kLeast)) == Truth::Yes);
}

TEST_CASE("texts compare by their bytes, not by when they were first seen") {
  Bench b;
  const Value late = b.texts.value("b");
  const Value early = b.texts.value("a");
  CHECK(b.is(early, Compare::Less, late) == Truth::Yes);
  CHECK(b.is(b.texts.value("a"), Compare::Equal, early) == Truth::Yes);
}

TEST_CASE("null, unknown truths and unknown entities compare unknown, also with themselves") {
  Bench b;
  const Value unknown = entity_value(b.entities.unknown(model::EntityKind::Gpu, 3));
  const Value known = entity_value(b.entities.node("a"));
  CHECK(b.is({}, Compare::Equal, {}) == Truth::Unknown);
  CHECK(b.is({}, Compare::NotEqual, int_value(1)) == Truth::Unknown);
  CHECK(b.is(unknown, Compare::Equal, unknown) == Truth::Unknown);
  CHECK(b.is(known, Compare::Equal, known) == Truth::Yes);
  CHECK(b.is(known, Compare::Less, known) == Truth::Unknown);
  CHECK(b.is(truth_value(Truth::Unknown), Compare::Equal, truth_value(Truth::Yes)) ==
        Truth::Unknown);
  CHECK(b.is(truth_value(Truth::No), Compare::Equal, truth_value(Truth::Yes)) == Truth::No);
  CHECK(b.is(int_value(1), Compare::Equal, b.texts.value("1")) == Truth::Unknown);
}

TEST_CASE("a count compares with a number by all it may be") {
  const Count n{2, 4};
  const auto is = [&](Compare op, std::int64_t k) { return compare(op, n, Count{k, k}); };
  CHECK(is(Compare::GreaterEqual, 2) == Truth::Yes);
  CHECK(is(Compare::GreaterEqual, 3) == Truth::Unknown);
  CHECK(is(Compare::GreaterEqual, 5) == Truth::No);
  CHECK(is(Compare::Equal, 3) == Truth::Unknown);
  CHECK(is(Compare::Equal, 5) == Truth::No);
  CHECK(is(Compare::NotEqual, 5) == Truth::Yes);
  CHECK(is(Compare::Less, 5) == Truth::Yes);
  CHECK(is(Compare::LessEqual, 1) == Truth::No);
  CHECK(is(Compare::Greater, 4) == Truth::No);
  CHECK(compare(Compare::Equal, Count{3, 3}, Count{3, 3}) == Truth::Yes);
}

TEST_CASE("arithmetic saturates and needs two of one kind") {
  CHECK(add(int_value(kMost), int_value(1)) == int_value(kMost));
  CHECK(subtract(int_value(kLeast), int_value(1)) == int_value(kLeast));
  CHECK(negate(int_value(kLeast)) == int_value(kMost));
  CHECK(subtract(int_value(-1), int_value(kLeast)) == int_value(kMost));
  CHECK(add(duration(model::kForever), duration(1)) == duration(model::kForever));
  CHECK(add(decimal(1), decimal(2)) == decimal(3));
  CHECK(add(int_value(1), duration(1)).null());
  CHECK(add({}, int_value(1)).null());
  CHECK(negate(Value{}).null());
}

struct Bags : Bench {
  Bag bag;
  std::unique_ptr<EntitySets> sets;

  void add(const Value& value, bool certain = true, std::uint32_t rank = kNone) {
    BagMember m;
    m.value = value;
    m.certain = certain;
    if (rank != kNone) m.rank = entities.rank(rank);
    bag.add(m);
  }
  void world(std::uint32_t n) {
    topology.learn({model::LearnKind::World, "", n, EntityId::None, EntityId::None});
    topology.resolve();
    sets = std::make_unique<EntitySets>(entities, topology);
    bag.over(sets->make(model::SetKind::RanksOfAttempt, entities.attempt()));
  }
  Value least() {
    if (!sets) sets = std::make_unique<EntitySets>(entities, topology);
    return bag.least(*sets, entities, texts);
  }
  Value odd() {
    if (!sets) sets = std::make_unique<EntitySets>(entities, topology);
    return bag.odd(*sets, entities);
  }
};

TEST_CASE_FIXTURE(Bags, "a bag counts from what is certain to what is possible") {
  add(int_value(1));
  add(int_value(1));
  add(int_value(2), false);
  add({});
  CHECK(bag.count().lo == 2);
  CHECK(bag.count().hi == 3);
  CHECK(bag.distinct().lo == 1);
  CHECK(bag.distinct().hi == 2);
}

TEST_CASE_FIXTURE(Bags, "the least value is known only without possible members") {
  CHECK(least().null());
  add(int_value(5));
  add(int_value(3));
  CHECK(least() == int_value(3));
  add(int_value(1), false);
  CHECK(least().null());
}

TEST_CASE_FIXTURE(Bags, "over a set the least value is known once each rank of a closed set told") {
  world(2);
  add(int_value(5), true, 0);
  CHECK(least().null());
  add(int_value(4), true, 1);
  CHECK(least() == int_value(4));
}

TEST_CASE_FIXTURE(Bags, "the odd one differs from at least two that are equal") {
  add(int_value(7));
  add(int_value(7));
  CHECK(odd().null());
  add(int_value(8));
  CHECK(odd() == int_value(8));
  add(int_value(7));
  CHECK(odd() == int_value(8));
  add(int_value(8));
  CHECK(odd().null());
}

TEST_CASE_FIXTURE(Bags, "three different values have no odd one, nor has one that is not known") {
  add(int_value(1));
  add(int_value(2));
  add(int_value(3));
  CHECK(odd().null());
  bag.clear();
  const Value unknown = entity_value(entities.unknown(model::EntityKind::Rank, 1));
  add(unknown);
  add(entity_value(entities.rank(1)));
  add(entity_value(entities.rank(1)));
  CHECK(odd().null());
}

TEST_CASE_FIXTURE(Bags, "absence needs an empty bag and coverage") {
  CHECK(bag.absent(Truth::Yes) == Truth::Yes);
  CHECK(bag.absent(Truth::No) == Truth::Unknown);
  CHECK(bag.absent(Truth::Unknown) == Truth::Unknown);
  add(int_value(1), false);
  CHECK(bag.absent(Truth::Yes) == Truth::Unknown);
  add(int_value(1));
  CHECK(bag.absent(Truth::Yes) == Truth::No);
}

TEST_CASE("a table is looked up as the model does it, row order included") {
  model::Table table;
  for (const char* name : {"code", "unit"}) {
    model::KeyColumn column;
    column.name = name;
    table.keys.push_back(column);
  }
  const auto row = [&](model::KeyCell a, model::KeyCell b) {
    model::TableRow r;
    r.keys = {std::move(a), std::move(b)};
    table.rows.push_back(r);
  };
  using Kind = model::KeyCell::Kind;
  const auto number = [](std::int64_t n) { return model::int_constant(n); };
  row({Kind::Value, {number(1)}, 0, 0}, {});
  row({Kind::Range, {number(0), number(9)}, 0, 0}, {Kind::Value, {number(5)}, 0, 0});
  row({Kind::Set, {number(1), number(2)}, 0, 0}, {});
  row({Kind::Ternary, {}, 0xf0, 0x10}, {});
  row({}, {Kind::Value, {number(6)}, 0, 0});
  TableIndex index(table);
  for (std::int64_t a = -1; a < 40; ++a) {
    for (std::int64_t b = 4; b < 8; ++b) {
      const std::vector<model::Constant> keys{number(a), number(b)};
      CHECK(index.find(keys) == model::find_row(table, keys));
    }
  }
  const std::vector<model::Constant> null{model::null_constant(), number(6)};
  CHECK(index.find(null) == model::find_row(table, null));
}

}  // namespace
}  // namespace attrib::vm
