#include "evidence/json_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "evidence/intervals.h"
#include "evidence/json_fields.h"
#include "model/value.h"

namespace attrib::evidence {
namespace {

constexpr std::string_view kSchema = "attrib.evidence/1";
constexpr std::string_view kExpectedZoned = "a time with its zone";

// Times of the header are exact, so a zone must be known.
std::optional<model::Nanos> exact_time(const Stamp& stamp,
                                       std::optional<model::Nanos> zone_offset) {
  StampRules rules;
  rules.zone_offset = zone_offset;
  const auto placed = place(stamp, rules);
  if (!placed || placed->zone_assumed) return std::nullopt;
  return placed->at;
}

std::optional<model::Nanos> read_time(FieldReader& fields, std::string_view name,
                                      std::optional<model::Nanos> zone_offset) {
  const auto stamp = fields.stamp(name);
  if (!stamp) return std::nullopt;
  const auto at = exact_time(*stamp, zone_offset);
  if (!at) fields.wrong(name, kExpectedZoned, *fields.any(name));
  return at;
}

std::optional<std::uint32_t> read_count(FieldReader& fields, std::string_view name) {
  return fields.rank(name);  // The same range.
}

std::string normalised_gpu(const std::string& text) {
  model::Type pci;
  pci.kind = model::ValueKind::String;
  pci.reader = model::Reader::Pci;
  const auto value = model::read_strict(pci, text);
  return value ? value->text : text;
}

std::vector<std::string> read_nodes(FieldReader& fields) {
  std::vector<std::string> nodes;
  const JsonValue* list = fields.list("nodes");
  if (list == nullptr) return nodes;
  for (const JsonValue& item : list->items) {
    if (item.kind == JsonValue::Kind::Text) {
      nodes.push_back(item.text);
    } else {
      fields.wrong("nodes", "a list of texts", item);
    }
  }
  return nodes;
}

std::vector<Placement> read_placement(FieldReader& fields, std::vector<std::string>* problems) {
  std::vector<Placement> out;
  const JsonValue* list = fields.list("placement");
  if (list == nullptr) return out;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const JsonValue& item = list->items[i];
    FieldReader entry(item, fmt::format("{}placement[{}].", fields.path(), i), problems);
    const auto rank = entry.rank("rank");
    const auto node = entry.text("node");
    if (!rank || !node) {
      entry.problem(
          fmt::format("field `{}placement[{}]`: expected an object with `rank` and `node`, got {}",
                      fields.path(), i, described(item)));
      continue;
    }
    out.push_back({*rank, *node, normalised_gpu(entry.text("gpu").value_or(""))});
  }
  return out;
}

void read_workload(const JsonValue& object, const ReadOptions& options, Workload* out,
                   std::vector<std::string>* problems) {
  FieldReader fields(object, "workload.", problems);
  out->id = fields.text("id").value_or("");
  out->attempt = fields.integer("attempt");
  out->kind = fields.text("kind").value_or("");
  out->name = fields.text("name").value_or("");
  out->user = fields.text("user").value_or("");
  out->cluster = fields.text("cluster").value_or("");
  out->framework = fields.text("framework").value_or("");
  out->state = fields.text("state").value_or("");
  out->exit_code = fields.integer("exit_code");
  out->signal = fields.integer("signal");
  out->start = read_time(fields, "start", options.zone_offset);
  out->end = read_time(fields, "end", options.zone_offset);
  out->nodes = read_nodes(fields);
  out->ranks = read_count(fields, "ranks");
  out->ranks_per_node = read_count(fields, "ranks_per_node");
  out->placement = read_placement(fields, problems);
}

std::optional<Interval> interval_of(const JsonValue& pair,
                                    std::optional<model::Nanos> zone_offset) {
  if (pair.kind != JsonValue::Kind::List || pair.items.size() != 2) return std::nullopt;
  const auto begin = stamp_of(pair.items[0]);
  const auto end = stamp_of(pair.items[1]);
  if (!begin || !end) return std::nullopt;
  const auto from = exact_time(*begin, zone_offset);
  const auto to = exact_time(*end, zone_offset);
  if (!from || !to || *from > *to) return std::nullopt;
  return Interval{*from, *to};
}

std::optional<SourceDeclaration> read_source(const JsonValue& object, const std::string& path,
                                             const ReadOptions& options,
                                             std::vector<std::string>* problems) {
  FieldReader fields(object, path + ".", problems);
  const auto kind = fields.word<model::SourceKind>("kind");
  if (!kind) {
    if (fields.any("kind") == nullptr) {
      fields.problem(fmt::format("field `{}`: expected an object with `kind`, got {}", path,
                                 described(object)));
    }
    return std::nullopt;
  }
  SourceDeclaration out;
  out.status.kind = *kind;
  out.status.node = fields.text("node").value_or("");
  out.status.rank = fields.rank("rank");
  out.status.family = fields.word<model::Family>("family");
  out.status.status = fields.text("status").value_or("ok");
  out.status.reason = fields.text("reason").value_or("");
  out.status.clock_error = fields.length("clock_error");
  out.status.lag = fields.length("lag");
  if (const auto year = fields.natural("year", 9999)) out.year = static_cast<int>(*year);
  if (const auto zone = fields.text("tz")) {
    const auto offset = parse_zone(*zone);
    if (offset) out.zone_offset = offset.value();
    if (!offset) fields.wrong("tz", "a zone such as `UTC` or `+02:00`", *fields.any("tz"));
  }
  const auto zone = out.zone_offset ? out.zone_offset : options.zone_offset;
  out.boot = read_time(fields, "boot", zone);
  if (const JsonValue* list = fields.list("coverage")) {
    for (const JsonValue& pair : list->items) {
      if (const auto interval = interval_of(pair, zone)) {
        out.status.coverage.push_back(*interval);
      } else {
        fields.wrong("coverage", "pairs of times with their zone, the earlier first", pair);
      }
    }
    out.status.coverage = united(std::move(out.status.coverage));
  }
  return out;
}

// Takes over a field that only one header gives.
template <typename Field>
bool unite_field(Field* into, const Field& from) {
  if (from == Field{}) return true;
  if (*into == Field{}) *into = from;
  return *into == from;
}

std::optional<std::string_view> unite_workload(Workload* into, const Workload& from) {
  if (!unite_field(&into->id, from.id)) return "id";
  if (!unite_field(&into->attempt, from.attempt)) return "attempt";
  if (!unite_field(&into->kind, from.kind)) return "kind";
  if (!unite_field(&into->name, from.name)) return "name";
  if (!unite_field(&into->user, from.user)) return "user";
  if (!unite_field(&into->cluster, from.cluster)) return "cluster";
  if (!unite_field(&into->framework, from.framework)) return "framework";
  if (!unite_field(&into->state, from.state)) return "state";
  if (!unite_field(&into->exit_code, from.exit_code)) return "exit_code";
  if (!unite_field(&into->signal, from.signal)) return "signal";
  if (!unite_field(&into->start, from.start)) return "start";
  if (!unite_field(&into->end, from.end)) return "end";
  if (!unite_field(&into->ranks, from.ranks)) return "ranks";
  if (!unite_field(&into->ranks_per_node, from.ranks_per_node)) return "ranks_per_node";
  into->nodes.insert(into->nodes.end(), from.nodes.begin(), from.nodes.end());
  into->placement.insert(into->placement.end(), from.placement.begin(), from.placement.end());
  return std::nullopt;
}

}  // namespace

Result<Header> read_header(const JsonValue& object, const ReadOptions& options,
                           std::vector<std::string>* problems) {
  FieldReader fields(object, "", problems);
  if (const JsonValue* schema = fields.any("schema");
      schema != nullptr && schema->text != kSchema) {
    return Error{
        fmt::format("field `schema`: expected \"{}\", got {}", kSchema, described(*schema))};
  }
  Header out;
  if (const JsonValue* workload = fields.object("workload")) {
    read_workload(*workload, options, &out.workload, problems);
  }
  if (const JsonValue* sources = fields.list("sources")) {
    for (std::size_t i = 0; i < sources->items.size(); ++i) {
      auto source =
          read_source(sources->items[i], fmt::format("sources[{}]", i), options, problems);
      if (source) out.sources.push_back(std::move(*source));
    }
  }
  return out;
}

bool ends_in_order(const Workload& workload) {
  return !workload.start || !workload.end || *workload.start <= *workload.end;
}

Result<Header> merge_headers(const std::vector<Header>& headers) {
  Header out;
  for (const Header& each : headers) {
    if (const auto field = unite_workload(&out.workload, each.workload)) {
      return Error{fmt::format(
          "{}: field `workload.{}`: another value than {} gives; one run is about one attempt",
          each.where, *field, headers.front().where)};
    }
    out.sources.insert(out.sources.end(), each.sources.begin(), each.sources.end());
  }
  std::sort(out.sources.begin(), out.sources.end());
  out.sources.erase(std::unique(out.sources.begin(), out.sources.end()), out.sources.end());
  Workload& w = out.workload;
  std::sort(w.nodes.begin(), w.nodes.end());
  w.nodes.erase(std::unique(w.nodes.begin(), w.nodes.end()), w.nodes.end());
  const auto key = [](const Placement& p) { return std::tie(p.rank, p.node, p.gpu); };
  std::sort(w.placement.begin(), w.placement.end(),
            [&](const Placement& a, const Placement& b) { return key(a) < key(b); });
  w.placement.erase(
      std::unique(w.placement.begin(), w.placement.end(),
                  [&](const Placement& a, const Placement& b) { return key(a) == key(b); }),
      w.placement.end());
  return out;
}

}  // namespace attrib::evidence
