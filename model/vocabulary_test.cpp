#include "model/vocabulary.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "model/attribute.h"
#include "model/type.h"

namespace attrib::model {
namespace {

template <typename T>
void each_word_reads_back(T last) {
  const std::size_t count = static_cast<std::size_t>(last) + 1;
  REQUIRE(words<T>().size() == count);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(i);
    CHECK_FALSE(word(value).empty());
    CHECK(seen.insert(word(value)).second);
    CHECK(parse_word<T>(word(value)) == value);
  }
  CHECK_FALSE(parse_word<T>("no such word"));
}

TEST_CASE("every enumerator has a word of its own that reads back as it") {
  each_word_reads_back(Domain::Unattributed);
  each_word_reads_back(Role::Note);
  each_word_reads_back(Band::Certain);
  each_word_reads_back(Blame::None);
  each_word_reads_back(Severity::Critical);
  each_word_reads_back(Retry::Unknown);
  each_word_reads_back(Outcome::Unknown);
  each_word_reads_back(VerdictStatus::NoFailure);
  each_word_reads_back(SourceKind::FlightRecorder);
  each_word_reads_back(Family::Telemetry);
  each_word_reads_back(EntityKind::Stream);
}

TEST_CASE("words stand beside the enumerator they belong to") {
  CHECK(word(Domain::NetworkFabric) == "network_fabric");
  CHECK(word(Role::Origin) == "origin");
  CHECK(word(Band::Possible) == "possible");
  CHECK(word(Outcome::NodeFailed) == "node_failed");
  CHECK(word(SourceKind::K8s) == "k8s");
  CHECK(word(EntityKind::SwitchPort) == "switch_port");
  CHECK(parse_entity_kind_name("SwitchPort") == EntityKind::SwitchPort);
  CHECK_FALSE(parse_entity_kind_name("switch_port"));
}

TEST_CASE("a role caps what its symptom may carry") {
  CHECK(role_cap(Role::Origin) == Band::Certain);
  CHECK(role_cap(Role::Relay) == Band::Likely);
  CHECK(role_cap(Role::Victim) == Band::Hint);
  CHECK(role_cap(Role::End) == Band::Hint);
}

TEST_CASE("by default nobody is accused for applications, users, schedulers, paths and jobs") {
  CHECK(default_blame(Domain::Gpu, EntityKind::Gpu) == Blame::Self);
  CHECK(default_blame(Domain::Application, EntityKind::Node) == Blame::None);
  CHECK(default_blame(Domain::User, EntityKind::Rank) == Blame::None);
  CHECK(default_blame(Domain::Scheduler, EntityKind::Node) == Blame::None);
  CHECK(default_blame(Domain::NetworkFabric, EntityKind::Path) == Blame::None);
  CHECK(default_blame(Domain::Host, EntityKind::Attempt) == Blame::None);
}

TEST_CASE("families follow the source unless the extract says otherwise") {
  CHECK(default_family(SourceKind::Journald) == Family::Kernel);
  CHECK(default_family(SourceKind::FlightRecorder) == Family::Application);
  CHECK(default_family(SourceKind::Metric) == Family::Telemetry);
}

TEST_CASE("attributes, relations and sets are found by their names") {
  for (const AttributeInfo& row : attributes()) CHECK(find_attribute(row.name) == row.attribute);
  for (const RelationInfo& row : relations())
    CHECK(find_relation(row.from, row.name) == row.relation);
  for (const SetInfo& row : sets()) CHECK(find_set(row.from, row.name) == row.set);
  CHECK_FALSE(find_relation(EntityKind::Cluster, "node"));
}

TEST_CASE("readers are found by their names, words and entities are no names of readers") {
  for (std::size_t i = 0; i < reader_count(); ++i) {
    const ReaderInfo& row = info(static_cast<Reader>(i));
    CHECK(row.reader == static_cast<Reader>(i));
    if (row.pattern.empty()) {
      CHECK_FALSE(parse_reader(row.name));
    } else {
      CHECK(parse_reader(row.name) == row.reader);
    }
  }
}

}  // namespace
}  // namespace attrib::model
