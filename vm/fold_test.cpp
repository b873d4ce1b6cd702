#include "vm/fold.h"

#include <doctest/doctest.h>

#include <memory>

namespace attrib::vm {
namespace {

using model::Band;
using model::Family;
using model::kSecond;

// One symptom type "x" with the fields `key` (its key) and `note`.
struct Bench {
  program::Program program;
  evidence::Evidence evidence;
  TextPool texts;
  EntityTable entities;
  std::unique_ptr<FactStore> store;

  Bench() {
    model::SymptomType type;
    type.name = "x";
    type.on = {model::EntityKind::Node};
    model::Field field;
    field.type.kind = model::ValueKind::Int;
    field.name = "key";
    type.fields.push_back(field);
    field.name = "note";
    type.fields.push_back(field);
    type.key = {0};
    type.quiet = 60 * kSecond;
    program.symptoms.push_back(type);
    program.events.emplace_back();
    for (int i = 0; i < 40; ++i) {
      evidence::Observation o;
      o.ids = {"o" + std::to_string(i)};
      o.seen = model::moment_at(i * kSecond);
      evidence.observations.push_back(o);
    }
    store = std::make_unique<FactStore>(program, evidence, entities, texts);
  }

  Emission& emit(std::uint32_t observation, std::int64_t key, model::Nanos seconds,
                 Family family = Family::Kernel, const std::string& node = "a") {
    Event event;
    event.observation = observation;
    event.family = family;
    event.begin = model::moment_at(seconds * kSecond, kSecond / 4);
    event.seen = event.begin;
    store->events.push_back(event);
    Emission e;
    e.event = static_cast<std::uint32_t>(store->events.size() - 1);
    e.entity = entities.node(node);
    e.node = e.entity;
    e.credence = Band::Possible;
    e.sequence = store->emissions.size();
    e.fields = static_cast<std::uint32_t>(store->emitted_values.size());
    store->emitted_values.push_back(int_value(key));
    store->emitted_values.push_back(int_value(observation));
    store->emissions.push_back(e);
    return store->emissions.back();
  }

  Event& event_of(const Emission& e) const { return store->events[e.event]; }

  const std::vector<Occurrence>& fold() {
    fold_emissions(program, *store);
    return store->occurrences;
  }
};

TEST_CASE("repeats within the quiet time are one occurrence, a longer gap starts another") {
  Bench b;
  b.emit(0, 1, 0);
  b.emit(1, 1, 60);
  b.emit(2, 1, 121);
  const auto& all = b.fold();
  REQUIRE(all.size() == 2);
  CHECK(all[0].count == 2);
  CHECK(all[0].last.lo == 60 * kSecond - kSecond / 4);
  CHECK(all[0].fields[1] == int_value(0));  // Fields outside the key are the first's.
  CHECK(all[1].count == 1);
}

TEST_CASE("another key or entity is another symptom") {
  Bench b;
  b.emit(0, 1, 0);
  b.emit(1, 2, 0);
  b.emit(2, 1, 0, Family::Kernel, "b");
  CHECK(b.fold().size() == 3);
}

TEST_CASE("one line that two rules read counts once") {
  Bench b;
  b.emit(0, 1, 0);
  b.emit(0, 1, 0);
  const auto& all = b.fold();
  REQUIRE(all.size() == 1);
  CHECK(all[0].count == 1);
  CHECK(all[0].evidence.first.size() == 1);
}

TEST_CASE("two families at one time lift the credence by one band, one family does not") {
  Bench b;
  b.emit(0, 1, 0, Family::Kernel);
  b.emit(1, 1, 0, Family::Telemetry);
  CHECK(b.fold()[0].credence == Band::Likely);
  Bench c;
  c.emit(0, 1, 0, Family::Kernel);
  c.emit(1, 1, 0, Family::Kernel);
  CHECK(c.fold()[0].credence == Band::Possible);
}

TEST_CASE("two families at different times do not corroborate") {
  Bench b;
  b.emit(0, 1, 0, Family::Kernel);
  b.emit(1, 1, 1, Family::Telemetry);
  CHECK(b.fold()[0].credence == Band::Possible);
}

TEST_CASE("the lift finds an overlap with a fact that began long before") {
  Bench b;
  b.event_of(b.emit(0, 1, 0, Family::Telemetry)).begin.hi = 100 * kSecond;
  b.emit(1, 1, 50, Family::Telemetry);
  b.emit(2, 2, 90, Family::Kernel);
  const auto flags = lifted(*b.store);
  CHECK(flags == std::vector<bool>{true, false, true});
}

TEST_CASE("certain is the most there is") {
  Bench b;
  b.emit(0, 1, 0, Family::Kernel).credence = Band::Certain;
  b.emit(1, 1, 0, Family::Telemetry);
  CHECK(b.fold()[0].credence == Band::Certain);
}

TEST_CASE("evidence is the first eight observations in time") {
  Bench b;
  for (std::uint32_t i = 0; i < 12; ++i) b.emit(11 - i, 1, 11 - i);
  const auto& all = b.fold();
  REQUIRE(all.size() == 1);
  bool truncated = false;
  CHECK(b.store->evidence_ids(all[0].evidence, &truncated) ==
        std::vector<std::string>{"o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"});
  CHECK(truncated);
  CHECK(all[0].count == 12);
}

TEST_CASE("of an observation delivered often four ids are named") {
  Bench b;
  b.evidence.observations[0].ids = {"a", "b", "c", "d", "e"};
  b.emit(0, 1, 0);
  bool truncated = false;
  CHECK(b.store->evidence_ids(b.fold()[0].evidence, &truncated).size() == 4);
  CHECK(truncated);
}

TEST_CASE("facts without a known begin are one occurrence, after all others") {
  Bench b;
  b.event_of(b.emit(0, 1, 0)).begin.known = false;
  b.emit(1, 1, 500);
  b.event_of(b.emit(2, 1, 900)).begin.known = false;
  const auto& all = b.fold();
  REQUIRE(all.size() == 2);
  CHECK(all[0].begin.known);
  CHECK(all[1].count == 2);
}

TEST_CASE("the order of emission does not show") {
  Bench b;
  Bench c;
  for (std::uint32_t i = 0; i < 30; ++i) {
    b.emit(i, i % 3, i * 40, Family::Kernel, i % 2 == 0 ? "a" : "b");
  }
  for (std::uint32_t i = 30; i-- > 0;) {
    c.emit(i, i % 3, i * 40, Family::Kernel, i % 2 == 0 ? "a" : "b");
  }
  const auto& x = b.fold();
  const auto& y = c.fold();
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(x[i].begin == y[i].begin);
    CHECK(x[i].fields == y[i].fields);
    CHECK(x[i].evidence.first == y[i].evidence.first);
  }
}

TEST_CASE("a layer's occurrences join the older ones, and inputs keep pointing at the same ones") {
  Bench b;
  b.emit(0, 1, 100);
  b.fold();
  Emission e = b.emit(1, 9, 50);
  b.store->emissions.pop_back();
  e.event = kNone;
  e.inferred = 0;
  Inferred from;
  from.inputs = {0};
  from.begin = from.seen = model::moment_at(50 * kSecond);
  b.store->inferred.push_back(from);
  b.store->emissions.push_back(e);
  const auto& all = b.fold();
  REQUIRE(all.size() == 2);
  CHECK(all[0].fields[0] == int_value(9));
  CHECK(all[0].inputs == std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace attrib::vm
