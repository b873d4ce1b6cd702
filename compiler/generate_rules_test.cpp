// From rule texts to verified programs; generate_test.cpp looks at the code itself.

#include <algorithm>
#include <set>

#include "compiler/generate.h"
#include "compiler/testing.h"
#include "program/codec.h"
#include "program/opcode.h"
#include "program/verify.h"

namespace attrib::compiler {
namespace {

constexpr const char* kFacts = R"(
event Enter on Rank { coll Collective  at_rank Rank? }
event Remap on Node { gpu_index word?  rising bool? }
event State on Attempt { state word  code i32? }
extract enter from flight_recorder as Enter {
  line   "entered collective {seq:u64}"
  set    coll = collective("default", seq)
  sample "entered collective 42"
}
extract placement from app learn place rank on node gpu busid {
  line   "placement: rank {rank:u32} cudaDev {_:u8} busId {busid:pci}"
  sample "placement: rank 3 cudaDev 1 busId 0000:04:00"
}
extract world from app learn world nranks {
  line   "world_size={nranks:u32}"
  where  not contains(message, "old")
  sample "world_size=16"
}
extract member from app learn member rank of comm {
  line   "member: rank {rank:u32} of {comm:word}"
  sample "member: rank 3 of default"
}
event Left on Communicator { comm Communicator }
extract left from app as Left {
  line   "communicator left: {name:word}"
  set    comm = communicator(name)
  sample "communicator left: a"
}
extract remap from metric as Remap {
  where  name == "REMAP" and value rises and value > 1.5
  set    gpu_index = label("gpu")
  begin  seen - 1m .. seen
  sample { name: "REMAP", value: 2, labels: { gpu: "4" } } gives { gpu_index: "4" }
}
extract state from slurm record as State {
  where  record("State") == "NODE_FAIL" and record("Restarts", u32) < 9
  set    state = record("State")
  sample { State: "NODE_FAIL", Restarts: "2" } gives { state: "NODE_FAIL" }
}
table codes (code u16, bits ternary32) -> (what word, role word, action text?) {
  match unique
  | 149      | 0xff/0x01 => link | origin | "reset"
  | {48, 95} | *         => gpu  | origin |
  | 1..7     | *         => user | victim |
  default => other | note |
}
symptom nccl.enter on Rank { coll Collective  role note }
symptom rank.silent on Rank { coll Collective?  role origin  domain application }
symptom job.over on Attempt { role end }
symptom rank.unknown on Rank { role note }
symptom rank.slowest on Rank { what word?  role victim  domain application }
symptom gpu.pending on Node { role origin  domain gpu }
decode enter { on n: Enter  emit nccl.enter at n.rank { coll: n.coll } }
decode pending { on r: Remap where has r.gpu_index  emit gpu.pending at r.node {} begin r.begin .. r.seen }
decode fault {
  on         x: Xid where x.code != 13 and has x.intr and (not has x.unit or contains(x.unit, "LINK"))
  lookup     codes[x.code, x.intr] as row
  when       row.what in [link, gpu]
  emit       gpu.fault at x.gpu.node { gpu: x.gpu, code: x.code, fatal: row.what == link } role row.role action row.action
  confidence certain
}
decode timeout { on w: Watchdog  emit nccl.timeout at w.rank { coll: w.coll, timeout: w.timeout } }
decode ended { on s: State  emit job.ended at attempt { state: s.state } }
)";

constexpr const char* kRules = R"(
infer silent {
  each     w: nccl.timeout where has w.coll
  each     r: Rank in w.coll.ranks
  absent   n: nccl.enter where n.rank == r and n.coll == w.coll
           during w.begin - 1h .. w.seen
           covered by flight_recorder or app of r
  when     count of v: nccl.timeout where v.coll == w.coll and has v.coll >= 2
  emit     rank.silent at r { coll: w.coll }
  unsure   emit rank.unknown at r {}
  uncovered emit rank.unknown at r {}
  unknown  emit rank.unknown at r {}
}
infer repeated {
  each w: nccl.timeout
  when bursts(w, 24h) > 1 and solo(w, 1h) and w.count >= 1 and not (count distinct v.rank of v: nccl.timeout > 3)
  emit rank.slowest at w.rank {}
}
infer slowest {
  each w: rank.silent where has w.coll
  when least v.timeout of v: nccl.timeout where v.rank == w.rank over w.coll.ranks < 10m
  emit rank.slowest at w.rank {}
}
infer odd_one {
  each w: rank.silent where has w.coll
  when odd v.timeout of v: nccl.timeout where v.rank == w.rank > 1m
  emit rank.slowest at w.rank {}
}
infer entered {
  each e: Enter
  when count of x: Xid where x.node == e.node > 0
  emit rank.slowest at e.rank {}
}
demote waits {
  param   slack = 60s range 0s..30m
  cause   c: gpu.fault
  effect  e: nccl.timeout
  where   e.rank in c.node.comm_ranks
  within  -slack..e.timeout + 5m from c.begin to e.begin
  because "waits"
}
demote fatal {
  cause   c: any where c.tags has fatal
  effect  e: rank.silent | rank.slowest
  where   c.node == e.node
  within  -1h..0s from e.begin to c.begin of job
  because "lists and any"
}
demote everywhere {
  cause   c: any where c.tags has fatal
  effect  e: any where e.role == victim
  within  0s..1m from c.begin to e.begin
  because "any on both sides"
}
demote both_sides {
  cause   c: nccl.timeout
  effect  e: nccl.timeout
  within  0s - c.timeout..e.timeout from c.begin to e.begin
  because "a window that reads both"
}
outcome failed {
  on    e: job.ended where has e.state
  when  e.state == "FAILED"
  gives failed
  rank  10
  emit  job.over at attempt {}
}
ambiguous unrelated {
  among   a, b: root of job
  when    tied(a, b) and not related(a, b)
  verdict undecided
  report  "Two: {a} and {b}."
  ask     "Compare {a.node} with {b.node}."
}
)";

program::Program compiled(const Files& files) {
  Checked checked;
  check_files(&checked, files);
  REQUIRE_MESSAGE(checked.module, checked.report());
  return generate(*checked.module, checked.sources);
}

const std::string kHead = "pack t 1.0.0\nlanguage 1\n";

TEST_CASE("every construct of the language gives code that verifies") {
  const program::Program program = compiled({{"t.rules", kHead + basics() + kFacts + kRules}});
  const auto verified = program::verify(program);
  CHECK_MESSAGE(verified.ok(), verified.error().message);
}

TEST_CASE("files in another order give the same bytes") {
  const Files files = {
      {"a.rules", kHead + basics()}, {"b.rules", kHead + kFacts}, {"c.rules", kHead + kRules}};
  const Files turned = {files[2], files[0], files[1]};
  CHECK(program::encode(compiled(files)) == program::encode(compiled(turned)));
}

TEST_CASE("declarations in another order mean the same program") {
  const auto one = compiled({{"t.rules", kHead + basics() + kFacts + kRules}});
  const auto other = compiled({{"t.rules", kHead + kRules + kFacts + basics()}});
  CHECK(program::digest(one) == program::digest(other));
}

TEST_CASE("the compiler has a use for every instruction") {
  std::set<program::Opcode> used;
  for (const auto& in : compiled({{"t.rules", kHead + basics() + kFacts + kRules}}).code) {
    used.insert(in.op);
  }
  std::string unused;
  for (const program::OpcodeInfo& op : program::opcodes()) {
    if (!used.contains(op.op)) unused += std::string(op.mnemonic) + " ";
  }
  CHECK(unused == "");
}

TEST_CASE("no demotion joins pairs unless its window reads both sides") {
  const auto program = compiled({{"t.rules", kHead + basics() + kFacts + kRules}});
  for (const program::Rule& rule : program.rules) {
    if (rule.kind != program::RuleKind::Demote) continue;
    std::size_t plain = 0, deepest = 0;
    for (std::uint32_t pc = rule.code_begin; pc < rule.code_end; ++pc) {
      const program::Opcode op = program.code[pc].op;
      if (op == program::Opcode::OpenSymptoms || op == program::Opcode::OpenAny) ++plain;
      deepest = std::max(deepest, plain);
      if (op == program::Opcode::Next && plain > 0) --plain;
    }
    CAPTURE(rule.name);
    CHECK(deepest == (rule.name == "t.both_sides" ? 2U : 1U));
  }
}

}  // namespace
}  // namespace attrib::compiler
