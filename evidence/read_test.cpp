#include "evidence/read.h"
#include "evidence/test_evidence.h"

#include <doctest/doctest.h>

#include "model/time.h"

namespace attrib::evidence {
namespace {

Evidence read_text(const std::string& text, const ReadOptions& options = {}) {
  auto result = read({{"in.json", std::nullopt, text}}, options);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
  return std::move(result).value();
}

const char* const kDocument = R"({
 "schema": "attrib.evidence/1",
 "workload": {"id": "48213", "attempt": 1, "state": "FAILED", "exit_code": 1,
   "start": "2026-05-18T12:00:00Z", "end": "2026-05-18T12:42:00Z", "nodes": ["node-b", "node-a"],
   "ranks": 16, "ranks_per_node": 8, "placement": [{"rank": 8, "node": "node-b", "gpu": "0000:04:00.0"}]},
 "sources": [{"kind": "kernel", "node": "node-b", "status": "ok",
   "coverage": [["2026-05-18T12:00:00Z", "2026-05-18T12:42:00Z"]]}],
 "observations": [
  {"id": "k1", "ts": "2026-05-18T12:31:05.120Z", "source": "kernel", "node": "node-b", "message": "NVRM: Xid"},
  {"id": "a1", "ts": "2026-05-18T12:41:06Z", "source": "app", "node": "node-a", "rank": 3, "message": "late"},
  {"id": "m1", "ts": 1779106866, "source": "metric", "node": "node-a", "name": "X", "value": 1.5, "labels": {"gpu": "4"}}
 ]})";

TEST_CASE("a document gives header, streams and intervals") {
  const Evidence e = read_text(kDocument);
  CHECK(e.problems.empty());
  CHECK(e.workload.nodes == std::vector<std::string>{"node-a", "node-b"});
  CHECK(e.workload.placement.at(0).gpu == "0000:04:00");
  REQUIRE(e.observations.size() == 3);
  const Observation& a1 = e.observations[0];
  const Observation& k1 = e.observations[1];
  CHECK(a1.ids == std::vector<std::string>{"a1"});
  CHECK(k1.ids == std::vector<std::string>{"k1"});
  CHECK(k1.seen.error == 250 * model::kMillisecond);
  CHECK(k1.seen.hi - k1.seen.lo == 501 * model::kMillisecond);
  CHECK(a1.seen.hi - a1.seen.lo == 1500 * model::kMillisecond);
  CHECK(a1.seen.clock != k1.seen.clock);
  const Observation& m1 = e.observations[2];
  CHECK(m1.value == 1'500'000);
  CHECK(m1.seen.clock == a1.seen.clock);
  CHECK(e.counters.lines == 3);
}

TEST_CASE("a workload that ends before it starts has neither time, and that is told") {
  const auto between = [](const std::string& start, const std::string& end) {
    return must_read({json_input(R"({"workload": {"start": ")" + start + R"("}, "observations": []})", "a.json"),
                      json_input(R"({"workload": {"end": ")" + end + R"("}, "observations": []})", "b.json")});
  };
  const Evidence wrong = between("2026-05-18T12:00:00Z", "2026-05-18T11:59:59Z");
  REQUIRE(wrong.problems.size() == 1);
  CHECK(wrong.problems[0].find("field `workload.end`: expected a time that is not before `workload.start`") !=
        std::string::npos);
  CHECK(wrong.counters.rejected == 1);
  CHECK_FALSE(wrong.workload.start.has_value());
  CHECK_FALSE(wrong.workload.end.has_value());
  const Evidence same = between("2026-05-18T12:00:00Z", "2026-05-18T12:00:00Z");
  CHECK(same.problems.empty());
  CHECK(same.workload.end.has_value());
}

TEST_CASE("NDJSON in any order of lines and split over inputs gives the same evidence") {
  const std::string header = R"({"schema": "attrib.evidence/1", "workload": {"id": "1"}})";
  const std::string a =
      R"({"ts": "2026-05-18T12:00:00.5Z", "source": "app", "rank": 1, "message": "a"})";
  const std::string b =
      R"({"ts": "2026-05-18T12:00:00.25Z", "source": "app", "rank": 1, "message": "b"})";
  const Evidence one = read_text(header + "\n" + a + "\n" + b + "\n");
  const Evidence two = read_text(b + "\n" + header + "\n" + a);
  const auto three =
      read({{"z", std::nullopt, b}, {"y", std::nullopt, a}, {"x", std::nullopt, header}}, {});
  REQUIRE(three.ok());
  for (const Evidence* e : std::initializer_list<const Evidence*>{&one, &two, &three.value()}) {
    REQUIRE(e->observations.size() == 2);
    CHECK(e->observations[0].message == "b");
    CHECK(e->observations[0].ids == one.observations[0].ids);
    CHECK(e->observations[0].seen == one.observations[0].seen);
    CHECK(e->observations[1].position == 1);
  }
}

}  // namespace
}  // namespace attrib::evidence
