#include "service/header_merge.h"

#include <doctest/doctest.h>

namespace attrib::service {
namespace {

std::string error_of(const Result<std::string>& result) {
  return result ? "accepted: " + result.value() : result.error().message;
}

std::string header(std::string_view text) {
  const auto out = new_header(text);
  REQUIRE_MESSAGE(out.ok(), error_of(out));
  return out.value();
}

TEST_CASE("a header is written in one way") {
  CHECK(
      header(R"({"workload": {"start": "2026-05-18T14:00:00+02:00", "nodes": ["b", "a", "b"]}})") ==
      header(R"({"workload": {"nodes": ["a", "b"], "start": 1779105600}, "unknown": 1})"));
  CHECK(header(header("{}")) == header("{}"));
  const std::string full = header(
      R"({"workload": {"id": "7", "attempt": 2, "kind": "slurm", "name": "n", "user": "u", "cluster": "c",
          "framework": "f", "state": "FAILED", "exit_code": 1, "signal": 9, "start": 1, "end": 2.5, "ranks": 2,
          "ranks_per_node": 1, "placement": [{"rank": 0, "node": "a", "gpu": "00000000:3B:00.0"}]},
          "topology": {"racks": {"r1": ["a"]}},
          "sources": [{"kind": "kernel", "node": "a", "rank": 0, "family": "kernel", "status": "failed", "reason": "r",
          "coverage": [[1, 2]], "clock_error": "2h", "lag": "1ms", "year": 2026, "tz": "-07:30", "boot": 1}]})");
  CHECK(header(full) == full);
  CHECK(full.find("\"clock_error\":\"7200.000000000s\"") != std::string::npos);
  CHECK(full.find("\"tz\":\"-07:30\"") != std::string::npos);
}

TEST_CASE("headers are united, and a contradiction is named without its values") {
  const std::string one = header(R"({"workload": {"id": "7", "nodes": ["a"]}})");
  const std::string two =
      header(R"({"workload": {"state": "FAILED", "nodes": ["b"]}, "topology": {"x": 1}})");
  const auto both = merge_header(one, two);
  REQUIRE(both.ok());
  CHECK(
      both.value() ==
      header(
          R"({"workload": {"id": "7", "state": "FAILED", "nodes": ["a", "b"]}, "topology": {"x": 1}})"));
  CHECK(merge_header(two, one).value() == both.value());
  CHECK(merge_header(both.value(), two).value() == both.value());
  CHECK(merge_header(one, "").value() == one);
  const std::string why = error_of(merge_header(one, header(R"({"workload": {"id": "secret"}})")));
  CHECK(why.find("field `workload.id`") != std::string::npos);
  CHECK(why.find("secret") == std::string::npos);
  CHECK(error_of(merge_header(two, header(R"({"topology": {"x": 2}})"))).find("`topology`") !=
        std::string::npos);
}

TEST_CASE("an end before the start is refused, whoever says which") {
  const auto named = [](const Result<std::string>& result) {
    return error_of(result).find("field `workload.end`") != std::string::npos;
  };
  CHECK(named(new_header(R"({"workload": {"start": 2, "end": 1}})")));
  CHECK(named(merge_header(header(R"({"workload": {"start": 2}})"), header(R"({"workload": {"end": 1}})"))));
  CHECK(named(patch_header(header(R"({"workload": {"start": 2, "end": 3}})"), R"({"workload": {"end": 1}})")));
  CHECK(merge_header(header(R"({"workload": {"start": 2}})"), header(R"({"workload": {"end": 2}})")).ok());
}

TEST_CASE("a patch takes the place of what was there") {
  const std::string one =
      header(R"({"workload": {"id": "7", "state": "RUNNING", "nodes": ["a"]}})");
  CHECK(patch_header(one, R"({"workload": {"state": "FAILED", "nodes": ["b"], "id": null}})")
            .value() == header(R"({"workload": {"state": "FAILED", "nodes": ["b"]}})"));
  CHECK(error_of(patch_header(one, R"({"workload": {"ranks": "x"}})")).find("`workload.ranks`") !=
        std::string::npos);
  CHECK(error_of(patch_header(one, R"({"observations": []})")).find("`observations`") !=
        std::string::npos);
  CHECK(error_of(patch_header(one, "[1]")) == "expected a JSON object");
}

}  // namespace
}  // namespace attrib::service
