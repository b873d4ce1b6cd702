#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verdict/format.h"
#include "verdict/print.h"

namespace attrib::verdict {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json interval(model::Nanos lo, model::Nanos hi) { return Json::array({rfc3339(lo), rfc3339(hi)}); }
Json moment(const model::Moment& m) { return m.known ? interval(m.lo, m.hi) : Json(nullptr); }
Json point(const model::Moment& m) { return m.known ? Json(rfc3339(stamp(m))) : Json(nullptr); }

Json entity(const EntityRef& e) {
  // The attempt and the job have no name of their own, so theirs is null too.
  return {{"kind", model::word(e.kind)}, {"id", e.id.empty() ? Json(nullptr) : Json(e.id)}};
}

// Numbers stay numbers; what would lose something as one (bit words, decimals) or needs its unit is
// text.
Json field_value(const NamedField& field) {
  const model::Constant& v = field.value;
  switch (v.kind) {
    case model::ValueKind::Int:
      if (field.reader == model::Reader::Bits32) return model::to_text(v, field.reader);
      return v.number;
    case model::ValueKind::Truth:
      return v.number == 1 ? Json(nullptr) : Json(v.number == 2);
    case model::ValueKind::String:
      return v.text;
    default:
      return model::to_text(v, field.reader);
  }
}

Json fields(const Symptom& s) {
  Json out = Json::object();
  for (const NamedField& field : s.fields) out[field.name] = field_value(field);
  return out;
}

Json evidence(const Symptom& s) {
  Json out = Json::array();
  for (const std::string& id : s.evidence) out.push_back(id);
  for (const AbsentEvidence& a : s.absences) {
    out.push_back({{"absent", a.absent},
                   {"of", a.of},
                   {"during", interval(a.from, a.to)},
                   {"coverage", a.covered ? "covered" : "not covered"}});
  }
  return out;
}

void put_place(Json& out, const Symptom& s) {
  out["entity"] = entity(s.entity);
  out["node"] = or_null(s.node);
  out["rank"] = or_null(s.rank);
  out["gpu"] = or_null(s.gpu);
}

void put_fold(Json& out, const Symptom& s) {
  if (s.folded <= 1) return;
  out["folded"] = s.folded;
  out["ranks"] = rank_ranges(s.ranks);
  out["nodes"] = {{"total", s.nodes_total}, {"list", s.nodes}};
}

Json cause(const Verdict& v, std::uint32_t index) {
  const Symptom& s = v.symptoms.at(index);
  Json out = {{"symptom", s.symptom},
              {"title", title_of(s)},
              {"domain", model::word(s.domain)},
              {"confidence", model::word(s.confidence)}};
  put_place(out, s);
  out["fields"] = fields(s);
  out["begin"] = moment(s.begin);
  out["first"] = point(s.begin);
  out["last"] = point(s.last);
  out["count"] = s.count;
  put_fold(out, s);
  out["evidence"] = evidence(s);
  if (s.evidence_truncated) out["evidence_truncated"] = true;
  out["rule"] = s.proof.rule;
  out["action"] = s.action;
  out["owner"] = s.owner;
  out["retry"] = model::word(s.retry);
  out["index"] = index;
  return out;
}

Json demotions(const Symptom& s, bool explain) {
  Json out = Json::array();
  for (const Demotion& d : s.demoted_by) {
    Json item = {{"cause", d.cause},
                 {"rule", d.rule},
                 {"because", d.because},
                 {"strength", d.strong ? "strong" : "weak"}};
    if (explain) {
      item["margin"] = {{"least_ns", d.margin_lo}, {"most_ns", d.margin_hi}};
    }
    out.push_back(std::move(item));
  }
  return out;
}

Json symptom(const Symptom& s, bool explain) {
  Json out = {{"symptom", s.symptom},
              {"role", to_text(s.state)},
              {"kind", model::word(s.role)},
              {"domain", model::word(s.domain)},
              {"severity", model::word(s.severity)},
              {"confidence", model::word(s.confidence)}};
  put_place(out, s);
  if (!s.fields.empty()) out["fields"] = fields(s);
  out["begin"] = moment(s.begin);
  out["last"] = point(s.last);
  if (s.folded > 1) {  // Of a symptom alone, only root causes say how often it repeated.
    out["count"] = s.folded;
    out["ranks"] = rank_ranges(s.ranks);
    out["nodes"] = {{"total", s.nodes_total}, {"list", s.nodes}};
  }
  out["evidence"] = evidence(s);
  if (s.evidence_truncated) out["evidence_truncated"] = true;
  if (!s.demoted_by.empty()) out["demoted_by"] = demotions(s, explain);
  if (explain) {
    out["proof"] = {
        {"rule", s.proof.rule},
        {"extracts", s.proof.extracts},
        {"table_row", s.proof.table_row.empty() ? Json(nullptr) : Json(s.proof.table_row)},
        {"inputs", s.proof.inputs}};
  }
  return out;
}

Json causes(const Verdict& v) {
  Json out = Json::array();
  for (const std::uint32_t index : v.root_causes) out.push_back(cause(v, index));
  return out;
}

// One item a head member; members of one candidate share its number.
Json alternatives(const Verdict& v) {
  Json out = Json::array();
  for (std::size_t i = 0; i < v.alternatives.size(); ++i) {
    for (const std::uint32_t index : v.alternatives[i].members) {
      Json item = cause(v, index);
      item["candidate"] = i;
      item["why"] = v.alternatives[i].why;
      out.push_back(std::move(item));
    }
  }
  return out;
}

Json where(const Verdict& v) {
  Json out = Json::array();
  for (const WhereItem& item : v.where) {
    out.push_back({{"rank", or_null(item.rank)},
                   {"node", or_null(item.node)},
                   {"gpu", or_null(item.gpu)},
                   {"entity", entity(item.entity)},
                   {"why", item.why},
                   {"evidence", item.evidence}});
  }
  return out;
}

Json coverage(const Verdict& v) {
  Json out = Json::array();
  for (const CoverageItem& item : v.coverage) {
    out.push_back({{"source", model::word(item.source)},
                   {"node", item.node.empty() ? Json(nullptr) : Json(item.node)},
                   {"status", item.status},
                   {"reason", item.reason}});
  }
  return out;
}

void put_ending(Json& out, const Verdict& v) {
  out["outcome"] = model::word(v.outcome);
  Json endings = Json::array();
  for (const Ending& e : v.endings) {
    endings.push_back({{"rule", e.rule}, {"outcome", model::word(e.outcome)}, {"rank", e.rank}});
  }
  out["endings"] = std::move(endings);
  out["status"] = model::word(v.status);
  if (!v.provisional) return;
  out["provisional"] = true;
  Json incomplete = Json::array();
  for (const Incomplete& i : v.incomplete) {
    incomplete.push_back({{"rule", i.rule}, {"factor", i.factor}, {"limit", i.limit}});
  }
  out["incomplete"] = std::move(incomplete);
}

Json program(const Verdict& v, bool mask_digest) {
  Json packs = Json::object();
  for (const auto& [name, version] : v.packs) packs[name] = version;
  return {{"packs", std::move(packs)},
          {"digest", mask_digest ? std::string("sha256:masked") : v.program_digest},
          {"overrides", Json::array()}};
}

Json suspects(const Verdict& v) {
  Json out = Json::array();
  for (const EntityRef& e : v.suspects) out.push_back(entity(e));
  return out;
}

}  // namespace

std::string to_json(const Verdict& v, const JsonOptions& options) {
  Json out = {{"schema", "attrib.verdict/1"},
              {"workload",
               {{"id", v.workload_id.empty() ? Json(nullptr) : Json(v.workload_id)},
                {"attempt", or_null(v.attempt)}}},
              {"program", program(v, options.mask_digest)}};
  put_ending(out, v);
  out["domain"] = model::word(v.domain);
  const bool attributed = v.status == model::VerdictStatus::Attributed && v.confidence;
  out["confidence"] = attributed ? Json(model::word(*v.confidence)) : Json(nullptr);
  out["summary"] = v.summary;
  out["root_causes"] = causes(v);
  out["affected_nodes"] = v.affected_nodes;
  Json symptoms = Json::array();
  for (const Symptom& s : v.symptoms) symptoms.push_back(symptom(s, options.explain));
  out["symptoms"] = std::move(symptoms);
  out["alternatives"] = alternatives(v);
  out["suspects"] = suspects(v);
  out["where"] = where(v);
  out["reports"] = v.reports;
  out["ask"] = v.ask;
  out["coverage"] = coverage(v);
  out["advice"] = {{"retry", model::word(v.retry)}, {"exclude_nodes", v.exclude_nodes}};
  Json counters = Json::object();
  for (const auto& [name, value] : v.counters) counters[name] = value;
  out["counters"] = std::move(counters);
  // Texts are valid UTF-8 when they come from the evidence readers; a caller's own may not be.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attrib::verdict
