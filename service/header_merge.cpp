#include "service/header_merge.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "evidence/json_header.h"
#include "evidence/json_value.h"
#include "service/json.h"
#include "verdict/format.h"

namespace attrib::service {
namespace {

constexpr std::string_view kSchema = "attrib.evidence/1";

void put(Json* into, const char* name, const std::string& text) {
  if (!text.empty()) (*into)[name] = text;
}
template <typename Number>
void put(Json* into, const char* name, const std::optional<Number>& number) {
  if (number) (*into)[name] = *number;
}
void put_time(Json* into, const char* name, const std::optional<model::Nanos>& time) {
  if (time) (*into)[name] = verdict::rfc3339(*time);
}
void put_length(Json* into, const char* name, const std::optional<model::Nanos>& length) {
  if (!length) return;
  (*into)[name] = fmt::format("{}.{:09}s", *length / model::kSecond, *length % model::kSecond);
}

Json placement_json(const std::vector<evidence::Placement>& placement) {
  Json out = Json::array();
  for (const evidence::Placement& each : placement) {
    Json item;
    item["rank"] = each.rank;
    item["node"] = each.node;
    put(&item, "gpu", each.gpu);
    out.push_back(std::move(item));
  }
  return out;
}

Json workload_json(const evidence::Workload& w) {
  Json out = Json::object();
  put(&out, "id", w.id);
  put(&out, "attempt", w.attempt);
  put(&out, "kind", w.kind);
  put(&out, "name", w.name);
  put(&out, "user", w.user);
  put(&out, "cluster", w.cluster);
  put(&out, "framework", w.framework);
  put(&out, "state", w.state);
  put(&out, "exit_code", w.exit_code);
  put(&out, "signal", w.signal);
  put_time(&out, "start", w.start);
  put_time(&out, "end", w.end);
  if (!w.nodes.empty()) out["nodes"] = w.nodes;
  put(&out, "ranks", w.ranks);
  put(&out, "ranks_per_node", w.ranks_per_node);
  if (!w.placement.empty()) out["placement"] = placement_json(w.placement);
  return out;
}

std::string zone_text(model::Nanos offset) {
  const model::Nanos minutes = std::abs(offset) / model::kMinute;
  return fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

Json source_json(const evidence::SourceDeclaration& source) {
  const evidence::SourceStatus& s = source.status;
  Json out;
  out["kind"] = model::word(s.kind);
  put(&out, "node", s.node);
  put(&out, "rank", s.rank);
  if (s.family) out["family"] = model::word(*s.family);
  put(&out, "status", s.status);
  put(&out, "reason", s.reason);
  if (!s.coverage.empty()) {
    Json list = Json::array();
    for (const evidence::Interval& each : s.coverage)
      list.push_back(Json::array({verdict::rfc3339(each.begin), verdict::rfc3339(each.end)}));
    out["coverage"] = std::move(list);
  }
  put_length(&out, "clock_error", s.clock_error);
  put_length(&out, "lag", s.lag);
  put(&out, "year", source.year);
  if (source.zone_offset) out["tz"] = zone_text(*source.zone_offset);
  put_time(&out, "boot", source.boot);
  return out;
}

Json sources_json(const std::vector<evidence::SourceDeclaration>& sources) {
  Json out = Json::array();
  for (const evidence::SourceDeclaration& each : sources) out.push_back(source_json(each));
  return out;
}

// What is stored: everything that is known, on one line.
std::string stored(const evidence::Header& header, const Json& topology) {
  Json out;
  out["schema"] = kSchema;
  out["workload"] = workload_json(header.workload);
  if (!topology.is_null()) out["topology"] = topology;
  if (!header.sources.empty()) out["sources"] = sources_json(header.sources);
  return compact(out);
}

struct ReadHeader {
  evidence::Header header;
  Json topology;  // Null: none.
};

// An Error names the first field that is wrong.
Result<ReadHeader> read_text(std::string_view text, const char* where) {
  std::size_t escaped = 0;
  const std::string sound = evidence::escape_json_bytes(text, &escaped);
  ATTRIB_TRY(const evidence::JsonValue object, evidence::parse_json(sound));
  std::vector<std::string> problems;
  ReadHeader out;
  ATTRIB_TRY(evidence::Header header, evidence::read_header(object, {}, &problems));
  if (!problems.empty()) return Error{problems.front()};
  header.where = where;
  // Sorts its lists and drops what they hold twice.
  ATTRIB_TRY(out.header, evidence::merge_headers({header}));
  out.header.where = where;
  if (!evidence::ends_in_order(out.header.workload))
    return Error{std::string(evidence::kEndsOutOfOrder)};
  const evidence::JsonValue* topology = object.find("topology");
  if (topology == nullptr || topology->kind == evidence::JsonValue::Kind::Null) return out;
  if (topology->kind != evidence::JsonValue::Kind::Object)
    return Error{"field `topology`: expected an object, got " + evidence::described(*topology)};
  if (const auto whole = parsed(sound); whole && whole->is_object())
    out.topology = whole->value("topology", Json());
  return out;
}

}  // namespace

HeaderTexts header_texts(const evidence::Header& header, std::string_view topology) {
  HeaderTexts out;
  const Json workload = workload_json(header.workload);
  Json kept = topology.empty() ? Json() : parsed(topology).value_or(Json());
  if (!kept.is_object()) kept = Json();
  if (!workload.empty() || !kept.is_null()) {
    evidence::Header only;
    only.workload = header.workload;
    out.workload = stored(only, kept);
  }
  if (!header.sources.empty()) {
    Json sources;
    sources["schema"] = kSchema;
    sources["sources"] = sources_json(header.sources);
    out.sources = compact(sources);
  }
  return out;
}

Result<std::string> merge_header(const std::string& current, const std::string& more) {
  if (more.empty() || current == more) return current;
  ATTRIB_TRY(const ReadHeader one, read_text(current, "the attributor"));
  ATTRIB_TRY(const ReadHeader two, read_text(more, "the body"));
  ATTRIB_TRY(evidence::Header both, evidence::merge_headers({one.header, two.header}));
  if (!evidence::ends_in_order(both.workload))
    return Error{std::string(evidence::kEndsOutOfOrder)};
  const Json& topology = one.topology.is_null() ? two.topology : one.topology;
  if (!two.topology.is_null() && topology != two.topology)
    return Error{"field `topology`: another one than the attributor has"};
  return stored(both, topology);
}

Result<std::string> patch_header(const std::string& current, std::string_view patch) {
  const std::optional<Json> change = parsed(patch);
  if (!change || !change->is_object()) return Error{"expected a JSON object"};
  for (const auto& [name, value] : change->items()) {
    if (name != "schema" && name != "workload" && name != "topology" && name != "sources")
      return Error{
          fmt::format("field `{}`: cannot be changed; expected `workload`, `topology` or `sources`",
                      verdict::printable(name))};
  }
  Json whole = Json::parse(current, nullptr, false);
  if (!whole.is_object()) whole = Json::object();
  whole.merge_patch(*change);
  return new_header(compact(whole));
}

Result<std::string> new_header(std::string_view object) {
  ATTRIB_TRY(const ReadHeader read, read_text(object, "the body"));
  return stored(read.header, read.topology);
}

}  // namespace attrib::service
