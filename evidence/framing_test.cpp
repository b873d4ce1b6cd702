#include "evidence/framing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "evidence/frame.h"

namespace attrib::evidence {
namespace {

using model::source_bit;
using model::SourceKind;
using model::SourceMask;

Draft framed(SourceKind kind, const std::string& line) {
  Draft draft;
  draft.observation.source = kind;
  draft.observation.message = line;
  frame(&draft);
  return draft;
}

struct Case {
  SourceKind kind;
  const char* line;
  const char* body;
  std::optional<Stamp::Form> stamp;
  const char* node;
  int rank;  // -1: none.
};

constexpr auto kNone = std::nullopt;
constexpr auto kAbsolute = Stamp::Form::Absolute;
constexpr auto kLocal = Stamp::Form::Local;
constexpr auto kYearLess = Stamp::Form::YearLess;
constexpr auto kBoot = Stamp::Form::SinceBoot;
constexpr SourceKind kKernel = SourceKind::Kernel, kSyslog = SourceKind::Syslog,
                     kApp = SourceKind::App, kSlurm = SourceKind::Slurm, kK8s = SourceKind::K8s,
                     kMetric = SourceKind::Metric, kFabric = SourceKind::FabricManager,
                     kJournald = SourceKind::Journald;

// clang-format off
constexpr Case kCases[] = {
    // The kernel's ring buffer
    {kKernel, "[171167.620236] NVRM: Xid", "NVRM: Xid", kBoot, "", -1},
    {kKernel, "[  412.503112] [ T1946] NVRM: Xid", "NVRM: Xid", kBoot, "", -1},
    {kKernel, "[    0.000000][    T0] Linux version", "Linux version", kBoot, "", -1},
    {kKernel, "<6>[  412.503112] NVRM: Xid", "NVRM: Xid", kBoot, "", -1},
    {kKernel, "[Mon Mar  6 21:34:31 2023] NVRM: Xid (PCI:0000:61:00): 119", "NVRM: Xid (PCI:0000:61:00): 119", kLocal, "", -1},
    {kKernel, "4,1227,412503112,c;NVRM: Xid", "NVRM: Xid", kBoot, "", -1},
    {kKernel, "6,339,5140900,-,caller=T1;mlx5_core 0000:04:00.0: up", "mlx5_core 0000:04:00.0: up", kBoot, "", -1},
    {kKernel, "kern  :err   : 2025-01-25T10:34:54,859532+00:00 nvidia-nvswitch1: SXid", "nvidia-nvswitch1: SXid", kAbsolute, "", -1},
    {kKernel, "kern  :warn  : [  412.5] NVRM: Xid", "NVRM: Xid", kBoot, "", -1},
    {kKernel, "2025-01-25T10:34:54,859532+00:00 NVRM: Xid", "NVRM: Xid", kAbsolute, "", -1},
    {kKernel, "kernel: NVRM: Xid (PCI:0008:01:00): 149", "NVRM: Xid (PCI:0008:01:00): 149", kNone, "", -1},
    {kKernel, "NVRM: Xid (PCI:0000:04:00): 149, NETIR", "NVRM: Xid (PCI:0000:04:00): 149, NETIR", kNone, "", -1},
    // Syslog
    {kKernel, "Aug 26 15:27:32 node-01 kernel: [87430.975714] nvidia-uvm: Loaded", "nvidia-uvm: Loaded", kYearLess, "node-01", -1},
    {kSyslog, "Feb  1 14:25:31 host kernel: NVRM: Xid", "NVRM: Xid", kYearLess, "host", -1},
    {kSyslog, "<13>Feb  1 14:25:31 host systemd[1]: nvidia-fabricmanager.service: Failed", "systemd[1]: nvidia-fabricmanager.service: Failed", kYearLess, "host", -1},
    {kSyslog, "2025-02-01T14:25:31.123456+00:00 host kernel: [  412.5] NVRM: Xid", "NVRM: Xid", kAbsolute, "host", -1},
    {kSyslog, "2025-02-01T14:25:31.123456+00:00 host slurmd[77]: error: x", "slurmd[77]: error: x", kAbsolute, "host", -1},
    {kSyslog, "2025-02-01T14:25:31.123456+00:00 NVRM: Xid", "NVRM: Xid", kAbsolute, "", -1},
    {kSyslog, "<34>1 2026-05-18T08:31:05.123Z node-07 kernel - - - NVRM: Xid", "NVRM: Xid", kAbsolute, "node-07", -1},
    {kSyslog, "<34>1 2026-05-18T08:31:05.123Z node-07 su 12 ID47 [a@1 b=\"]\\\"\"][c] it's", "it's", kAbsolute, "node-07", -1},
    {kSyslog, "<34>1 - - su - - - text", "text", kNone, "", -1},
    {kSyslog, "docker: Error response from daemon", "docker: Error response from daemon", kNone, "", -1},
    {kSyslog, "{\"level\":\"warn\",\"ts\":\"2025-01-28T06:47:16Z\"}", "{\"level\":\"warn\",\"ts\":\"2025-01-28T06:47:16Z\"}", kNone, "", -1},
    // journald as JSON
    {kJournald, R"({"__REALTIME_TIMESTAMP":"1779093065123456","_HOSTNAME":"node-07","_TRANSPORT":"kernel","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"NVRM: Xid"})", "NVRM: Xid", kAbsolute, "node-07", -1},
    {kJournald, R"({"__REALTIME_TIMESTAMP":"1779093065123456","SYSLOG_IDENTIFIER":"systemd","_PID":"1","MESSAGE":[83,116,111,112]})", "systemd[1]: Stop", kAbsolute, "", -1},
    {kJournald, "Feb 01 14:25:31 host kernel: NVRM: Xid", "NVRM: Xid", kYearLess, "host", -1},
    // Fabric Manager
    {kFabric, "[Jun 28 2023 01:00:00] [ERROR] [tid 3228] failed to start", "failed to start", kLocal, "", -1},
    {kFabric, "nv-fabricmanager[3228]: fabric manager NVIDIA GPU driver", "nv-fabricmanager[3228]: fabric manager NVIDIA GPU driver", kNone, "", -1},
    // Containers
    {kK8s, "2026-05-18T08:31:05.123456789Z stderr F [rank3]: Traceback", "Traceback", kAbsolute, "", 3},
    {kApp, "2026-05-18T08:31:05.123456789Z hello", "hello", kAbsolute, "", -1},
    {kApp, R"({"log":"[rank1]: boom\n","stream":"stderr","time":"2026-05-18T08:31:05.1Z"})", "boom", kAbsolute, "", 1},
    {kK8s, "4m11s       Warning   Evicted   pod/egg-0    The node was low", "4m11s       Warning   Evicted   pod/egg-0    The node was low", kNone, "", -1},
    {kK8s, "I1025 02:19:08.002792       1 health.go:151] Skipping", "I1025 02:19:08.002792       1 health.go:151] Skipping", kYearLess, "", -1},
    // Launchers
    {kApp, "[rank17]:[E518 12:41:06.010223 ProcessGroupNCCL.cpp:632] [Rank 17] Watchdog", "[E518 12:41:06.010223 ProcessGroupNCCL.cpp:632] [Rank 17] Watchdog", kYearLess, "", 17},
    {kApp, "[rank3]: Traceback (most recent call last):", "Traceback (most recent call last):", kNone, "", 3},
    {kApp, "12: [rank96]: Traceback", "Traceback", kNone, "", 96},
    {kApp, "[1,3]<stderr>: boom", "boom", kNone, "", 3},
    {kApp, "[2023-08-31 09:00:00,114] [INFO] [utils.py:785] used", "[2023-08-31 09:00:00,114] [INFO] [utils.py:785] used", kLocal, "", -1},
    {kApp, "2024-05-07 15:51:09,140 - root - INFO - Starting", "2024-05-07 15:51:09,140 - root - INFO - Starting", kLocal, "", -1},
    {kApp, "submitit WARNING (2022-08-12 02:06:11,453) - Caught", "submitit WARNING (2022-08-12 02:06:11,453) - Caught", kLocal, "", -1},
    {kApp, "(WorkerDict pid=9) [rank5]:[E808 02:10:00.114000000 x.cpp:632] boom", "(WorkerDict pid=9) [rank5]:[E808 02:10:00.114000000 x.cpp:632] boom", kNone, "", 5},
    {kApp, "\x1B[36m(Worker pid=9)\x1B[0m hello", "(Worker pid=9) hello", kNone, "", -1},
    {kApp, "node-a:21840:22160 [3] misc/socket.cc:484 NCCL WARN x", "node-a:21840:22160 [3] misc/socket.cc:484 NCCL WARN x", kNone, "", -1},
    {kApp, "May 18 08:31:05 my notes: keep this", "May 18 08:31:05 my notes: keep this", kNone, "", -1},
    {kMetric, "[default7]: iteration   42780/ 115311", "iteration   42780/ 115311", kNone, "", -1},
    {kMetric, "3: not a task label", "3: not a task label", kNone, "", -1},
    // Slurm
    {kSlurm, "[2022-08-12T02:06:12.123] error: Node node-01 not responding", "error: Node node-01 not responding", kLocal, "", -1},
    {kSlurm, "0: node-02", "node-02", kNone, "", -1},
    {kSlurm, "salloc: error: Node failure on node-01", "salloc: error: Node failure on node-01", kNone, "", -1},
    {kSlurm, "slurmstepd-node001: error: *** STEP 2.0 ON node001 CANCELLED AT 2026-11-29T18:53:18 ***", "slurmstepd-node001: error: *** STEP 2.0 ON node001 CANCELLED AT 2026-11-29T18:53:18 ***", kLocal, "node001", -1},
    {kApp, "srun: error: node003: task 2: Exited with exit code 1", "srun: error: node003: task 2: Exited with exit code 1", kNone, "", -1},
};
// clang-format on

void check_front(SourceKind kind, const std::string& line, bool rank_given) {
  CAPTURE(line);
  CAPTURE(model::word(kind));
  Draft d;
  d.observation.source = kind;
  d.observation.message = line;
  if (rank_given) d.observation.rank = 7;
  frame(&d);
  const MayBeStamped may = may_be_stamped(line, kind, rank_given);
  if (d.stamp) CHECK(may != MayBeStamped::No);
  if (d.stamp && may == MayBeStamped::WithNode) CHECK(!d.observation.node.empty());
  const auto labels = labels_in_front(line, kind, rank_given);
  if (!labels || rank_given) return;
  CHECK(labels->rank == d.observation.rank);
  CHECK(labels->label_kind == d.label_kind);
  CHECK(labels->label == d.label);
}

TEST_CASE("what a line's first bytes tell is what its framing finds") {
  constexpr std::string_view kFronts[] = {"", " ", "\t", "[rank3]: ", "3: ", "12: [rank9]:", "[1,3]<stdout>:",
                                          "[default7]:", "(Worker pid=9) [rank5]: ", "May 18 08:31:05 "};
  for (const SourceKind kind : {kApp, kSlurm, kK8s, kMetric, kSyslog}) {
    for (const Case& each : kCases) {
      for (const std::string_view front : kFronts) {
        const std::string line = std::string(front) + each.line;
        for (const bool rank_given : {false, true}) check_front(kind, line, rank_given);
        // Colours anywhere in its front.
        for (std::size_t at = 0; at <= std::min<std::size_t>(line.size(), 40); ++at)
          check_front(kind, line.substr(0, at) + "\x1B[0m" + line.substr(at), false);
      }
    }
  }
}

TEST_CASE("of most lines the first bytes tell that they have no stamp") {
  for (const char* line :
       {"node-1:23432:23433 [0] NCCL INFO comm 0x5: 12:345", "INFO:root: at 8:31:05", "    batch-generator: (1, 2)",
        "Training: 81%|######  | 1204/500000", "[rank3]: Traceback (most recent call last):",
        "May 18 08:31:05 my notes: keep this"}) {
    CHECK_MESSAGE(may_be_stamped(line, kApp, false) == MayBeStamped::No, line);
    CHECK(labels_in_front(line, kApp, false).has_value());
  }
  CHECK(may_be_stamped("Aug 26 15:27:32 node-01 kernel: [87430.9] NVRM: Xid", kApp, false) ==
        MayBeStamped::WithNode);
}

TEST_CASE("each form is taken off, and what it says is kept") {
  for (const Case& each : kCases) {
    CAPTURE(each.line);
    const Draft d = framed(each.kind, each.line);
    CHECK(d.observation.message == each.body);
    CHECK(d.stamp.has_value() == each.stamp.has_value());
    if (d.stamp && each.stamp) CHECK(d.stamp->form == *each.stamp);
    CHECK(d.observation.node == each.node);
    CHECK((d.observation.rank ? static_cast<int>(*d.observation.rank) : -1) == each.rank);
  }
}

SourceMask speaks(SourceKind kind, const std::string& line) {
  return framed(kind, line).observation.speaks;
}

template <typename... Kinds>
SourceMask mask(Kinds... kinds) {
  return static_cast<SourceMask>((source_bit(kinds) | ...));
}

TEST_CASE("no line speaks for a kind that its log may not speak for") {
  for (std::size_t i = 0; i < model::words<SourceKind>().size(); ++i) {
    const auto kind = static_cast<SourceKind>(i);
    for (const Case& each : kCases) {
      const SourceMask speaks = framed(kind, each.line).observation.speaks;
      CHECK_MESSAGE((speaks & ~may_speak_for(kind)) == 0, model::word(kind), " ", each.line);
    }
  }
}

TEST_CASE("a line speaks for all whose words it is") {
  CHECK(speaks(kKernel, "[ 1.5] NVRM: Xid") == mask(kKernel));
  CHECK(speaks(kSyslog, "Feb  1 14:25:31 host kernel: usb 1-1: x") == mask(kSyslog, kKernel));
  CHECK(speaks(kSyslog, "NVRM: Xid (PCI:0000:04:00): 79") == mask(kSyslog, kKernel));
  CHECK(speaks(kSyslog, "Feb  1 14:25:31 host cron[1]: x") == mask(kSyslog));
  CHECK(speaks(kSyslog, "Feb  1 14:25:31 host nv-fabricmanager[1]: x") == mask(kSyslog, kFabric));
  CHECK(speaks(kJournald, R"({"_TRANSPORT":"kernel","MESSAGE":"x","__REALTIME_TIMESTAMP":"1"})") ==
        mask(kJournald, kKernel));
  CHECK(speaks(kApp, "[ 412.5] NVRM: Xid") == mask(kApp, kKernel));
  CHECK(speaks(kApp, "Feb  1 14:25:31 host kernel: [ 412.5] NVRM: Xid") == mask(kApp, kKernel));
  CHECK(speaks(kApp, "slurmstepd: error: Detected 1 oom_kill event") == mask(kApp, kSlurm));
  CHECK(speaks(kApp, "3: srun: error: x") == mask(kApp, kSlurm));
  CHECK(speaks(kApp, "plain") == mask(kApp));
  CHECK(speaks(kSlurm, "ValueError: bad config") == mask(kSlurm, kApp));
  CHECK(speaks(kSlurm, "srun: error: x") == mask(kSlurm));
  CHECK(speaks(kSlurm, "[2022-08-12T02:06:12.123] error: x") == mask(kSlurm));
  CHECK(speaks(kK8s, "Normal   Killing   109s  kubelet   Stopping") == mask(kK8s));
  CHECK(speaks(kK8s, "2026-05-18T08:31:05.1Z stdout F boom") == mask(kK8s, kApp));
  CHECK(speaks(kK8s, "[rank3]: boom") == mask(kK8s, kApp));
  CHECK(speaks(kMetric, "[default7]: iteration") == mask(kMetric, kApp));
}

TEST_CASE("what the observation says itself stands over its frame") {
  Draft d;
  d.observation.source = kSyslog;
  d.observation.node = "given";
  d.observation.rank = 9;
  d.stamp = read_stamp("2026-05-18T08:31:05Z");
  d.observation.message = "Feb  1 14:25:31 host kernel: NVRM: Xid";
  const auto stamp = d.stamp;
  frame(&d);
  CHECK(d.observation.node == "given");
  CHECK(d.observation.rank == 9U);
  CHECK(d.stamp == stamp);
  CHECK(d.observation.message == "NVRM: Xid");
}

TEST_CASE("a file of one rank has no task labels") {
  Draft d;
  d.observation.rank = 9;
  d.observation.message = "404: not found";
  frame(&d);
  CHECK(d.observation.message == "404: not found");
}

TEST_CASE("prefix and body are the line") {
  for (const Case& each : kCases) {
    const Draft d = framed(each.kind, each.line);
    const std::string line = each.line;
    CHECK((d.prefix == line || d.prefix.str() + d.observation.message == line));
  }
}

TEST_CASE("a message is cut at a character, and what was cut off still tells lines apart") {
  std::string line(kMaxMatchBytes - 1, 'x');
  line += "\xC3\xA4 and more";
  const Draft d = framed(kApp, line);
  CHECK(d.truncated);
  CHECK(d.observation.message == std::string(kMaxMatchBytes - 1, 'x'));
  CHECK(framed(kApp, line).prefix == d.prefix);
  CHECK(framed(kApp, line + "!").prefix != d.prefix);
  CHECK_FALSE(framed(kApp, std::string(kMaxMatchBytes, 'x')).truncated);
}

TEST_CASE("what is seen of a line without taking it apart is what taking it apart gives") {
  constexpr std::array<const char*, 12> kBodies = {
      "gpu-a00-001:20000:20001 [3] NCCL INFO ncclCommInitRank comm 0x1", "NVRM: Xid (PCI:0000:04:00): 79",
      "mlx5_core 0000:4c:00.0: link down", "srun: error: n7: task 3: Killed", "slurmstepd-n9: error: it ended",
      "(Worker pid=1, ip=10.0.0.1) [rank5]: it fails", "Epoch 0:  12%|###", "iteration 7 of 9", "kern  :err  : bad",
      "May be it is well", "", "W0518 08:31:05.123456 77 file.cc:9] late"};
  std::size_t peeked = 0, plain = 0;
  for (const Case& each : kCases) {
    const std::string front = framed(each.kind, each.line).prefix.str();
    for (const char* body : kBodies) {
      for (const std::string& line : {std::string(each.line), front + body, std::string(body), " " + std::string(body)}) {
        for (const SourceKind kind : {kKernel, kSyslog, kJournald, kApp, kSlurm, kK8s, kFabric}) {
          CAPTURE(line);
          const Draft d = framed(kind, line);
          const auto seen = peek(line, kind, false, false);
          if (begins_plainly(line, kind)) {
            ++plain;
            CHECK(d.prefix.empty());
            CHECK_FALSE(d.stamp);
            CHECK_FALSE((d.observation.rank || d.label_kind != LabelKind::None));
            CHECK(d.observation.node.empty());
          }
          if (!seen) continue;
          ++peeked;
          CHECK(line.substr(seen->body) == d.observation.message);
          CHECK(seen->speaks == d.observation.speaks);
          CHECK(seen->frame.node == d.observation.node);
          CHECK(seen->frame.rank == d.observation.rank);
          CHECK(seen->frame.label_kind == d.label_kind);
        }
      }
    }
  }
  CHECK(peeked > 2000);
  CHECK(plain > 500);
}

TEST_CASE("any prefix of a framed line is read without harm") {
  for (const Case& each : kCases) {
    const std::string line = each.line;
    for (std::size_t n = 0; n <= line.size(); ++n) {
      for (const SourceKind kind :
           {kKernel, kSyslog, kJournald, kApp, kSlurm, kK8s, kMetric, kFabric}) {
        const Draft d = framed(kind, line.substr(0, n));
        CHECK(d.observation.message.size() <= line.size() + 64);
      }
    }
  }
}

}  // namespace
}  // namespace attrib::evidence
