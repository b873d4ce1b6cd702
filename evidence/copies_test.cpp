#include "evidence/copies.h"

#include <fmt/ranges.h>

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

std::string line(const std::string& id, const std::string& ts, const std::string& rest) {
  return fmt::format("{{\"id\": \"{}\", \"ts\": \"{}\", {}}}\n", id, ts, rest);
}

const std::string kKernelA = R"("source": "kernel", "node": "a", "message": "NVRM: Xid")";
const std::string kSyslogA = R"("source": "syslog", "node": "a", "message": "NVRM: Xid")";

using Ids = IdList;

TEST_CASE("the same id delivered twice is one observation") {
  const std::string text = line("k1", "2026-05-18T08:00:00Z", kKernelA);
  const Evidence e = must_read({json_input(text + text), json_input(text, "again.json")});
  REQUIRE(e.observations.size() == 1);
  CHECK(e.observations[0].ids == Ids{"k1"});
  CHECK(e.counters.lines == 1);
  CHECK(e.counters.copies == 2);
}

TEST_CASE("a second delivery under new ids keeps both, at any resolution") {
  const Evidence e = must_read({json_input(line("k1", "2026-05-18T08:00:00Z", kKernelA) +
                                           line("k1x", "2026-05-18T08:00:00Z", kKernelA) +
                                           line("k2", "2026-05-18T08:00:01Z", kKernelA))});
  REQUIRE(e.observations.size() == 2);
  CHECK(e.observations[0].ids == Ids{"k1", "k1x"});
  CHECK(e.observations[1].ids == Ids{"k2"});
}

TEST_CASE("with seq, equal lines of one second are repeats and of one millisecond copies") {
  const auto with_seq = [](int seq) { return kKernelA + fmt::format(", \"seq\": {}", seq); };
  const Evidence coarse = must_read({json_input(line("1", "2026-05-18T08:00:00Z", with_seq(1)) +
                                                line("2", "2026-05-18T08:00:00Z", with_seq(2)))});
  CHECK(coarse.observations.size() == 2);
  const Evidence sharp =
      must_read({json_input(line("1", "2026-05-18T08:00:00.000Z", with_seq(1)) +
                            line("2", "2026-05-18T08:00:00.000Z", with_seq(2)))});
  CHECK(sharp.observations.size() == 1);
}

TEST_CASE("equal lines with one seq are one line delivered twice, however coarse the stamp") {
  const std::string text = kKernelA + ", \"seq\": 7";
  const Evidence twice = must_read({json_input(line("1", "2026-05-18T08:00:00Z", text) +
                                               line("2", "2026-05-18T08:00:00Z", text))});
  CHECK(twice.observations.size() == 1);
  CHECK(twice.counters.copies == 1);
}

TEST_CASE("another stream, other bytes or another stamp make no copy") {
  const Evidence e = must_read(
      {json_input(line("1", "2026-05-18T08:00:00.1Z", kKernelA) +
                  line("2", "2026-05-18T08:00:00.2Z", kKernelA) +
                  line("3", "2026-05-18T08:00:00.1Z",
                       R"("source": "kernel", "node": "b", "message": "NVRM: Xid")") +
                  line("4", "2026-05-18T08:00:00.1Z",
                       R"("source": "kernel", "node": "a", "message": "[ 5.5] NVRM: Xid")"))});
  CHECK(e.observations.size() == 4);
}

TEST_CASE("syslog and journald mirror the kernel's lines, one for one") {
  const std::string journal = R"("source": "journald", "node": "a", "message": "NVRM: Xid")";
  const Evidence e = must_read({json_input(line("k1", "2026-05-18T08:00:00.5Z", kKernelA) +
                                           line("k2", "2026-05-18T08:00:01.5Z", kKernelA) +
                                           line("s1", "2026-05-18T08:00:00Z", kSyslogA) +
                                           line("s2", "2026-05-18T08:00:01Z", kSyslogA) +
                                           line("j1", "2026-05-18T08:00:00.51Z", journal) +
                                           line("s9", "2026-05-18T08:00:09Z", kSyslogA))});
  REQUIRE(e.observations.size() == 3);
  CHECK(e.observations[0].ids == Ids{"j1", "k1", "s1"});
  CHECK(e.observations[0].source == model::SourceKind::Kernel);
  CHECK((e.observations[0].speaks & model::source_bit(model::SourceKind::Syslog)) != 0);
  CHECK(e.observations[1].ids == Ids{"k2", "s2"});
  CHECK(e.observations[2].ids == Ids{"s9"});
  CHECK(e.counters.copies == 3);
}

TEST_CASE("a mirror on another node, or on none, is none") {
  const Evidence e = must_read({json_input(
      line("k", "2026-05-18T08:00:00Z", kKernelA) +
      line("s", "2026-05-18T08:00:00Z",
           R"("source": "syslog", "node": "b", "message": "NVRM: Xid")") +
      line("t", "2026-05-18T08:00:00Z", R"("source": "syslog", "message": "NVRM: Xid")"))});
  CHECK(e.observations.size() == 3);
}

TEST_CASE("one id with two contents: the same one stays whatever the order, the other is named") {
  const std::string one = line("k1", "2026-05-18T08:00:00Z", kKernelA);
  const std::string two = line("k1", "2026-05-18T08:00:00Z", kSyslogA);
  const Evidence e = must_read({json_input(one + two)});
  REQUIRE(e.observations.size() == 1);
  CHECK(e.observations[0].source == model::SourceKind::Kernel);
  CHECK(e.problems ==
        std::vector<std::string>{"in.json:2: id `k1` has another content at in.json:1"});
  CHECK(e.counters.rejected == 1);
  const Evidence turned = must_read({json_input(two + one)});
  CHECK(turned.observations[0].source == model::SourceKind::Kernel);
  CHECK(turned.problems ==
        std::vector<std::string>{"in.json:1: id `k1` has another content at in.json:2"});
  ReadOptions strict;
  strict.strict = true;
  const auto refused = read({json_input(one + two)}, strict);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "in.json:2: id `k1` has another content at in.json:1");
}

TEST_CASE("without ids the same content has the same id, and other content another") {
  const auto ids_of = [](const std::string& rest) {
    return must_read({json_input("{\"message\": \"m\"" + rest + "}")}).observations.at(0).ids.at(0);
  };
  CHECK(ids_of("").size() == 16);
  CHECK(ids_of("") == ids_of(R"(, "unknown": 1)"));
  std::vector<std::string> all;
  for (const char* rest : {"", R"(, "node": "a")", R"(, "rank": 1)", R"(, "ts": 1779093065)",
                           R"(, "seq": 1)", R"(, "source": "slurm")", R"(, "file": "a")",
                           R"(, "pod": "a")", R"(, "name": "x", "value": 1)",
                           R"(, "name": "x", "value": 2)", R"(, "record": {"a": "1"})"}) {
    all.push_back(ids_of(rest));
  }
  std::sort(all.begin(), all.end());
  CHECK(std::unique(all.begin(), all.end()) == all.end());
}

// What rank files and a launcher's file of one job amount to: "MESSAGE ids".
std::vector<std::string> lines_of(const std::vector<Input>& inputs) {
  ReadOptions options;
  options.year = 2026;
  const Evidence e = must_read(inputs, options);
  std::vector<std::string> out;
  for (const Observation& o : e.observations)
    out.push_back(
        fmt::format("{} {}", o.message.substr(o.message.size() - 1), fmt::join(o.ids, " ")));
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE(
    "a launcher's file holds the lines of rank files once more, if the program stamped them "
    "sharply") {
  using Lines = std::vector<std::string>;
  const std::string a = "[E518 12:41:06.010223 P.cpp:6] a\n",
                    b = "[E518 12:41:06.010224 P.cpp:6] b\n";
  const Input three = log_input("app@rank3=r3", a + "plain p\n");
  CHECK(lines_of({three, log_input("slurm=job", "[rank3]:" + a + "[rank3]:plain p\n")}) ==
        Lines{"a job:1 r3:1", "p job:2", "p r3:2"});
  CHECK(lines_of({three, log_input("slurm=job", a + b)}) ==
        Lines{"a job:1 r3:1", "b job:2", "p r3:2"});
  // Another rank's line, or that of another host.
  CHECK(lines_of({three, log_input("slurm=job", "[rank4]:" + a)}) ==
        Lines{"a job:1", "a r3:1", "p r3:2"});
  CHECK(lines_of({log_input("app@n1/rank3=r3", a), log_input("slurm@n2=job", a)}) ==
        Lines{"a job:1", "a r3:1"});
  // Two files of ranks are two processes.
  CHECK(lines_of({three, log_input("app@rank4=r4", a)}) == Lines{"a r3:1", "a r4:1", "p r3:2"});
  // Each is paired with its own rank; two equal lines of one file are one as they always are.
  CHECK(lines_of({log_input("app@rank3=r3", a), log_input("app@rank4=r4", a),
                  log_input("slurm=job", "[rank4]:" + a + a + a)}) ==
        Lines{"a job:1 r4:1", "a job:2 job:3 r3:1"});
}

}  // namespace
}  // namespace attrib::evidence
