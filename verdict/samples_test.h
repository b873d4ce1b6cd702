#pragma once

// A small finished verdict that the printers' tests start from.

#include <string>

#include "verdict/verdict.h"

namespace attrib::verdict::samples {

constexpr model::Nanos kStart = 1'779'091'200 * model::kSecond;  // 2026-05-18T08:00:00Z

inline model::Moment at(model::Nanos offset) {
  return model::moment_at(kStart + offset, 250 * model::kMillisecond);
}

inline Symptom victim(std::int64_t rank, const std::string& node) {
  Symptom s;
  s.symptom = "nccl.watchdog_timeout";
  s.title = "NCCL watchdog time-out";
  s.state = SymptomState::Demoted;
  s.role = model::Role::Victim;
  s.domain = model::Domain::NetworkFabric;
  s.entity = {model::EntityKind::Rank, std::to_string(rank)};
  s.rank = rank;
  s.node = node;
  s.fields = {{"timeout", model::duration_constant(10 * model::kMinute), model::Reader::Ms}};
  s.begin = s.last = at(41 * model::kMinute);
  s.evidence = {"app:" + std::to_string(rank)};
  s.proof.rule = "nccl.watchdog";
  s.proof.extracts = {"nccl.nccl_watchdog"};
  s.demoted_by = {{0, "nccl.behind_nvlink_si", "a failing NVLink keeps a collective from ending",
                   true, 595 * model::kSecond, 596 * model::kSecond}};
  return s;
}

inline Verdict faulty_link() {
  Verdict v;
  v.workload_id = "48213";
  v.attempt = 1;
  v.packs = {{"nvidia.nvlink", "1.4.0"}};
  v.program_digest = "sha256:" + std::string(64, 'a');
  v.outcome = model::Outcome::Failed;
  v.status = model::VerdictStatus::Attributed;
  v.domain = model::Domain::Nvlink;
  v.confidence = model::Band::Likely;
  v.job_end = kStart + 41 * model::kMinute;
  Symptom root;
  root.symptom = "nvlink.signal_integrity";
  root.title = "NVLink signal integrity fault";
  root.state = SymptomState::Root;
  root.role = model::Role::Origin;
  root.domain = model::Domain::Nvlink;
  root.severity = model::Severity::Critical;
  root.confidence = model::Band::Likely;
  root.entity = {model::EntityKind::Node, "node-b"};
  root.node = "node-b";
  root.gpu = "0000:04:00";
  root.fields = {{"link", model::int_constant(8), model::Reader::I16},
                 {"fatal", model::truth_constant(true), model::Reader::Bool},
                 {"intr", model::int_constant(0x4505c6), model::Reader::Bits32}};
  root.begin = root.last = at(31 * model::kMinute + 5 * model::kSecond);
  root.evidence = {"o1"};
  root.proof = {"nvidia.nvlink.nvlink_si", "xid-tables/nvlink5.csv:12", {}, {"nvidia.nvlink.xid"}};
  root.action =
      "Reset the GPU; inspect the link, its cable or cartridge, then run field diagnostics.";
  root.owner = "fabric-oncall";
  root.retry = model::Retry::OtherNodes;
  root.accuses = true;
  v.symptoms = {root, victim(3, "node-a")};
  v.root_causes = {0};
  v.affected_nodes = v.exclude_nodes = {"node-b"};
  v.where = {{std::nullopt,
              "node-b",
              "0000:04:00",
              {model::EntityKind::Node, "node-b"},
              "NVLink signal integrity fault",
              {"o1"}}};
  v.coverage = {{model::SourceKind::Kernel, "node-c", "empty", "no lines in the window"}};
  v.retry = model::Retry::OtherNodes;
  v.counters = {{"lines", 2}, {"events", 2}};
  return v;
}

// The same fault told by every rank of a large job.
inline Verdict large_job(std::int64_t ranks, std::int64_t ranks_per_node) {
  Verdict v = faulty_link();
  v.symptoms.resize(1);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    v.symptoms.push_back(victim(rank, "node-" + std::to_string(10000 + rank / ranks_per_node)));
  }
  return v;
}

inline Verdict tied() {
  Verdict v = faulty_link();
  Symptom other = v.symptoms[0];
  other.symptom = "storage.client_evicted";
  other.title = "Lustre client evicted";
  other.domain = model::Domain::Storage;
  other.entity.id = "node-d";
  other.node = "node-d";
  other.gpu.reset();
  other.fields.clear();
  other.evidence = {"o9"};
  v.symptoms[0].state = other.state = SymptomState::Root;
  v.symptoms.push_back(other);
  v.status = model::VerdictStatus::Ambiguous;
  v.domain = model::Domain::Ambiguous;
  v.confidence.reset();
  v.root_causes.clear();
  v.alternatives = {{{0}, "tied"}, {{2}, "tied"}};
  v.affected_nodes.clear();
  v.exclude_nodes.clear();
  v.retry = model::Retry::Unknown;
  v.suspects = {{model::EntityKind::Node, "node-b"}, {model::EntityKind::Node, "node-d"}};
  v.reports = {"Two unrelated causes fit equally well: A and B."};
  v.ask = {"Compare the NVLink counters of node-b with the storage client log of node-d."};
  return v;
}

}  // namespace attrib::verdict::samples
