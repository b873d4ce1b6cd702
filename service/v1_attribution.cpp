#include "service/v1_attribution.h"

#include <algorithm>

#include "service/json.h"
#include "verdict/format.h"

namespace attrib::service {
namespace {

using verdict::Symptom;
using verdict::Verdict;

bool is_on(const Symptom& symptom, const std::string& node) {
  if (symptom.node == node) return true;
  if (symptom.entity.kind == model::EntityKind::Node && symptom.entity.id == node) return true;
  return std::find(symptom.nodes.begin(), symptom.nodes.end(), node) != symptom.nodes.end();
}

// Of an attributed verdict its root causes, of an ambiguous one the heads of the tied candidates.
std::vector<std::uint32_t> accusing(const Verdict& verdict) {
  std::vector<std::uint32_t> out = verdict.root_causes;
  if (verdict.status == model::VerdictStatus::Ambiguous) {
    for (const verdict::Candidate& each : verdict.alternatives)
      out.insert(out.end(), each.members.begin(), each.members.end());
  }
  return out;
}

// When it was seen first; of what is only known to lie between two times, both.
void put_first(Json* into, const model::Moment& begin) {
  const bool known = begin.known && begin.lo > -model::kForever && begin.hi < model::kForever;
  (*into)["first"] = known ? Json(verdict::rfc3339(verdict::stamp(begin))) : Json();
  const model::Nanos until = model::sub_nanos(begin.hi, begin.error);
  const bool sharp = until - verdict::stamp(begin) <= model::kSecond;
  (*into)["first_until"] = known && !sharp ? Json(verdict::rfc3339(until)) : Json();
}

Json cause_json(const Symptom& s) {
  Json out;
  out["type"] = "SymptomAttribution";
  out["symptom"] = s.symptom;
  out["domain"] = model::word(s.domain);
  out["confidence"] = model::word(s.confidence);
  out["summary"] = verdict::describe(s);
  out["rule"] = s.proof.rule;
  put_first(&out, s.begin);
  out["count"] = s.count;
  out["gpu"] = s.gpu ? Json(*s.gpu) : Json();
  out["evidence"] = s.evidence;
  return out;
}

// The verdict itself accuses the node; where no single symptom on it does, that is all there is to
// say.
Json whole_json(const Verdict& verdict) {
  Json out;
  out["type"] = "VerdictAttribution";
  out["domain"] = model::word(verdict.domain);
  out["confidence"] = verdict.confidence ? Json(model::word(*verdict.confidence)) : Json();
  out["summary"] = verdict.summary;
  return out;
}

Json node_json(const Verdict& verdict, const std::vector<std::uint32_t>& causes,
               const std::string& node) {
  Json list = Json::array();
  for (const std::uint32_t each : causes) {
    const Symptom& symptom = verdict.symptoms[each];
    if (list.size() < kMaxV1Causes && symptom.accuses && is_on(symptom, node))
      list.push_back(cause_json(symptom));
  }
  if (list.empty()) list.push_back(whole_json(verdict));
  Json out;
  out["type"] = "NodeAttribution";
  out["node"] = node;
  out["attributions"] = std::move(list);
  return out;
}

Json job_json(const Verdict& verdict) {
  Json out;
  out["type"] = "JobAttribution";
  out["outcome"] = model::word(verdict.outcome);
  out["status"] = model::word(verdict.status);
  out["domain"] = model::word(verdict.domain);
  out["confidence"] = verdict.confidence ? Json(model::word(*verdict.confidence)) : Json();
  out["summary"] = verdict.summary;
  out["retry"] = model::word(verdict.retry);
  out["program_digest"] = verdict.program_digest;
  out["accused_nodes"] = verdict.affected_nodes.size();
  return out;
}

}  // namespace

std::string v1_attribution(const Verdict& verdict) {
  const std::vector<std::uint32_t> causes = accusing(verdict);
  Json list = Json::array();
  for (const std::string& node : verdict.affected_nodes) {
    if (list.size() == kMaxV1Nodes) break;
    list.push_back(node_json(verdict, causes, node));
  }
  list.push_back(job_json(verdict));
  Json out;
  out["attributions"] = std::move(list);
  return dumped(out);
}

}  // namespace attrib::service
