#pragma once

// A file that uses every construct, for tests that must see them all.

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/diagnostics_render.h"
#include "dsl/parse.h"

namespace attrib::dsl {

constexpr std::string_view kEveryConstruct = R"rules(
pack vendor.sample 1.4.0-rc.1      # a comment
language 1
use core.job, core.gpu,
    core.nccl

event Xid on Gpu {
  code  u16
  unit  word?   level (Fatal | Nonfatal)?
  match u8      # a clause word of another block
}
event StepDone on Rank { step u64?  progress }

extract xid from kernel, syslog or journald as Xid {
  line   "NVRM: Xid (PCI:{gpu}): {code}{?, {...}?}"
  line   start "Xid \{literal\} {{braces}} \x41\t{code}"
  line   "first {code}" next "second" next start "third" within 5 lines slow "short"
  regex  "Xid (?P<code>\\d+)" slow "shown"
  where  code > 0 and not (code == 3 or code == 4)
  where  has unit
  set    level = "Fatal"
  set    match = -3 + 0x10
  at     node
  begin  seen - 60s .. seen - 4s
  family kernel
  sample "NVRM: \"quoted\"" gives { code: 79, gpu: "0000:04:00", nested: { a: [1, 2], "odd key": -1 }, }
  sample "first 1" next "second" next "third"
  reject "other"
}
extract step from app as StepDone {
  line   "step {step} of"
  keep   last
  sample "step 4 of 9"
}
extract entered from app as Entered {
  line   "entered {comm} of {size:u32}"
  keep   first by comm, size
  sample "entered a of 9"
}
extract remap from metric as RowRemap {
  where name == "X" and value rises and value > 1.5
  sample { name: "X", value: 1, labels: { gpu: "4" } } gives { gpu_index: "4" }
  reject { name: "Y" }
}
extract node_fail from slurm or k8s record as SlurmState { where record("State") in ["NODE_FAIL", "DOWN"]  begin seen - 1m }
extract addr from any learn address a of node { line "address {a:addr} is here" }
extract placed from app learn place rank on node gpu busid { line "rank {rank:u32} {busid:pci}" }
extract placed_only from app learn place rank on node { line "rank {rank:u32} is here" }
extract size from app learn world n { line "world size {n:u32}" }
extract member from app learn member rank of comm { line "rank in {comm:word}" }
extract alias from app learn alias name of node { line "alias {name:word}" }

symptom nvlink.fault on Node | Gpu {
  gpu    Gpu
  link   i16?
  role   origin
  domain nvlink
  title  "a fault"
  blame  self
  key    gpu, link
  quiet  3m
  severity critical
  owner  "fabric"
  action "Reset."
  retry  other_nodes
  tags   [nvlink, fabric]
  references "https://a", "https://b"
  references "https://c"
  locates
  was    old.name
  deprecated "since 1.2 use it"
}

table t (code u16, unit word, intr ternary32, status u32, odd dec) -> (bucket word, text text?) {
  match unique
  | 149 | NETIR_LINK_EVT | ------000100----------0111000110 | 0 => link.si | "a | b"   # a comment
  | -3  | "quoted"       | 0x03f003ff/0x010001c6            | {1, 2, x} | 1.5 =>  |
  | *   |                | *                                | 3..7 | -2..-1 => other | true
  default => unknown |
}
table csv (code u16) -> (name word) {
  match first
  from  "x.csv" columns (code = xid, name = "Odd Header", plain)
  default => none }

decode si {
  on         x: Xid where x.code == 149 and has x.unit
  lookup     t[x.code, x.unit + 1] as row
  when       row.bucket in [link_si, other]
  when       (x.code + 1) - (x.match - 2) != 0 or starts_with(x.unit, "NE") and not has x.level
  emit       nvlink.fault at x.gpu.node { gpu: x.gpu, fatal: row.severity == fatal } role row.role domain row.domain
             action row.action retry other_nodes blame none severity error title "t" begin x.seen - 1m .. x.seen
  emit       other.fault
  confidence likely
  references "https://a"
}

infer never_entered {
  each       w: nccl.timeout where has w.coll
  each       r: Rank in w.coll.ranks where r != w.rank
  lookup     t[w.code] as row
  absent     n: nccl.enter | nccl.other where n.rank == r and n.coll == w.coll during w.begin - 1h..w.seen covered by flight_recorder or app of r
  absent     m: nccl.enter during w.begin..w.seen covered by app
  when       count of v: nccl.timeout where v.coll == w.coll >= 2
  when       (count of v: nccl.timeout) < 3 and (least v.seq of v: nccl.enter where v.rank in r.node.ranks over w.coll.ranks) == 4
  when       odd v.seq of v: nccl.enter over w.coll.ranks
  when       (count distinct v.rank of v: a.b | a.c) + bursts(w, 24h) > 95%
  when       w.tags has fatal or w.tags has "other tag" or solo(w, 24h) == true
  emit       rank.never at r { coll: w.coll }
  unknown    emit rank.no_evidence at r
  unsure     emit rank.unsure at r { }
  uncovered  emit rank.uncovered at r begin w.seen
  confidence possible
  references "https://a"
}

demote waits {
  param   slack = 60s range 0s..30m
  param   plain = 64MiB
  cause   c: nvlink.fault | any where c.tags has fatal
  effect  e: nccl.timeout
  where   e.rank in c.node.comm_ranks
  where   fatal_code(e.code)
  within  -slack..e.timeout + 5m from c.begin to e.begin
  because "why"
  of job
  references "https://a", "https://b"
  references "https://c"
}

outcome limit {
  on    t: slurm.limit of attempt where t.code == 1
  when  t.word == "TIMEOUT"
  gives timed_out
  rank  40
  references "https://a"
  emit  job.ended { word: "TIMEOUT" }
}

ambiguous unrelated {
  among   a, b: root of job
  when    tied(a, b) and not related(a, b)
  verdict undecided
  report  "Both fit: {a} and {b}, \{not a hole\}."
  ask     "Compare {a.node}."
  ask     "And {b.node}."
  references "https://a"
}

let fatal_code(c: u16, w: (A | B)?) = c in [48, 79, 95]
  or w == A
let no_params() = true

override vendor.sample.waits { set window = 300s  reason "in { a text" # and } a comment
  nested { deeper { } } }

test "a \"title\"" {
  job    { world: 16, nodes: ["n1", "n2"], state: "FAILED", end: 700s }
  place  rank 3 on "n1" gpu "0000:04:00"
  place  rank 4 on "n2"
  clock  "n1" offset -180ms error 250ms
  clock  "n2" offset 1500us
  source kernel of "n1" status failed covers 0s..700s
  source app of rank 3 on "n1" covers -1s..10m
  source slurm
  log    kernel of "n1" {
    0s    "a line" => xid { code: 149 } => vendor.sample.other
    1500ms "a loud line" => nothing
    -5s   "early"
  }
  log    app of rank 3 { 7ns "x" }
  record slurm { 700s { State: "NODE_FAIL" } => node_fail }
  metric of "n1" { 10s { name: "X", value: 1, labels: { gpu: "4" } } => nothing }
  expect root nvlink.fault at "n1" { link: 8 } confidence possible
  expect roots include nvlink.fault at gpu "0000:04:00"
  expect demoted nccl.timeout at rank 3 by waits
  expect symptom rank.never at attempt { a: 1 } role relay confidence hint
  expect no nccl.timeout
  expect no other.thing at rank 4
  expect status attributed
  expect outcome failed
  expect domain nvlink
  expect affected ["n1", "n2"]
  expect exclude []
  expect ambiguous between a.b, c.d
  expect ambiguous
  expect no ambiguous
  expect unattributed
  expect ask "Compare"
}
)rules";

inline std::string read_page(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Parsed {
  SourceMap sources;
  DiagnosticSink sink;
  File file;
  [[nodiscard]] std::string report() const { return render_diagnostics(sink, sources, false); }
};

inline Parsed parse_text(std::string_view text) {
  Parsed parsed;
  const SourceId id = parsed.sources.add("t.rules", std::string(text));
  parsed.file = parse(parsed.sources, id, parsed.sink);
  return parsed;
}

// The only declaration of `text`, as a T.
template <typename T>
T parse_one(std::string_view text) {
  Parsed parsed = parse_text(text);
  ATTRIB_CHECK(parsed.report().empty() && parsed.file.decls.size() == 1, parsed.report());
  return std::get<T>(std::move(parsed.file.decls.front()));
}

}  // namespace attrib::dsl
