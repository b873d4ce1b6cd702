#include "evidence/json_reader.h"

#include <doctest/doctest.h>

namespace attrib::evidence {
namespace {

Evidence read_text(const std::string& text) {
  auto result = read({{"in.json", std::nullopt, text}}, {});
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
  return std::move(result).value();
}

// The one problem of a text, which strict reading gives as an Error.
std::string problem_of(const std::string& text) {
  const Evidence e = read_text(text);
  REQUIRE(e.problems.size() == 1);
  CHECK(e.counters.rejected == 1);
  ReadOptions strict;
  strict.strict = true;
  const auto result = read({{"in.json", std::nullopt, text}}, strict);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().message == e.problems[0]);
  return e.problems[0];
}

std::string error_of(const std::string& text) {
  const auto result = read({{"in.json", std::nullopt, text}}, {});
  REQUIRE_FALSE(result.ok());
  return result.error().message;
}

const std::string kGood = R"({"id": "good", "ts": "2026-05-18T08:00:00Z", "message": "m"})";

TEST_CASE("a wrong type names line, field, what was expected and what was there") {
  const auto with = [](const std::string& field) {
    return kGood + "\n{\"message\": \"m\", " + field + "}\n";
  };
  CHECK(problem_of(with(R"("ts": "soon")")) ==
        "in.json:2: field `ts`: expected a time (RFC 3339, or Unix seconds or nanoseconds), got "
        "text \"soon\"");
  CHECK(problem_of(with(R"("ts": true)")) ==
        "in.json:2: field `ts`: expected a time (RFC 3339, or Unix seconds or nanoseconds), got "
        "true");
  CHECK(problem_of(with(R"("rank": "3")")) ==
        "in.json:2: field `rank`: expected a whole number from 0 to 2147483647, got text \"3\"");
  CHECK(problem_of(with(R"("rank": -1)")) ==
        "in.json:2: field `rank`: expected a whole number from 0 to 2147483647, got number -1");
  CHECK(problem_of(with(R"("node": ["a"])")) ==
        "in.json:2: field `node`: expected text, got a list");
  CHECK(problem_of(with(R"("source": "dmesg")")) ==
        "in.json:2: field `source`: expected one of app, kernel, syslog, journald, fabric_manager, "
        "switch, bmc, slurm, "
        "k8s, kueue, metric, flight_recorder, got text \"dmesg\"");
  CHECK(problem_of(with(R"("labels": {"gpu": [4]})")) ==
        "in.json:2: field `labels.gpu`: expected text, a number or a truth value, got a list");
  CHECK(problem_of(kGood + "\n{\"message\": 5}") ==
        "in.json:2: field `message`: expected text, got number 5; expected "
        "one of the fields `message`, `name` with `value`, `record`");
}

TEST_CASE("several wrong fields of one observation are one problem") {
  CHECK(problem_of(kGood + "\n{\"message\": \"m\", \"node\": 1, \"rank\": \"x\"}") ==
        "in.json:2: field `node`: expected text, got number 1; field `rank`: expected a whole "
        "number from 0 to "
        "2147483647, got text \"x\"");
}

TEST_CASE("an observation says something") {
  CHECK(problem_of(kGood + "\n{\"id\": \"x\"}") ==
        "in.json:2: expected one of the fields `message`, `name` with `value`, `record`");
  CHECK(problem_of(kGood + "\n{\"name\": \"x\"}") ==
        "in.json:2: field `value`: expected a number beside `name`, got nothing");
}

TEST_CASE("null is as good as absent, unknown fields are ignored") {
  const Evidence e =
      read_text(R"({"message": "m", "rank": null, "ts": null, "colour": {"deep": [1]}})");
  CHECK(e.problems.empty());
  REQUIRE(e.observations.size() == 1);
  CHECK_FALSE(e.observations[0].rank);
  CHECK_FALSE(e.observations[0].seen.known);
}

TEST_CASE("a torn last line is named, the rest is read") {
  const std::string text = kGood + "\n" + R"({"id": "torn", "ts": "2026-05-18T08:0)";
  CHECK(problem_of(text) == "in.json:2: torn line: it ends before its object does");
  CHECK(read_text(text).observations.size() == 1);
}

TEST_CASE("a torn document gives what came before the tear") {
  const std::string text = "{\n \"workload\": {\"id\": \"7\"},\n \"observations\": [\n  " + kGood +
                           ",\n  {\"id\": \"torn\", \"mess";
  CHECK(problem_of(text) == "in.json:5: torn: expected the end of a string");
  CHECK(read_text(text).observations.size() == 1);
  CHECK(read_text(text).workload.id == "7");
}

TEST_CASE("garbage between lines is named and skipped") {
  CHECK(problem_of(kGood + "\n!!!\n" + R"({"message": "n"})") ==
        "in.json:2: expected one JSON object a line");
  CHECK(problem_of(kGood + "\n{\"message\": tru}\n" + R"({"message": "n"})") ==
        "in.json:2: not JSON from byte 16 on");
}

TEST_CASE("nothing at all and no JSON at all are errors") {
  CHECK(error_of("") == "in.json: empty: expected a JSON document or one JSON object a line");
  CHECK(error_of(" \n\n") == "in.json: empty: expected a JSON document or one JSON object a line");
  CHECK(error_of("May 18 08:31:05 host kernel: hello\n") ==
        "in.json: not JSON: expected a JSON document or one JSON object a line");
  CHECK(error_of("{\"mess") == "in.json:1: torn: expected the end of a string");
  CHECK(error_of("[1, 2]") ==
        "in.json: not JSON: expected a JSON document or one JSON object a line");
}

TEST_CASE("another schema is refused") {
  CHECK(
      error_of(R"({"schema": "attrib.evidence/2", "observations": []})") ==
      "in.json:1: field `schema`: expected \"attrib.evidence/1\", got text \"attrib.evidence/2\"");
}

TEST_CASE("too deep nesting is named and goes no further") {
  const auto nested = [](std::size_t depth) {
    // The observation itself is one level.
    return R"({"message": "m", "x": )" + std::string(depth - 1, '[') + std::string(depth - 1, ']') +
           "}";
  };
  CHECK(read_text(kGood + "\n" + nested(kMaxDepth)).problems.empty());
  CHECK(problem_of(kGood + "\n" + nested(kMaxDepth + 1)) ==
        "in.json:2: nested 65 deep: expected at most 64");
  CHECK(problem_of("{\"observations\": [" + kGood + ",\n" + nested(200'000) + "]}") ==
        "in.json:2: nested 200000 deep: expected at most 64");
  CHECK(problem_of("{\"topology\": " + std::string(70, '[') + std::string(70, ']') +
                   ", \"observations\": [" + kGood + "]}") ==
        "in.json:1: field `topology`: nested 70 deep: expected at most 64");
}

TEST_CASE("an observation at the limit is read, one past it is named") {
  const auto sized = [](std::size_t size) {
    const std::string head = R"({"message": ")", tail = "\"}";
    return head + std::string(size - head.size() - tail.size(), 'x') + tail;
  };
  const Evidence at_limit = read_text(kGood + "\n" + sized(kMaxObservationBytes));
  CHECK(at_limit.problems.empty());
  CHECK(at_limit.counters.truncated == 1);
  CHECK(at_limit.observations[0].message.size() <= kMaxMatchBytes);
  CHECK(problem_of(kGood + "\n" + sized(kMaxObservationBytes + 1)) ==
        "in.json:2: observation of 1048577 bytes: expected at most 1048576");
}

TEST_CASE("a line of 100 MB is named and the next one read") {
  std::string text = R"({"id": "huge", "message": ")";
  text.append(100'000'000, 'x');
  text += "\"}\n" + kGood + "\n" + R"({"message": "n"})";
  const Evidence e = read_text(text);
  REQUIRE(e.problems.size() == 1);
  CHECK(e.problems[0] == "in.json:1: observation of 100000029 bytes: expected at most 1048576");
  CHECK(e.observations.size() == 2);
}

TEST_CASE("a document on one endless line is read all the same") {
  std::string text = R"({"workload": {"id": "7"}, "observations": [)";
  for (int i = 0; i < 30'000; ++i) {
    text += (i > 0 ? "," : "") + std::string(R"({"message": ")") + std::to_string(i) +
            std::string(60, '.') + "\"}";
  }
  const Evidence e = read_text(text + "]}");
  CHECK(e.problems.empty());
  CHECK(e.observations.size() == 30'000);
}

TEST_CASE("problems are kept up to a limit and counted beyond it") {
  std::string text = kGood;
  for (int i = 0; i < 150; ++i) text += "\n{\"message\": " + std::to_string(i) + "}\n" + kGood;
  const Evidence e = read_text(text);
  CHECK(e.counters.rejected == 150);
  REQUIRE(e.problems.size() == kMaxProblems + 1);
  CHECK(e.problems.back() == "... and 50 more");
}

TEST_CASE("invalid UTF-8 is escaped and counted once an observation") {
  const Evidence e = read_text("{\"message\": \"disk \xFF\xFE full\"}");
  CHECK(e.counters.escaped == 1);
  CHECK(e.observations.at(0).message == "disk \\xFF\\xFE full");
}

TEST_CASE("control characters of the input do not reach a message of ours") {
  CHECK(problem_of(
            kGood +
            "\n{\"message\": \"m\", \"node\": 1, \"a\\u001b[2J\": {}, \"rank\": \"\\u001b\"}") ==
        "in.json:2: field `node`: expected text, got number 1; field `rank`: expected a whole "
        "number from 0 to "
        "2147483647, got text \"\\x1B\"");
}

TEST_CASE("a bad header field is named and left out, the others hold") {
  const std::string text =
      R"({"workload": {"id": "7", "ranks": "many", "start": "2026-05-18 08:00:00"}, "sources": [
    {"kind": "kernel", "node": "a", "coverage": [["2026-05-18T09:00:00Z", "2026-05-18T08:00:00Z"]]},
    {"node": "b"}], "observations": []})";
  const Evidence e = read_text(text);
  CHECK(e.workload.id == "7");
  CHECK_FALSE(e.workload.ranks);
  CHECK(e.sources.size() == 1);
  CHECK(
      e.problems ==
      std::vector<std::string>{
          "in.json:1: field `workload.start`: expected a time with its zone, got text \"2026-05-18 "
          "08:00:00\"",
          "in.json:1: field `workload.ranks`: expected a whole number from 0 to 2147483647, got "
          "text "
          "\"many\"",
          "in.json:1: field `sources[0].coverage`: expected pairs of times with their zone, the "
          "earlier first, got a list",
          "in.json:1: field `sources[1]`: expected an object with `kind`, got an object"});
}

TEST_CASE("headers of several inputs are united, and two attempts are not mixed") {
  const std::string one = R"({"workload": {"id": "7", "nodes": ["b"]}})"
                          "\n" +
                          kGood;
  const std::string two = R"({"workload": {"id": "7", "state": "FAILED", "nodes": ["a"]}})"
                          "\n" +
                          kGood;
  const std::string other = R"({"workload": {"id": "8"}})"
                            "\n" +
                            kGood;
  const auto both = read({{"1", std::nullopt, one}, {"2", std::nullopt, two}}, {});
  REQUIRE(both.ok());
  CHECK(both.value().workload.state == "FAILED");
  CHECK(both.value().workload.nodes == std::vector<std::string>{"a", "b"});
  const auto mixed = read({{"1", std::nullopt, one}, {"2", std::nullopt, other}}, {});
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.error().message ==
        "2:1: field `workload.id`: another value than 1:1 gives; one run is about one attempt");
}

TEST_CASE("records and metrics") {
  const Evidence e = read_text(
      R"({"source": "slurm", "record": {"State": "NODE_FAIL", "ExitCode": "0:0", "Restarts": 2, "Reason": null}})"
      "\n"
      R"({"source": "metric", "message": "node_memory{instance=\"n1\"} 7.3e+08"})"
      "\n"
      R"({"source": "metric", "message": "nvidia-smi: GPU 0 is fine"})"
      "\n"
      R"({"name": "gpu_temp", "value": 81.25, "labels": {"gpu": 4}})");
  REQUIRE(e.problems.empty());
  REQUIRE(e.observations.size() == 4);
  CHECK(e.observations[0].is_record);
  CHECK(e.observations[0].record.at("Restarts") == "2");
  CHECK_FALSE(e.observations[0].record.get().contains("Reason"));
  const auto named = [&](const std::string& name) {
    for (const Observation& o : e.observations) {
      if (o.name == name) return o;
    }
    return Observation{};
  };
  CHECK(named("node_memory").value == 730'000'000'000'000);
  CHECK(named("node_memory").labels.at("instance") == "n1");
  CHECK(named("node_memory").message == "node_memory{instance=\"n1\"} 7.3e+08");
  CHECK(named("gpu_temp").value == 81'250'000);
  CHECK(named("gpu_temp").labels.at("gpu") == "4");
  CHECK(named("gpu_temp").source == model::SourceKind::Metric);
}

}  // namespace
}  // namespace attrib::evidence
