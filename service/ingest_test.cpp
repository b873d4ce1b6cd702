#include "service/ingest.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "evidence/read.h"

namespace attrib::service {
namespace {

Ingested good(std::string_view body) {
  Ingest out = ingest_evidence(body);
  const auto* problem = std::get_if<Problem>(&out);
  REQUIRE_MESSAGE(problem == nullptr, (problem == nullptr ? "" : problem->detail));
  return std::get<Ingested>(std::move(out));
}

Problem bad(std::string_view body) {
  Ingest out = ingest_evidence(body);
  REQUIRE(std::holds_alternative<Problem>(out));
  return std::get<Problem>(std::move(out));
}

TEST_CASE("whatever the form, an observation a line is kept, as it was written") {
  const std::string line = R"({"ts":1779093065,"message":"x"})";
  for (const std::string& body :
       {line, line + "\n", "[" + line + "]", R"({"observations":[)" + line + "]}",
        "\xEF\xBB\xBF\n" + line, " [\n" + line + "\n]\n"}) {
    const Ingested read = good(body);
    CHECK(read.content == line + "\n");
    CHECK(read.accepted == 1);
    CHECK(read.header.empty());
  }
  CHECK(good("{\n\"message\":\r\n\"x\"}").content == "{ \"message\":  \"x\"}\n");
  const Ingested two = good(line + "\n\n" + line + "\r\n");
  CHECK(two.content == line + "\n" + line + "\n");
}

TEST_CASE("what is kept reads as the body does") {
  const std::string body =
      R"({"workload":{"id":"7","state":"FAILED"},"sources":[{"kind":"kernel","node":"a","lag":"2s"}],
"observations":[
 {"ts":"2026-05-18T12:00:00Z","source":"kernel","node":"a","message":"two\nlines"},
 {"name":"m","value":1.5,"labels":{"gpu":4}}, {"record":{"State":"FAILED"}}]})";
  const Ingested read = good(body);
  CHECK(read.accepted == 3);
  const evidence::Input whole{"in", std::nullopt, body}, kept{"in", std::nullopt, read.content},
      header{"header", std::nullopt, read.header};
  const auto one = evidence::read({whole}, {}), two = evidence::read({kept, header}, {});
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  REQUIRE(one.value().observations.size() == two.value().observations.size());
  for (std::size_t i = 0; i < one.value().observations.size(); ++i) {
    CHECK(one.value().observations[i].ids == two.value().observations[i].ids);
    CHECK(one.value().observations[i].seen == two.value().observations[i].seen);
  }
  CHECK(two.value().workload.state == "FAILED");
  CHECK(two.value().sources.size() == 1);
}

TEST_CASE("bad observations are named by line and field, counted and left out") {
  const Ingested read = good(
      "{\"message\":\"a\"}\n{\"rank\":-1,\"message\":\"b\"}\nnot "
      "JSON\n{\"message\":\"c\"}\n{\"mess");
  CHECK(read.accepted == 2);
  CHECK(read.rejected == 3);
  REQUIRE(read.problems.size() == 3);
  CHECK(read.problems[0].starts_with("body:2: field `rank`"));
  CHECK(read.problems[1] == "body:3: expected one JSON object a line");
  CHECK(read.problems[2] == "body:5: torn line: it ends before its object does");
  // A document that is torn still gives what stands before the tear.
  const Ingested torn = good("{\"observations\": [\n{\"message\": \"a\"},\n{\"message\"");
  CHECK(torn.accepted == 1);
  CHECK(torn.problems[0].starts_with("body:3: torn"));
}

TEST_CASE("a body in which nothing is understood is a problem") {
  CHECK(bad("").status == 400);
  CHECK(bad("<html>").status == 400);
  CHECK(bad("{\"a\": 1}").status == 422);
  CHECK(bad("[1, 2]").status == 422);
  CHECK(bad("[1, 2]").problems.size() == 2);
  const Problem field = bad("\n{\"rank\": \"x\", \"message\": \"m\"}");
  CHECK(field.status == 422);
  CHECK(field.field == "rank");
  CHECK(field.line == 2);
  CHECK(bad(R"({"schema": "attrib.evidence/9", "observations": [{"message": "x"}]})").status ==
        422);
  CHECK(bad("{\"workload\":{\"id\":\"1\"}}\n{\"workload\":{\"id\":\"2\"}}\n").field ==
        "workload.id");
  CHECK(bad(std::string(100'000, '[')).status == 400);
  CHECK(bad("{\"message\":\"" + std::string(2'000'000, 'x') + "\"}").status == 422);
}

TEST_CASE("a body with too much wrong in it is refused as a whole") {
  std::string wrong;
  for (std::uint64_t i = 0; i < kMaxRejected; ++i) wrong += "{},";
  const std::string right = R"({"message": "x"})";
  CHECK(good("[" + wrong + right + "]").rejected == kMaxRejected);
  for (const std::string& body : {"[" + wrong + "{}," + right + "]",
                                  R"({"observations": [)" + wrong + "{}," + right + "]}"}) {
    const Problem problem = bad(body);
    CHECK(problem.status == 422);
    CHECK(problem.detail == "more than 100000 observations of the body were rejected");
    CHECK(problem.problems.size() == 101);  // The first hundred, and how many more.
  }
}

TEST_CASE("an OpenTelemetry object becomes observations at once, so it may be so long") {
  const std::string record =
      R"({"timeUnixNano":"1779107465120000000","body":{"stringValue":"hello"}})";
  const auto object = [&](std::size_t records) {
    std::string out = R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[)" + record;
    for (std::size_t i = 1; i < records; ++i) out += "," + record;
    return out + "]}]}]}";
  };
  CHECK(good(object(1000)).accepted == 1000);
  CHECK(bad(object(kMaxOtlpPosted / record.size() + 1)).status == 422);
}

TEST_CASE("a header is a tree in memory, so its values are counted before it is one") {
  std::string nodes;
  for (int i = 0; i < 400'000; ++i) nodes += "1,";
  CHECK(bad(R"({"workload": {"nodes": [)" + nodes + R"(1]}, "observations": []})").field ==
        "workload");
}

}  // namespace
}  // namespace attrib::service
