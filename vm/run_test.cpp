// Small rules over small jobs, from text to verdict.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "verdict/print.h"
#include "vm/rule_runner.h"

namespace attrib::vm {
namespace {

using model::Band;
using model::SourceKind;
using model::VerdictStatus;
using verdict::SymptomState;
using Lines = std::vector<std::string>;

// A GPU fault that stops ranks, what waits for them, and how the job ends.
const std::string kBasics = R"(
event Xid on Gpu { gpu Gpu  code u16 }
event Waited on Rank { coll Collective?  seq u64? }
event Entered on Rank { coll Collective? }
event Step on Rank { step u64  progress }
event Disk on Node { what text }
extract xid from kernel as Xid {
  line   "NVRM: Xid (PCI:{gpu}): {code}"
  sample "NVRM: Xid (PCI:0000:04:00): 79" gives { code: 79 }
}
extract waited from app as Waited {
  line   "timed out in collective {seq}"
  set    coll = collective("world", seq)
  begin  seen - 60s
  sample "timed out in collective 42"
}
extract entered from app as Entered {
  line   "entered collective {seq:u64}"
  set    coll = collective("world", seq)
  sample "entered collective 42"
}
extract step from app as Step { line "finished step {step}" sample "finished step 7" }
extract disk from kernel as Disk { line "disk trouble: {what}" sample "disk trouble: slow" }
symptom gpu.fault on Gpu | Node { code u16  role origin  domain gpu  retry other_nodes  title "GPU fault" }
symptom disk.fault on Node { what text  role origin  domain storage  locates }
symptom comm.timeout on Rank { coll Collective?  role victim  domain application }
symptom job.ended on Attempt { word word?  role end }
decode gpu_fault { on x: Xid  emit gpu.fault at x.gpu { code: x.code } }
decode disk_fault { on x: Disk  emit disk.fault at x.node { what: x.what } }
decode timeout { on x: Waited  emit comm.timeout at x.rank { coll: x.coll } }
decode ended { on j: JobState where has j.state  emit job.ended at attempt { word: j.state } }
outcome failed { on j: job.ended where has j.word and j.word == "FAILED"  gives failed  rank 10 }
outcome completed { on j: job.ended where has j.word and j.word == "COMPLETED"  gives completed  rank 10 }
)";

const std::string kBlames = R"(
demote waits_for_gpu {
  cause   c: gpu.fault
  effect  e: comm.timeout
  where   e.rank in c.node.comm_ranks
  within  -2m..10m from c.begin to e.begin
  because "a rank that died enters nothing"
}
)";

const std::string kDiskToo = R"(
demote waits_for_disk {
  cause   c: disk.fault
  effect  e: comm.timeout
  where   e.rank in c.node.comm_ranks
  within  -2m..10m from c.begin to e.begin
  because "a rank that reads enters nothing"
}
)";

Job a_job() {
  Job job;
  job.evidence.workload.id = "1";
  job.evidence.workload.state = "FAILED";
  job.evidence.workload.start = 0;
  job.evidence.workload.end = 600 * model::kSecond;
  job.evidence.workload.nodes = {"a", "b"};
  job.evidence.workload.ranks = 16;
  return job;
}

TEST_CASE("a fault explains the waits of its peers and is the root") {
  Job job = a_job();
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.rank_line(9, "b", 170, "timed out in collective 42");
  const RunResult r = run_rules(kBasics + kBlames, job.done());
  CHECK(symptoms_of(r.verdict) == Lines{"root gpu.fault at a/0000:04:00",
                                        "demoted comm.timeout at rank 9", "unexplained job.ended"});
  CHECK(r.verdict.status == VerdictStatus::Attributed);
  CHECK(r.verdict.domain == model::Domain::Gpu);
  CHECK(r.verdict.outcome == model::Outcome::Failed);
  CHECK(r.verdict.confidence == Band::Likely);
  CHECK(r.verdict.affected_nodes == Lines{"a"});
  CHECK(r.verdict.exclude_nodes == Lines{"a"});
  CHECK(r.verdict.retry == model::Retry::OtherNodes);
  CHECK_FALSE(r.verdict.summary.empty());
  CHECK_FALSE(r.verdict.provisional);
  const verdict::Symptom& root = r.verdict.symptoms[r.verdict.root_causes.at(0)];
  CHECK(root.gpu == "0000:04:00");
  CHECK(root.evidence == Lines{"o0"});
  CHECK(root.proof.rule == "t.gpu_fault");
  CHECK(root.proof.extracts == Lines{"t.xid"});
  const verdict::Demotion& d = r.verdict.symptoms[1].demoted_by.at(0);
  CHECK(d.cause == 0);
  CHECK(d.rule == "t.waits_for_gpu");
  CHECK(d.strong);
  CHECK(d.margin_lo < 10 * model::kSecond);
  CHECK(d.margin_hi > 10 * model::kSecond);
}

TEST_CASE("any order of observations gives the same verdict") {
  const auto verdict_of = [](bool turned) {
    Job job = a_job();
    for (int i = 0; i < 20; ++i) {
      const int k = turned ? 19 - i : i;
      job.rank_line(static_cast<std::uint32_t>(k % 16), "b", 170 + k,
                    "timed out in collective " + std::to_string(k % 3));
      job.evidence.observations.back().ids = {"k" + std::to_string(k)};
    }
    job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
    const verdict::Verdict v = run_rules(kBasics + kBlames, job.done()).verdict;
    Lines out = symptoms_of(v);
    for (const verdict::Symptom& s : v.symptoms) {
      out.insert(out.end(), s.evidence.begin(), s.evidence.end());
    }
    return out;
  };
  CHECK(verdict_of(false) == verdict_of(true));
}

TEST_CASE("two causes of two domains that fit equally well are ambiguous and accuse nobody") {
  Job job = a_job();
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.line(SourceKind::Kernel, "b", 100, "disk trouble: slow");
  job.rank_line(9, "b", 170, "timed out in collective 42");
  const std::string ambiguity = R"(
ambiguous two {
  among   a, b: root of job
  when    tied(a, b) and not related(a, b)
  verdict undecided
  report  "Either {a} or {b}."
  ask     "Compare {a.node} with {b.node}."
}
)";
  const RunResult r = run_rules(kBasics + kBlames + kDiskToo + ambiguity, job.done());
  const verdict::Verdict& v = r.verdict;
  CHECK(v.status == VerdictStatus::Ambiguous);
  CHECK(v.domain == model::Domain::Ambiguous);
  CHECK_FALSE(v.confidence);
  CHECK(v.root_causes.empty());
  CHECK(v.alternatives.size() == 2);
  CHECK(v.alternatives.at(0).why == "tied");
  CHECK(v.affected_nodes.empty());
  CHECK(v.exclude_nodes.empty());
  CHECK(v.suspects.size() == 2);
  CHECK(v.reports == Lines{"Either disk.fault at b or gpu.fault at a/0000:04:00."});
  REQUIRE_FALSE(v.ask.empty());
  CHECK(v.ask.back() == "Compare b with a.");
}

TEST_CASE(
    "two causes of one domain are one answer, one band lower, and only shared nodes are accused") {
  Job job = a_job();
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.line(SourceKind::Kernel, "b", 100, "NVRM: Xid (PCI:0000:05:00): 79");
  job.rank_line(9, "b", 170, "timed out in collective 42");
  const verdict::Verdict v = run_rules(kBasics + kBlames, job.done()).verdict;
  CHECK(v.status == VerdictStatus::Attributed);
  CHECK(v.confidence == Band::Possible);
  CHECK(v.root_causes.size() == 2);
  CHECK(v.affected_nodes.empty());
  CHECK(v.suspects == std::vector<verdict::EntityRef>{{model::EntityKind::Node, "a"},
                                                      {model::EntityKind::Node, "b"}});
}

TEST_CASE("progress after a fault means that the job survived it") {
  Job job = a_job();
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.rank_line(3, "b", 110, "finished step 7");
  const verdict::Verdict v = run_rules(kBasics + kBlames, job.done()).verdict;
  CHECK(v.symptoms.at(0).state == SymptomState::Survived);
  CHECK(v.status == VerdictStatus::Unattributed);
}

TEST_CASE("of thousands of steps the last one decides what was survived") {
  Job job = a_job();
  for (int i = 0; i < 3'000; ++i) {
    job.rank_line(3, "b", i * .1, "finished step " + std::to_string(i));
  }
  job.line(SourceKind::Kernel, "a", 298, "NVRM: Xid (PCI:0000:04:00): 78");
  job.line(SourceKind::Kernel, "a", 301, "NVRM: Xid (PCI:0000:04:00): 79");
  job.rank_line(3, "b", 358.5, "timed out in collective 42");
  const verdict::Verdict v = run_rules(kBasics, job.done()).verdict;
  CHECK(symptoms_of(v) == Lines{"survived gpu.fault at a/0000:04:00",
                                "survived comm.timeout at rank 3", "root gpu.fault at a/0000:04:00",
                                "unexplained job.ended"});
}

TEST_CASE("what ended before the job began is history") {
  Job job = a_job();
  job.evidence.workload.start = 200 * model::kSecond;
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  const verdict::Verdict v = run_rules(kBasics + kBlames, job.done()).verdict;
  CHECK(v.symptoms.at(0).state == SymptomState::History);
  CHECK(v.status == VerdictStatus::Unattributed);
}

TEST_CASE("a fault after an unexplained wait is late, and asks name what is missing") {
  Job job = a_job();
  job.rank_line(9, "b", 170, "timed out in collective 42");
  job.line(SourceKind::Kernel, "a", 500, "disk trouble: slow");
  const verdict::Verdict v = run_rules(kBasics + kBlames, job.done()).verdict;
  CHECK(symptoms_of(v) == Lines{"unexplained comm.timeout at rank 9", "late disk.fault at a",
                                "unexplained job.ended"});
  CHECK(v.ask == Lines{"ask for the kernel log of a, b from 1969-12-31T23:51:49.75Z to "
                       "1970-01-01T00:10:01Z: it could show what comm.timeout began with"});
  CHECK(v.where.size() == 1);
  CHECK(v.where.at(0).node == "a");
}

TEST_CASE("a source that covers the window is not asked for") {
  Job job = a_job();
  job.rank_line(9, "b", 170, "timed out in collective 42");
  job.covers(SourceKind::Kernel, "a", -1000, 1000).covers(SourceKind::Kernel, "b", -1000, 1000);
  CHECK(run_rules(kBasics + kBlames, job.done()).verdict.ask.empty());
}

TEST_CASE("a completed job has no failure, whatever it printed") {
  Job job = a_job();
  job.evidence.workload.state = "COMPLETED";
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  const verdict::Verdict v = run_rules(kBasics + kBlames, job.done()).verdict;
  CHECK(v.status == VerdictStatus::NoFailure);
  CHECK(v.domain == model::Domain::None);
  CHECK(v.root_causes.empty());
  CHECK(v.symptoms.at(0).state == SymptomState::Unexplained);
}

TEST_CASE("outcome rules of one rank that disagree leave the outcome unknown") {
  Job job = a_job();
  const std::string other =
      "outcome lost { on j: job.ended where has j.word and j.word == \"FAILED\" gives node_failed "
      "rank 10 }";
  const verdict::Verdict v = run_rules(kBasics + other, job.done()).verdict;
  CHECK(v.outcome == model::Outcome::Unknown);
  CHECK(v.endings.size() == 2);
}

TEST_CASE("an outcome rule may add an end") {
  Job job = a_job();
  const std::string more = R"(
symptom disk.given_up on Attempt { role end }
outcome gave_up { on d: disk.fault  gives failed  rank 5  emit disk.given_up {} }
)";
  job.line(SourceKind::Kernel, "a", 100, "disk trouble: slow");
  const verdict::Verdict v = run_rules(kBasics + more, job.done()).verdict;
  CHECK(symptoms_of(v) ==
        Lines{"root disk.fault at a", "unexplained disk.given_up", "unexplained job.ended"});
  CHECK(v.symptoms.at(1).evidence == Lines{"o0"});
}

TEST_CASE("learned places decide which ranks a node's fault explains") {
  Job job = a_job();
  const std::string placed = R"(
extract placed from app learn place rank on node gpu bus {
  line   "rank {rank:u32} runs on {node:host} bus {bus:pci}"
  sample "rank 3 runs on a bus 0000:04:00"
}
demote own_rank {
  cause   c: gpu.fault
  effect  e: comm.timeout
  where   c.node == e.node
  within  -2m..10m from c.begin to e.begin
  because "its own rank"
}
)";
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.rank_line(3, "", 1, "rank 3 runs on a bus 0000:04:00");
  job.rank_line(4, "", 1, "rank 4 runs on b bus 0000:04:00");
  job.rank_line(3, "", 170, "timed out in collective 42");
  job.rank_line(4, "", 170, "timed out in collective 42");
  const verdict::Verdict v = run_rules(kBasics + placed, job.done()).verdict;
  CHECK(symptoms_of(v) == Lines{"root gpu.fault at a/0000:04:00", "demoted comm.timeout at rank 3",
                                "unexplained comm.timeout at rank 4", "unexplained job.ended"});
  CHECK(v.symptoms.at(1).node == "a");
  CHECK(v.symptoms.at(1).gpu == "0000:04:00");
}

TEST_CASE("contradicting places are counted and leave a weak edge") {
  Job job = a_job();
  const std::string own = R"(
demote own_rank {
  cause   c: gpu.fault
  effect  e: comm.timeout
  where   e.rank in c.node.ranks
  within  -2m..10m from c.begin to e.begin
  because "its own rank"
}
)";
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.rank_line(3, "a", 170, "timed out in collective 42");
  job.rank_line(3, "b", 1, "finished loading");
  const verdict::Verdict v = run_rules(kBasics + own, job.done()).verdict;
  INFO(doctest::toString(symptoms_of(v).at(0) + symptoms_of(v).at(1)));
  CHECK(v.counters.at("contradictions") == 1);
  CHECK(v.counters.at("edges") == 1);
  REQUIRE(v.symptoms.at(1).demoted_by.size() == 1);
  CHECK_FALSE(v.symptoms.at(1).demoted_by.at(0).strong);
  CHECK(v.confidence == Band::Possible);
  CHECK(v.symptoms.at(0).confidence == Band::Possible);
}

const std::string kNeverEntered = R"(
symptom comm.entered on Rank { coll Collective?  role note }
symptom rank.absent on Rank { coll Collective?  role relay  domain application }
symptom rank.unseen on Rank { coll Collective?  role note }
symptom rank.unsure on Rank { coll Collective?  role note }
decode entered { on x: Entered  emit comm.entered at x.rank { coll: x.coll } }
infer never_entered {
  each   w: comm.timeout where has w.coll
  each   r: Rank in w.coll.ranks
  absent n: comm.entered where n.rank == r and has n.coll and n.coll == w.coll
         during w.begin - 1h .. w.seen
         covered by flight_recorder or app of r
  emit   rank.absent at r { coll: w.coll }
  uncovered emit rank.unseen at r { coll: w.coll }
  unsure    emit rank.unsure at r { coll: w.coll }
}
)";

TEST_CASE("absence needs coverage; what is covered is told as evidence") {
  Job job = a_job();
  job.evidence.workload.ranks = 3;
  job.rank_line(0, "a", 170, "timed out in collective 42");
  job.rank_line(0, "a", 50, "entered collective 42");
  job.rank_line(1, "b", 1, "finished loading");
  job.rank_line(2, "b", 1, "finished loading");
  job.covers(SourceKind::App, "b", -4000, 1000);
  const verdict::Verdict v = run_rules(kBasics + kNeverEntered, job.done()).verdict;
  Lines found;
  for (const std::string& s : symptoms_of(v)) {
    if (s.find("rank.") != std::string::npos) found.push_back(s);
  }
  CHECK(found == Lines{"unexplained rank.absent at rank 1", "unexplained rank.absent at rank 2"});
  const auto absent = std::find_if(v.symptoms.begin(), v.symptoms.end(),
                                   [](const auto& s) { return s.symptom == "rank.absent"; });
  REQUIRE(absent->absences.size() == 1);
  CHECK(absent->absences[0].absent == "comm.entered");
  CHECK(absent->absences[0].of == "rank 1");
  CHECK(absent->absences[0].covered);
  CHECK(absent->proof.inputs.size() == 1);
  CHECK(absent->evidence == Lines{"o0"});
  CHECK(absent->node == "b");
}

TEST_CASE("without coverage the missing entry is only unseen") {
  Job job = a_job();
  job.evidence.workload.ranks = 2;
  job.rank_line(0, "a", 170, "timed out in collective 42");
  job.rank_line(0, "a", 50, "entered collective 42");
  const Lines all = symptoms_of(run_rules(kBasics + kNeverEntered, job.done()).verdict);
  CHECK(std::count(all.begin(), all.end(), "note rank.unseen at rank 1") == 1);
  CHECK(std::count(all.begin(), all.end(), "note rank.unseen at rank 0") == 0);
}

TEST_CASE("a possible match makes the absence unsure") {
  Job job = a_job();
  job.evidence.workload.ranks = 1;
  job.rank_line(0, "a", 170, "timed out in collective 42");
  job.rank_line(0, "a", 50, "entered collective 42");
  job.done();
  job.evidence.observations[0].seen.known = false;  // When it entered is not known.
  const Lines all = symptoms_of(run_rules(kBasics + kNeverEntered, job.evidence).verdict);
  CHECK(std::count(all.begin(), all.end(), "note rank.unsure at rank 0") == 1);
}

TEST_CASE("aggregates count what is certain and what is possible") {
  Job job = a_job();
  const std::string rules = R"(
symptom many on Attempt { role note }
symptom spread on Attempt { role note }
infer many_wait { each g: gpu.fault  when count of w: comm.timeout where has w.coll >= 3  emit many at attempt {} }
infer spread_wait { each g: gpu.fault  when count distinct w.coll of w: comm.timeout where has w.coll >= 3  emit spread at attempt {} }
)";
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  for (std::uint32_t r = 0; r < 4; ++r) {
    job.rank_line(r, "b", 170,
                  r == 3 ? "timed out in collective 41" : "timed out in collective 42");
  }
  const Lines all = symptoms_of(run_rules(kBasics + rules, job.done()).verdict);
  CHECK(std::count(all.begin(), all.end(), "note many") == 1);
  CHECK(std::count(all.begin(), all.end(), "note spread") == 0);
}

TEST_CASE("metrics and records make events like lines do") {
  Job job = a_job();
  const std::string rules = R"(
event Hot on Node { }
event Gone on Attempt { state word? }
extract hot from metric as Hot {
  where  name == "TEMPERATURE" and value > 90.5
  sample { name: "TEMPERATURE", value: 91 }
}
extract gone from slurm record as Gone {
  where  record("State") == "NODE_FAIL"
  set    state = record("State")
  sample { State: "NODE_FAIL" } gives { state: "NODE_FAIL" }
}
symptom node.hot on Node { role origin  domain power_cooling }
symptom node.lost on Attempt { role origin  domain scheduler }
decode hot { on x: Hot  emit node.hot at x.node {} }
decode gone { on x: Gone  emit node.lost at attempt {} }
)";
  job.metric("a", 10, "TEMPERATURE", 90.4).metric("a", 20, "TEMPERATURE", 90.6);
  job.record(SourceKind::Slurm, 30, {{"State", "RUNNING"}});
  job.record(SourceKind::Slurm, 40, {{"State", "NODE_FAIL"}});
  const RunResult r = run_rules(kBasics + rules, job.done());
  const Lines all = symptoms_of(r.verdict);
  CHECK(std::count(all.begin(), all.end(), "root node.hot at a") == 1);
  CHECK(std::count(all.begin(), all.end(), "root node.lost") == 1);
  CHECK(r.events.size() == 2);
  CHECK(r.unmatched.size() == 2);
}

TEST_CASE("symptoms of any type can be causes and effects") {
  Job job = a_job();
  const std::string rules = R"(
demote anything {
  cause   c: any where c.role == origin
  effect  e: any where e.role == victim
  within  -2m..10m from c.begin to e.begin
  because "whatever it was"
}
)";
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79");
  job.rank_line(9, "b", 170, "timed out in collective 42");
  CHECK(symptoms_of(run_rules(kBasics + rules, job.done()).verdict).at(1) ==
        "demoted comm.timeout at rank 9");
}

TEST_CASE("a line that repeats is one occurrence with a count") {
  Job job = a_job();
  for (int i = 0; i < 10; ++i) {
    job.line(SourceKind::Kernel, "a", 100 + i, "NVRM: Xid (PCI:0000:04:00): 79");
  }
  const verdict::Verdict v = run_rules(kBasics, job.done()).verdict;
  REQUIRE(v.symptoms.size() == 2);
  CHECK(v.symptoms[0].count == 10);
  CHECK(v.symptoms[0].evidence.size() == 8);
  CHECK(v.symptoms[0].evidence_truncated);
}

TEST_CASE("sources that are not well are listed") {
  Job job = a_job();
  job.covers(SourceKind::Kernel, "a", 0, 1);
  job.covers(SourceKind::App, "a", 0, 1);
  job.evidence.sources[1].status = "failed";
  job.evidence.sources[1].reason = "disk full";
  const verdict::Verdict v = run_rules(kBasics, job.done()).verdict;
  REQUIRE(v.coverage.size() == 1);
  CHECK(v.coverage[0].reason == "disk full");
}

// --- Budgets

bool names(const verdict::Verdict& v, const std::string& rule, const std::string& factor,
           std::uint64_t limit) {
  return v.provisional &&
         std::any_of(v.incomplete.begin(), v.incomplete.end(), [&](const verdict::Incomplete& i) {
           return i.rule == rule && i.factor == factor && i.limit == limit;
         });
}

Job a_busy_job() {
  Job job = a_job();
  for (std::uint32_t i = 0; i < 16; ++i) {
    job.rank_line(i, "b", 170, "timed out in collective 42");
    job.line(
        SourceKind::Kernel, "a", 100,
        "NVRM: Xid (PCI:0000:0" + std::to_string(i % 8) + ":00): " + std::to_string(70 + i / 8));
  }
  return job;
}

TEST_CASE("a run within its budgets is whole") {
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done()).verdict;
  CHECK_FALSE(v.provisional);
  CHECK(v.incomplete.empty());
  CHECK(v.counters.at("edges") == 256);
  CHECK(v.counters.at("edges_capped") == 0);
}

TEST_CASE("a rule that takes too many steps ends and is named") {
  Job job = a_busy_job();
  for (std::uint32_t i = 0; i < 32; ++i) {
    job.line(SourceKind::Kernel, "a", 101,
             "NVRM: Xid (PCI:0000:0" + std::to_string(i % 8) + ":00): " +
                 std::to_string(80 + i / 8));
  }
  RunOptions options;
  options.budget.rule_steps = 700;
  const verdict::Verdict v = run_rules(kBasics + kBlames, job.done(), options).verdict;
  CHECK(names(v, "t.waits_for_gpu", "loop steps", 700));
  CHECK_FALSE(names(v, "t.gpu_fault", "loop steps", 700));
}

TEST_CASE("the steps of all rules together are bounded, and that is told once") {
  RunOptions options;
  options.budget.total_steps = 300;
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done(), options).verdict;
  CHECK(names(v, "total", "loop steps", 300));
  CHECK(v.incomplete.size() == 1);
}

TEST_CASE("the bytes that patterns look at are bounded") {
  RunOptions options;
  options.budget.matched_bytes = 50;
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done(), options).verdict;
  REQUIRE(v.incomplete.size() == 1);
  CHECK(v.incomplete[0].rule == "total");
  CHECK(v.incomplete[0].limit == 50);
}

TEST_CASE("events are bounded") {
  RunOptions options;
  options.budget.events = 5;
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done(), options).verdict;
  REQUIRE(v.provisional);
  CHECK(v.incomplete.at(0).limit == 5);
}

TEST_CASE("symptoms are bounded before they are folded") {
  RunOptions options;
  options.budget.symptoms = 5;
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done(), options).verdict;
  CHECK(names(v, "t.timeout", "symptoms", 5));
}

TEST_CASE("edges are bounded") {
  RunOptions options;
  options.budget.edges = 10;
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done(), options).verdict;
  CHECK(names(v, "t.waits_for_gpu", "edges", 10));
}

TEST_CASE("of the causes of one effect only so many are kept, and what is capped is counted") {
  RunOptions options;
  options.budget.causes_per_effect = 4;
  const verdict::Verdict v = run_rules(kBasics + kBlames, a_busy_job().done(), options).verdict;
  CHECK_FALSE(v.provisional);
  CHECK(v.counters.at("edges") == 16 * 4);
  CHECK(v.counters.at("edges_capped") == 16);
}

TEST_CASE("thousands of waits that explain one another take a bounded number of steps") {
  Job job = a_job();
  job.evidence.workload.ranks = 10'240;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    job.rank_line(i, "b", 170 + i % 10, "timed out in collective 42");
  }
  const std::string rules = R"(
demote each_other {
  cause   c: comm.timeout
  effect  e: comm.timeout
  within  -1m..10m from c.begin to e.begin
  because "who waits lets others wait"
}
)";
  const RunResult r = run_rules(kBasics + rules, job.done());
  CHECK_FALSE(r.verdict.provisional);
  CHECK(r.verdict.counters.at("edges") == 2'000 * 64);
  const auto stats = std::find_if(r.stats.begin(), r.stats.end(),
                                  [](const RuleStats& s) { return s.rule == "t.each_other"; });
  REQUIRE(stats != r.stats.end());
  CHECK(stats->made == 2'000 * 64);
  CHECK(stats->steps < 2'000 * 64 * 20);
}

// A trace is told of every event and pair, so a run that keeps one goes through all of them.
TEST_CASE("events that look alike to a rule and causes that look alike to a relation are asked once") {
  const std::string more = R"(
table words (code u16) -> (told word) {
  match unique
  | 70 => seventy
  | 71 => seventy_one
  default => none
}
symptom gpu.other on Gpu | Node { code u16  role origin  domain gpu }
symptom gpu.named on Gpu | Node { told word  role relay  domain gpu }
decode other { on x: Xid where not (x.code in [70, 71]) and x.code < 76  emit gpu.other at x.gpu { code: x.code } }
decode named {
  on     x: Xid
  lookup words[x.code] as row
  when   row.told != "none"
  emit   gpu.named at x.gpu { told: row.told }
}
decode never { on x: Xid where x.code == 7  emit gpu.other at x.gpu { code: x.code } }
)";
  Job job = a_job();
  for (std::uint32_t i = 0; i < 200; ++i) {
    job.line(SourceKind::Kernel, i % 3 == 0 ? "a" : "b", 100 + i,
             "NVRM: Xid (PCI:0000:0" + std::to_string(i % 8) + ":00): " +
                 std::to_string(70 + i % 9));
    if (i < 24) job.rank_line(i, i % 2 == 0 ? "a" : "b", 320, "timed out in collective 42");
  }
  RunOptions whole;
  whole.trace = true;
  const std::string rules = kBasics + kBlames + more;
  const RunResult each = run_rules(rules, job.done(), whole);
  const RunResult once = run_rules(rules, job.done());
  CHECK(verdict::to_json(once.verdict, {.mask_digest = true, .explain = true}) ==
        verdict::to_json(each.verdict, {.mask_digest = true, .explain = true}));
  const auto of_type = [&](const std::string& type) {
    return std::count_if(once.verdict.symptoms.begin(), once.verdict.symptoms.end(),
                         [&](const verdict::Symptom& s) { return s.symptom == type; });
  };
  CHECK(of_type("gpu.other") > 0);
  CHECK(of_type("gpu.named") > 0);
  CHECK(once.counts.edges > 100);
  const auto steps = [](const RunResult& r, const std::string& rule) {
    return std::find_if(r.stats.begin(), r.stats.end(),
                        [&](const RuleStats& s) { return s.rule == rule; })
        ->steps;
  };
  CHECK(4 * steps(once, "t.never") < steps(each, "t.never"));
}

TEST_CASE("a trace tells each output with its facts, and is kept only if asked for") {
  Job job = a_job();
  job.line(SourceKind::Kernel, "a", 100, "NVRM: Xid (PCI:0000:04:00): 79")
      .rank_line(9, "b", 160, "timed out in collective 42");
  const evidence::Evidence& evidence = job.done();
  CHECK_FALSE(run_rules(kBasics + kBlames, evidence).trace.has_value());
  RunOptions options;
  options.trace = true;
  const RunResult run = run_rules(kBasics + kBlames, evidence, options);
  REQUIRE(run.trace);
  std::map<std::string, std::vector<std::size_t>> facts;  // Numbers of facts, by rule.
  for (const Firing& firing : run.trace->firings) {
    facts[run.stats[firing.rule].rule].push_back(firing.facts.size());
  }
  CHECK(facts["t.gpu_fault"] == std::vector<std::size_t>{1});
  CHECK(facts["t.waits_for_gpu"] == std::vector<std::size_t>{2});
  CHECK(facts["t.failed"] == std::vector<std::size_t>{1});
  CHECK(facts["t.completed"].empty());
  CHECK(run.trace->alternatives.size() == 2);
  CHECK(std::accumulate(run.trace->events.begin(), run.trace->events.end(), 0U) == 3);
  CHECK(run.trace->symptoms.size() == 3);
}

}  // namespace
}  // namespace attrib::vm
