#include "evidence/gather.h"

#include <atomic>

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

std::vector<Input> many_logs(int count) {
  std::vector<Input> out;
  for (int i = 0; i < count; ++i) {
    std::string text;
    // Of very different lengths, so that threads end out of order.
    for (int line = 0; line < (i * 7919) % 400; ++line) {
      text += fmt::format("2026-05-18T08:{:02}:{:02}Z node-{} app: line {}\n", line / 60 % 60,
                          line % 60, i % 5, line);
    }
    if (i % 9 == 0) text += std::string(kMaxObservationBytes + 1, 'x') + "\n";
    out.push_back(log_input(fmt::format("app@rank{}=rank{}.log", i, i), text));
  }
  out.push_back(json_input(R"({"workload": {"id": "j"}, "observations": [{"message": "a"}, {}]})"));
  return out;
}

TEST_CASE("the number of threads changes nothing") {
  const std::vector<Input> inputs = many_logs(40);
  const std::string one = dump(must_read(inputs));
  for (const std::size_t threads : {2U, 3U, 7U, 64U}) {
    ReadOptions options;
    options.threads = threads;
    CHECK(dump(must_read(inputs, options)) == one);
  }
}

TEST_CASE("of several problems the same are named on any number of threads") {
  std::vector<Input> inputs;
  for (int i = 0; i < 30; ++i)
    inputs.push_back(json_input(fmt::format("{{\"rank\": \"bad {}\", \"message\": \"x\"}}\n{{\n{{\n{{\n{{\n", i),
                                fmt::format("in{:02}.ndjson", i)));
  const Evidence one = must_read(inputs);
  CHECK(one.problems.size() == kMaxProblems + 1);
  ReadOptions options;
  options.threads = 5;
  CHECK(dump(must_read(inputs, options)) == dump(one));
  options.strict = true;
  const auto refused = read(inputs, options);
  REQUIRE_FALSE(refused.ok());
  options.threads = 1;
  CHECK(refused.error().message == read(inputs, options).error().message);
}

}  // namespace
}  // namespace attrib::evidence
