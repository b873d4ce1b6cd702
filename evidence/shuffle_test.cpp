// The order of inputs, and of all lines but equal-stamped ones of one stream without `seq`, decides
// nothing.

#include <algorithm>
#include <random>

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

std::vector<std::string> many_lines() {
  std::vector<std::string> lines;
  std::mt19937 random(7);
  const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
  const std::vector<std::string> sources = {"app",      "kernel", "syslog",
                                            "journald", "slurm",  "metric"};
  const std::vector<std::string> nodes = {"", "a", "b"};
  const std::vector<std::string> messages = {"NVRM: Xid (PCI:0000:04:00): 79",
                                             "printk: 3 messages suppressed", "[rank3]: boom",
                                             "srun: error: x", "m"};
  for (int i = 0; i < 400; ++i) {
    const auto ms = random() % 3000;
    std::string line =
        fmt::format(R"({{"ts": "2026-05-18T08:00:{:02}.{:03}Z", "source": "{}", "message": "{}")",
                    ms / 1000, ms % 1000 / 100 * 100, pick(sources), pick(messages));
    if (const std::string node = pick(nodes); !node.empty()) line += ", \"node\": \"" + node + "\"";
    if (random() % 4 == 0) line += fmt::format(", \"seq\": {}", random() % 50);
    if (random() % 3 == 0) line += fmt::format(", \"id\": \"o{}\"", random() % 300);
    if (random() % 5 == 0) line += fmt::format(R"(, "name": "x", "value": {})", random() % 5);
    lines.push_back(line + "}");
  }
  lines.push_back(
      R"({"workload": {"id": "7", "nodes": ["b", "a"]}, "sources": [{"kind": "kernel", "node": "a",
     "coverage": [["2026-05-18T08:00:00Z", "2026-05-18T09:00:00Z"]]}]})");
  std::erase(lines.back(), '\n');
  return lines;
}

// Problems name places, which do move.
std::string without_problems(Evidence e) {
  e.problems.clear();
  return dump(e);
}

// The dumps are long: only where they part is shown.
std::string first_difference(const std::string& a, const std::string& b) {
  if (a == b) return "";
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto line = [](const std::string& text, auto where) {
    const auto offset = static_cast<std::size_t>(where - text.begin());
    const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    return text.substr(begin, text.find('\n', offset) - begin);
  };
  return line(a, at.first) + "\n" + line(b, at.second);
}

TEST_CASE("shuffled lines, shuffled and split inputs give the same evidence") {
  std::vector<std::string> lines = many_lines();
  const Evidence first = must_read({json_input(fmt::format("{}", fmt::join(lines, "\n")))});
  const std::string expected = without_problems(first);
  CHECK(first.counters.copies > 0);
  CHECK(first.counters.rejected > 0);
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(lines.begin(), lines.end(), random);
    const auto half = lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size());
    std::vector<Input> inputs = {
        json_input(fmt::format("{}\n", fmt::join(lines.begin(), half, "\n")) +
                       "{\"workload\": {\"id\": \"7\"}}",
                   "x"),
        json_input(fmt::format("{{\"workload\": {{\"id\": \"7\"}}}}\n{}",
                               fmt::join(half, lines.end(), "\n")),
                   "y")};
    std::shuffle(inputs.begin(), inputs.end(), random);
    CHECK(first_difference(without_problems(must_read(inputs)), expected) == "");
  }
}

TEST_CASE("a second delivery under the same ids changes nothing but the count of copies") {
  const std::string text = fmt::format("{}", fmt::join(many_lines(), "\n"));
  Evidence once = must_read({json_input(text)});
  Evidence twice = must_read({json_input(text), json_input(text, "again.json")});
  CHECK(twice.counters.copies > once.counters.copies);
  once.counters = twice.counters = {};
  CHECK(first_difference(without_problems(once), without_problems(twice)) == "");
}

TEST_CASE("raw logs in any order of files give the same evidence") {
  ReadOptions options;
  options.year = 2026;
  const std::vector<Input> logs = {
      log_input("kernel@a=k",
                "[Mon May 18 08:00:00 2026] NVRM: Xid\n[Mon May 18 08:00:09 2026] x\n"),
      log_input("syslog=s",
                "May 18 08:00:01 a kernel: NVRM: Xid\nMay 18 08:00:01 b kernel: NVRM: Xid\n"),
      log_input("app@b=r", "[rank3]:[E518 08:00:02.000001 x.cpp:1] boom\nplain\n")};
  const std::string expected = dump(must_read(logs, options));
  std::vector<std::size_t> order = {0, 1, 2};
  do {
    CHECK(dump(must_read({logs[order[0]], logs[order[1]], logs[order[2]]}, options)) == expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace attrib::evidence
