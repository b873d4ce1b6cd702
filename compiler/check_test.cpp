#include "compiler/check.h"

#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

constexpr const char* kWhole = R"(
decode gpu_fault {
  on         x: Xid where x.code == 149 and has x.unit
  when       x.unit == "NETIR"
  emit       gpu.fault at x.gpu.node { gpu: x.gpu, code: x.code, link: x.link, fatal: x.code in [48, 149] }
  confidence likely
}
extract watchdog from app as Watchdog {
  line "Watchdog caught collective: comm={comm:word} seq={seq} Timeout(ms)={timeout}) ran for {ran_for:ms} milliseconds"
  set coll = collective(comm, seq)
  begin seen - ran_for
  sample "Watchdog caught collective: comm=a seq=7 Timeout(ms)=600000) ran for 600028 milliseconds" gives { seq: 7, timeout: 600s, coll: "a/7" }
}
decode timeout {
  on   w: Watchdog
  emit nccl.timeout at w.rank { coll: w.coll, timeout: w.timeout }
}
demote waits {
  param   slack = 60s range 0s..30m
  cause   c: gpu.fault
  effect  e: nccl.timeout
  where   e.rank in c.node.comm_ranks
  within  -slack..e.timeout + 5m from c.begin to e.begin
  because "waits"
}
symptom rank.never_entered on Rank { coll Collective  role origin  domain application }
infer never {
  each    w: nccl.timeout where has w.coll
  each    r: Rank in w.coll.ranks
  absent  n: nccl.timeout where n.rank == r during w.begin - 1h .. w.seen covered by flight_recorder or app of r
  when    count of v: nccl.timeout where v.coll == w.coll and has v.coll >= 2
  emit    rank.never_entered at r { coll: w.coll }
}
decode ended {
  on   s: JobState where has s.state
  emit job.ended at s.entity { state: s.state }
}
outcome failed {
  on e: job.ended where has e.state
  when e.state == "FAILED"
  gives failed
  rank 10
}
ambiguous unrelated {
  among   a, b: root of job
  when    tied(a, b) and not related(a, b)
  verdict undecided
  report  "Two: {a} and {b}."
  ask     "Compare {a.node} with {b.node}."
}
)";

TEST_CASE("a pack with every kind of rule is accepted") { expect_good(basics() + kWhole); }

TEST_CASE("the module does not depend on the order of files") {
  const std::string head = "pack t 1.0.0\nlanguage 1\n";
  Checked one, two;
  check_files(&one, {{"a.rules", head + basics()}, {"b.rules", head + kWhole}});
  check_files(&two, {{"b.rules", head + kWhole}, {"a.rules", head + basics()}});
  REQUIRE(one.module);
  REQUIRE(two.module);
  CHECK(to_text(*one.module) == to_text(*two.module));
}

}  // namespace
}  // namespace attrib::compiler
