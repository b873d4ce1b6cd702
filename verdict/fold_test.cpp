#include <doctest/doctest.h>

#include "verdict/format.h"
#include "verdict/samples_test.h"
#include "verdict/verdict.h"

using namespace attrib;
using namespace attrib::verdict;

TEST_CASE("symptoms that differ only in rank, node and time become one entry") {
  Verdict v = samples::large_job(10239, 8);
  fold(v);
  REQUIRE(v.symptoms.size() == 2);
  const Symptom& s = v.symptoms[1];
  CHECK(s.folded == 10239);
  CHECK(rank_ranges(s.ranks) == "0-10238");
  CHECK(s.nodes_total == 1280);
  CHECK(s.nodes.size() == kMaxFoldedNodes);
  CHECK(s.evidence.size() == kMaxEvidence);
  CHECK(s.evidence_truncated);
  CHECK(s.rank == std::nullopt);
  CHECK(place_text(s) == "10,239 ranks on 1,280 nodes");
  REQUIRE(s.demoted_by.size() == 1);
  CHECK(s.demoted_by[0].cause == 0);
}

TEST_CASE("exactly kFoldFrom alike symptoms stay apart, one more folds") {
  Verdict few = samples::large_job(static_cast<std::int64_t>(kFoldFrom), 8);
  fold(few);
  CHECK(few.symptoms.size() == kFoldFrom + 1);
  Verdict more = samples::large_job(static_cast<std::int64_t>(kFoldFrom) + 1, 8);
  fold(more);
  CHECK(more.symptoms.size() == 2);
}

TEST_CASE("a field that is no time, rank or entity keeps symptoms apart") {
  Verdict v = samples::large_job(40, 8);
  for (std::size_t i = 1; i < v.symptoms.size(); ++i) {
    v.symptoms[i].fields.push_back(
        {"seq", model::int_constant(static_cast<std::int64_t>(i % 2)), model::Reader::U64});
    v.symptoms[i].fields[0].value.number += static_cast<std::int64_t>(i);
  }
  fold(v);
  REQUIRE(v.symptoms.size() == 3);
  CHECK(v.symptoms[1].folded == 20);
  REQUIRE(v.symptoms[1].fields.size() == 1);  // The times differ, so the entry has none.
  CHECK(v.symptoms[1].fields[0].name == "seq");
}

TEST_CASE("every index follows its symptom") {
  Verdict v = samples::large_job(20, 8);
  v.symptoms.push_back(samples::victim(99, "node-z"));
  v.symptoms.back().symptom = "nccl.error";
  v.symptoms.back().demoted_by[0].cause = 5;
  v.symptoms.back().demoted_by.push_back(v.symptoms.back().demoted_by[0]);
  v.symptoms.back().demoted_by[1].cause = 7;
  v.symptoms.back().proof.inputs = {3, 4, 0};
  fold(v);
  REQUIRE(v.symptoms.size() == 3);
  REQUIRE(v.symptoms[2].demoted_by.size() == 1);  // Two causes that are now one.
  CHECK(v.symptoms[2].demoted_by[0].cause == 1);
  CHECK(v.symptoms[2].proof.inputs == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("many root causes alike are one root cause, and no other symptom joins it") {
  Verdict v = samples::large_job(60, 8);
  for (std::uint32_t i = 1; i <= 30; ++i) {
    v.symptoms[i].state = SymptomState::Root;
    v.symptoms[i].demoted_by.clear();
    v.root_causes.push_back(i);
  }
  fold(v);
  CHECK(v.root_causes == std::vector<std::uint32_t>{0, 1});
  CHECK(v.symptoms.size() == 3);
  CHECK(v.symptoms[1].folded == 30);
}

TEST_CASE("tied candidates alike are one alternative") {
  Verdict v = samples::tied();
  v.symptoms.resize(1);
  v.alternatives = {{{0}, "tied"}};
  for (std::uint32_t i = 1; i <= 20; ++i) {
    v.symptoms.push_back(samples::victim(i, "node-a"));
    v.symptoms.back().state = SymptomState::Root;
    v.symptoms.back().demoted_by.clear();
    v.alternatives.push_back({{i}, "tied"});
  }
  fold(v);
  REQUIRE(v.alternatives.size() == 2);
  CHECK(v.alternatives[1].members == std::vector<std::uint32_t>{1});
}
