#include "evidence/rotated.h"

#include <random>

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

std::string stamped(int number, const std::string& text) {
  return fmt::format("2026-05-18T08:{:02}:{:02}.500Z {}\n", number / 60, number % 60, text);
}

// Lines as one file, and as the files that `cuts` (offsets) make of it, oldest first.
std::vector<Input> cut_up(const std::string& text, std::vector<std::size_t> cuts) {
  cuts.push_back(text.size());
  std::vector<Input> out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t number = cuts.size() - 1 - i;
    const std::string name = number == 0 ? "train.log" : fmt::format("train.log.{}", number);
    out.push_back(log_input("app@a=" + name, text.substr(from, cuts[i] - from)));
    from = cuts[i];
  }
  return out;
}

// All but the names of the files.
std::string without_ids(Evidence e) {
  for (Observation& o : e.observations) o.ids.clear();
  return dump(e);
}

std::vector<std::string> ids(const Evidence& e) {
  std::vector<std::string> out;
  for (const Observation& o : e.observations) out.push_back(o.ids.at(0));
  return out;
}

std::string some_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += i % 5 == 3 ? fmt::format("  at frame {}\n", i) : stamped(i, fmt::format("line {}", i));
  return text;
}

TEST_CASE("a rotated set reads as the one file that it was") {
  const std::string text = some_lines(40);
  const auto plain = must_read({log_input("app@a=train.log", text)});
  std::vector<std::size_t> line_ends;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    line_ends.push_back(at + 1);
  std::mt19937 random(7);
  for (int run = 0; run < 20; ++run) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i)
      cuts.push_back(line_ends[random() % line_ends.size()]);
    std::sort(cuts.begin(), cuts.end());
    std::vector<Input> parts = cut_up(text, cuts);
    std::shuffle(parts.begin(), parts.end(), random);
    CHECK(without_ids(must_read(parts)) == without_ids(plain));
  }
}

TEST_CASE("lines of a set are named by their own file") {
  const std::string text = "a\nb\nc\nd\ne\n";
  CHECK(ids(must_read(cut_up(text, {4, 6}))) ==
        std::vector<std::string>{"train.log.2:1", "train.log.2:2", "train.log.1:1", "train.log:1",
                                 "train.log:2"});
  // Cut inside `b` and inside `d`; the rest of a line is the first line of its file.
  CHECK(ids(must_read(cut_up("a\nbb\nc\ndd\ne\n", {3, 8}))) ==
        std::vector<std::string>{"train.log.2:1", "train.log.2:2", "train.log.1:2", "train.log.1:3",
                                 "train.log:2"});
}

TEST_CASE("a line that is cut by the rotation is one line, and its surroundings count as incomplete") {
  const std::string text = some_lines(20);
  const Evidence plain = must_read({log_input("app@a=train.log", text)});
  REQUIRE(plain.sources.at(0).coverage.size() == 1);
  for (std::size_t cut = 1; cut + 1 < text.size(); ++cut) {
    // A rest that begins with a stamp is taken for a line of its own.
    if (text[cut - 1] == '\n' || text.compare(cut, 4, "2026") == 0) continue;
    const Evidence e = must_read(cut_up(text, {cut}));
    REQUIRE(e.observations.size() == plain.observations.size());
    for (std::size_t i = 0; i < e.observations.size(); ++i)
      CHECK(e.observations[i].message == plain.observations[i].message);
    if (cut > 120 && cut < text.size() - 120) CHECK(e.sources.at(0).coverage.size() == 2);
  }
}

TEST_CASE("a cut line is not gone on with by a line that begins anew") {
  const Evidence e = must_read({log_input("app@a=train.log.1", stamped(1, "one") + "2026-05-18T08:00:02.500Z tw"),
                                log_input("app@a=train.log", stamped(4, "four") + stamped(5, "five"))});
  REQUIRE(e.observations.size() == 4);
  CHECK(e.observations[1].message == "2026-05-18T08:00:02.500Z tw");
  CHECK(ids(e) == std::vector<std::string>{"train.log.1:1", "train.log.1:2", "train.log:1", "train.log:2"});
  CHECK_FALSE(covers(e, model::source_bit(model::SourceKind::App), "a", std::nullopt,
                     e.observations[1].seen.hi, e.observations[2].seen.lo));
  CHECK(e.sources.at(0).coverage.size() == 2);
}

TEST_CASE("zero bytes that a truncated file begins with are left out, and show a loss") {
  const Evidence e = must_read({log_input("app@a=train.log.1", stamped(1, "one") + stamped(2, "two")),
                                log_input("app@a=train.log", std::string(2'000'000, '\0') + stamped(4, "four") + stamped(9, "nine"))});
  REQUIRE(e.observations.size() == 4);
  CHECK(e.observations[2].ids.at(0) == "train.log:1");
  CHECK(e.counters.rejected == 0);
  CHECK(e.sources.at(0).coverage.size() == 2);
}

TEST_CASE("a missing file of a set is told, and nothing is known over its time") {
  const Evidence e = must_read({log_input("app@a=train.log.3", stamped(1, "one") + stamped(2, "two")),
                                log_input("app@a=train.log.1", stamped(30, "three") + stamped(31, "four")),
                                log_input("app@a=train.log", stamped(40, "five"))});
  CHECK(e.observations.size() == 5);
  REQUIRE(e.sources.size() == 1);
  CHECK(e.sources[0].status == "incomplete");
  CHECK(e.sources[0].reason == "train.log.2: no such file");
  CHECK(e.sources[0].coverage.size() == 2);
}

TEST_CASE("the names that rotation gives are known") {
  const auto read = [](const char* name) {
    const RotatedName r = read_rotated_name(name);
    const std::string form = r.form == RotatedName::Form::Current    ? "current"
                             : r.form == RotatedName::Form::Numbered ? fmt::format("{}", r.number)
                                                                     : r.date;
    return r.base + " " + form;
  };
  CHECK(read("logs/train.log") == "logs/train.log current");
  CHECK(read("logs/train.log.gz") == "logs/train.log current");
  CHECK(read("train.log.12.zst") == "train.log 12");
  CHECK(read("train.log-20260518") == "train.log 20260518");
  CHECK(read("train.log-20260518.gz") == "train.log 20260518");
  CHECK(read("train.log-2026051809") == "train.log 2026051809");
  CHECK(read("train.log-20260518-1779093065.gz") == "train.log 202605181779093065");
  CHECK(read("train.log.2026-05-18_08-31") == "train.log 202605180831");
  CHECK(read("a-20260101/0.log.20260518-083105.gz") == "a-20260101/0.log 20260518083105");
  CHECK(read("train.log-20261318") == "train.log-20261318 current");
  CHECK(read("slurm-20260518.out") == "slurm-20260518.out current");
  CHECK(read("job.o1234567") == "job.o1234567 current");
  CHECK(read("dir/.1") == "dir/.1 current");
  CHECK(read("-") == "- current");
}

TEST_CASE("dates order a set, and so does the file without one") {
  const auto order = [](const std::vector<std::string>& names) {
    std::vector<Input> inputs;
    for (const std::string& name : names) inputs.push_back(log_input("app@a=" + name, "text of " + name + "\n"));
    return ids(must_read(inputs));
  };
  CHECK(order({"x.log", "x.log-20260518", "x.log-20260517.gz"}) ==
        std::vector<std::string>{"x.log-20260517.gz:1", "x.log-20260518:1", "x.log:1"});
  CHECK(order({"0.log.20260518-093000", "0.log", "0.log.20260518-083105.gz"}) ==
        std::vector<std::string>{"0.log.20260518-083105.gz:1", "0.log.20260518-093000:1", "0.log:1"});
}

TEST_CASE("files that only look rotated stay streams of their own") {
  const auto streams = [](const std::vector<std::pair<std::string, std::string>>& files) {
    std::vector<Input> inputs;
    for (const auto& [spec, text] : files) inputs.push_back(log_input(spec, text));
    return must_read(inputs).streams.size();
  };
  // Ranks: numbered from 0, or no file without a number.
  CHECK(streams({{"app=out", "a\n"}, {"app=out.0", "b\n"}, {"app=out.1", "c\n"}}) == 3);
  CHECK(streams({{"app=out.1", "b\n"}, {"app=out.2", "c\n"}}) == 2);
  CHECK(streams({{"app=out", "b\n"}, {"app=out.8", "b\n"}, {"app=out.9", "c\n"}}) == 3);
  // Runs of other days.
  CHECK(streams({{"app=run-20260517", "b\n"}, {"app=run-20260518", "c\n"}}) == 2);
  // Of two nodes, or two sorts.
  CHECK(streams({{"app@a=x.log", "b\n"}, {"app@b=x.log.1", "c\n"}}) == 2);
  CHECK(streams({{"kernel@a=x.log", "b\n"}, {"syslog@a=x.log.1", "c\n"}}) == 2);
  // What should be older begins later.
  CHECK(streams({{"app=x.log", stamped(1, "b")}, {"app=x.log.1", stamped(2, "c")}}) == 2);
  CHECK(streams({{"app=x.log", stamped(2, "b")}, {"app=x.log.1", stamped(1, "c")}}) == 1);
}

TEST_CASE("a file that is there plain and packed is read once, and that is told") {
  const Evidence e = must_read({log_input("app@a=x.log", "c\n"), log_input("app@a=x.log.1", "a\nb\n"),
                                log_input("app@a=x.log.1.gz", "a\n")});
  CHECK(ids(e) == std::vector<std::string>{"x.log.1:1", "x.log.1:2", "x.log:1"});
  CHECK(e.problems == std::vector<std::string>{"x.log.1.gz: the same file as x.log.1: left out"});
}

}  // namespace
}  // namespace attrib::evidence
