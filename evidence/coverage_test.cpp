#include "evidence/coverage.h"

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

using model::SourceKind;

constexpr auto kKernel = model::source_bit(SourceKind::Kernel);
constexpr auto kSyslog = model::source_bit(SourceKind::Syslog);
constexpr auto kApp = model::source_bit(SourceKind::App);

model::Nanos at(std::string_view clock) {
  return parse_time("2026-05-18T" + std::string(clock) + "Z").value();
}

bool covered(const Evidence& e, model::SourceMask mask, const std::string& node,
             std::string_view from, std::string_view to,
             std::optional<std::uint32_t> rank = std::nullopt) {
  return covers(e, mask, node, rank, at(from), at(to));
}

std::string source(const std::string& owner, const std::string& from, const std::string& to) {
  return fmt::format(R"({{{}, "coverage": [["2026-05-18T{}Z", "2026-05-18T{}Z"]]}})", owner, from,
                     to);
}

Evidence with_sources(const std::vector<std::string>& sources, const std::string& workload = "{}",
                      const std::string& observations = "") {
  return must_read(
      {json_input(fmt::format(R"({{"workload": {}, "sources": [{}], "observations": [{}]}})",
                              workload, fmt::join(sources, ","), observations))});
}

TEST_CASE("only what is declared complete is covered") {
  const Evidence e = with_sources(
      {source(R"("kind": "kernel", "node": "a")", "08:00:00", "09:00:00"),
       source(R"("kind": "kernel", "node": "a")", "09:00:00", "10:00:00"),
       source(R"("kind": "kernel", "node": "b", "status": "failed")", "08:00:00", "09:00:00")});
  CHECK(covered(e, kKernel, "a", "08:00:00", "10:00:00"));
  CHECK_FALSE(covered(e, kKernel, "a", "07:59:59", "09:00:00"));
  CHECK_FALSE(covered(e, kKernel, "b", "08:10:00", "08:20:00"));
  CHECK_FALSE(covered(e, kSyslog, "a", "08:10:00", "08:20:00"));
  CHECK(covered(e, kKernel | kSyslog, "a", "08:10:00", "08:20:00"));
}

TEST_CASE("two kinds do not cover half each") {
  const Evidence e =
      with_sources({source(R"("kind": "kernel", "node": "a")", "08:00:00", "09:00:00"),
                    source(R"("kind": "syslog", "node": "a")", "09:00:00", "10:00:00")});
  CHECK_FALSE(covered(e, kKernel | kSyslog, "a", "08:30:00", "09:30:00"));
}

TEST_CASE("the attempt is covered when each of its nodes is") {
  const auto a = source(R"("kind": "kernel", "node": "a")", "08:00:00", "09:00:00");
  const auto b = source(R"("kind": "kernel", "node": "b")", "08:00:00", "09:00:00");
  const std::string nodes = R"({"nodes": ["a", "b"]})";
  CHECK(covered(with_sources({a, b}, nodes), kKernel, "", "08:10:00", "08:20:00"));
  CHECK_FALSE(covered(with_sources({a}, nodes), kKernel, "", "08:10:00", "08:20:00"));
  CHECK_FALSE(covered(with_sources({a, b}), kKernel, "", "08:10:00", "08:20:00"));
  const auto all = source(R"("kind": "slurm")", "08:00:00", "09:00:00");
  CHECK(covered(with_sources({all}), model::source_bit(SourceKind::Slurm), "", "08:10:00",
                "08:20:00"));
  CHECK(covered(with_sources({all}), model::source_bit(SourceKind::Slurm), "a", "08:10:00",
                "08:20:00"));
}

TEST_CASE("a rank is covered by its file or its node's, a node by the files of all its ranks") {
  const auto rank = [](int r) {
    return source(fmt::format(R"("kind": "app", "node": "a", "rank": {})", r), "08:00:00",
                  "09:00:00");
  };
  const std::string placed =
      R"({"ranks_per_node": 2, "placement": [{"rank": 0, "node": "a"}, {"rank": 1, "node": "a"}]})";
  const Evidence one = with_sources({rank(0)}, placed);
  CHECK(covered(one, kApp, "a", "08:10:00", "08:20:00", 0));
  CHECK_FALSE(covered(one, kApp, "a", "08:10:00", "08:20:00", 1));
  CHECK_FALSE(covered(one, kApp, "a", "08:10:00", "08:20:00"));
  CHECK(covered(with_sources({rank(0), rank(1)}, placed), kApp, "a", "08:10:00", "08:20:00"));
  CHECK_FALSE(covered(with_sources({rank(0), rank(1)}), kApp, "a", "08:10:00", "08:20:00"));
  const auto node = source(R"("kind": "app", "node": "a")", "08:00:00", "09:00:00");
  CHECK(covered(with_sources({node}), kApp, "a", "08:10:00", "08:20:00", 7));
}

TEST_CASE("a loss line cuts out what was dropped before it") {
  const auto declared = source(R"("kind": "kernel", "node": "a")", "08:00:00", "09:00:00");
  const auto other = source(R"("kind": "kernel", "node": "b")", "08:00:00", "09:00:00");
  const Evidence e = with_sources(
      {declared, other}, "{}",
      R"({"ts": "2026-05-18T08:20:00Z", "source": "kernel", "node": "a", "message": "last good"},
         {"ts": "2026-05-18T08:30:00Z", "source": "kernel", "node": "a", "message": "printk: 12 messages suppressed."})");
  CHECK(covered(e, kKernel, "a", "08:00:00", "08:19:00"));
  CHECK_FALSE(covered(e, kKernel, "a", "08:25:00", "08:26:00"));
  CHECK(covered(e, kKernel, "a", "08:31:00", "09:00:00"));
  CHECK(covered(e, kKernel, "b", "08:25:00", "08:26:00"));
}

TEST_CASE("a loss of unknown time leaves nothing certain") {
  const auto declared = source(R"("kind": "kernel", "node": "a")", "08:00:00", "09:00:00");
  const Evidence e = with_sources(
      {declared}, "{}",
      R"({"source": "kernel", "node": "a", "message": "printk: 12 messages suppressed."})");
  CHECK_FALSE(covered(e, kKernel, "a", "08:25:00", "08:26:00"));
}

TEST_CASE("loss lines are known by their words") {
  for (const char* line :
       {"printk: 12 messages suppressed.", "__ratelimit: 34 callbacks suppressed",
        "net_ratelimit: 5 callbacks suppressed", "** 171 printk messages dropped **",
        "systemd-journald[1]: Suppressed 87 messages from x.service",
        "rsyslogd: imuxsock[pid: 7]: 123 messages lost due to rate-limiting"}) {
    CHECK_MESSAGE(says_loss(line), line);
  }
  CHECK_FALSE(says_loss("warning suppressed"));
  CHECK_FALSE(says_loss("Suppressed noise"));
}

TEST_CASE("a raw log is complete from its first stamp to its last, less its gaps") {
  ReadOptions options;
  options.boot = at("08:00:00");
  const Evidence e =
      must_read({log_input("kernel@a=k",
                           "6,100,60000000,-;one\n6,101,120000000,-;two\n"
                           " SUBSYSTEM=pci\n"
                           "6,105,240000000,-;after a gap\n6,106,300000000,-;end\n")},
                options);
  CHECK(e.observations.size() == 4);
  CHECK(covered(e, kKernel, "a", "08:01:01", "08:01:59"));
  CHECK_FALSE(covered(e, kKernel, "a", "08:03:00", "08:03:01"));
  CHECK(covered(e, kKernel, "a", "08:04:01", "08:04:59"));
  CHECK_FALSE(covered(e, kKernel, "a", "08:04:01", "08:05:01"));
}

TEST_CASE("a raw log of no known node covers none") {
  const std::string text = "2026-05-18T08:00:00Z a\n2026-05-18T09:00:00Z b\n";
  CHECK_FALSE(covered(must_read({log_input("app=x", text)}), kApp, "a", "08:10:00", "08:20:00"));
  CHECK(covered(must_read({log_input("app@a=x", text)}), kApp, "a", "08:10:00", "08:20:00"));
  const Evidence hosts = must_read({log_input("syslog=all",
                                              "2026-05-18T08:00:00Z a cron[1]: x\n"
                                              "2026-05-18T08:00:00Z b cron[1]: x\n"
                                              "2026-05-18T09:00:00Z a cron[1]: x\n")});
  CHECK(covered(hosts, kSyslog, "a", "08:10:00", "08:20:00"));
  CHECK_FALSE(covered(hosts, kSyslog, "b", "08:10:00", "08:20:00"));
}

TEST_CASE("an empty log is a source too") {
  const Evidence e = must_read({log_input("kernel@a=k", "")});
  REQUIRE(e.sources.size() == 1);
  CHECK(e.sources[0].status == "empty");
  CHECK(e.sources[0].reason == "k has no lines");
}

}  // namespace
}  // namespace attrib::evidence
