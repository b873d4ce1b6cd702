#include "service/v1_observation.h"

#include <fmt/format.h>

#include <utility>

#include "evidence/json_value.h"
#include "evidence/lines.h"
#include "evidence/read.h"
#include "service/handlers.h"
#include "service/json.h"
#include "service/json_body.h"
#include "service/json_items.h"
#include "service/post.h"
#include "service/v1_words.h"
#include "verdict/format.h"

namespace attrib::service {
namespace {

Problem wrong(const std::string& field, std::string_view expected) {
  return {422, fmt::format("field `{}`: expected {}", field, expected), field};
}

std::optional<Problem> read_time(const Json& interval, const char* name,
                                 std::optional<model::Nanos>* out) {
  const Json value = interval.value(name, Json());
  if (is_not_given(value)) return std::nullopt;
  const std::string field = fmt::format("context.time_interval.{}", name);
  if (!value.is_string()) return wrong(field, "a time with its zone");
  const auto at = evidence::parse_time(value.get<std::string>());
  if (!at) return wrong(field, "a time with its zone");
  *out = at.value();
  return std::nullopt;
}

std::optional<Problem> read_interval(const Json& context, V1Context* out) {
  const Json interval = context.value("time_interval", Json());
  if (is_not_given(interval)) return std::nullopt;
  if (!interval.is_object()) return wrong("context.time_interval", "an object");
  if (auto problem = read_time(interval, "start", &out->start)) return problem;
  if (auto problem = read_time(interval, "end", &out->end)) return problem;
  if (out->start && out->end && *out->start > *out->end)
    return wrong("context.time_interval", "its start before its end");
  return std::nullopt;
}

std::variant<V1Context, Problem> context_of(std::string_view text) {
  constexpr std::size_t kMaxContext = std::size_t{64} << 10U;
  const auto context = text.size() <= kMaxContext ? parsed(text) : std::nullopt;
  if (!context || !context->is_object()) return wrong("context", "an object");
  V1Context out;
  const Json format = context->value("format", Json());
  if (!format.is_string() || (format != "raw_loki_streams" && format != "prometheus_metrics"))
    return wrong("context.format", "`raw_loki_streams` or `prometheus_metrics`");
  out.format = format.get<std::string>();
  const Json source = context->value("source", Json());
  const bool metrics = out.format == "prometheus_metrics";
  if (metrics) out.source = model::SourceKind::Metric;
  if (!is_not_given(source)) {
    const auto kind = source.is_string() ? source_of_word(source.get<std::string>()) : std::nullopt;
    if (!kind) return wrong("context.source", known_source_words());
    if (!metrics) out.source = *kind;
  }
  if (auto problem = read_interval(*context, &out)) return *std::move(problem);
  return out;
}

// The payload is JSON within a string of JSON.
std::variant<std::string, Problem> payload_of(std::string_view slice) {
  if (!slice.starts_with('"')) return wrong("body", "a string that holds JSON");
  std::size_t escaped = 0;
  auto text = evidence::parse_json(evidence::escape_json_bytes(slice, &escaped));
  if (!text) return wrong("body", "a string that holds JSON");
  return std::move(text.value().text);
}

struct Opened {
  V1Context context;
  std::string payload;
};

std::variant<Opened, Problem> open(std::string_view body) {
  evidence::JsonScanner scan(body);
  std::size_t depth = 0;
  const std::string_view trimmed = evidence::trimmed_blanks(body);
  if (!trimmed.empty() && !trimmed.starts_with('{'))
    return Problem{400, "the body cannot be read: expected a JSON object"};
  if (!scan.value(&depth) || !scan.done() || depth > evidence::kMaxDepth)
    return Problem{400, "the body cannot be read: " + why_not_parsed(body)};
  const auto context = member(body, "context");
  if (!context) return wrong("context", "an object");
  auto read = context_of(*context);
  if (auto* problem = std::get_if<Problem>(&read)) return std::move(*problem);
  const auto slice = member(body, "body");
  if (!slice) return wrong("body", "a string that holds JSON");
  auto payload = payload_of(*slice);
  if (auto* problem = std::get_if<Problem>(&payload)) return std::move(*problem);
  return Opened{std::get<V1Context>(std::move(read)), std::get<std::string>(std::move(payload))};
}

}  // namespace

std::string coverage_header(const std::vector<std::pair<model::SourceKind, std::string>>& delivered,
                            const V1Context& context) {
  if (delivered.empty() || !context.start || !context.end) return {};
  const Json interval =
      Json::array({verdict::rfc3339(*context.start), verdict::rfc3339(*context.end)});
  Json sources = Json::array();
  for (const auto& [kind, node] : delivered) {
    Json source;
    source["kind"] = model::word(kind);
    source["node"] = node;
    source["coverage"] = Json::array({interval});
    sources.push_back(std::move(source));
  }
  Json out;
  out["schema"] = "attrib.evidence/1";
  out["sources"] = std::move(sources);
  return compact(out);
}

V1Read ingest_v1(std::string body) {
  auto opened = open(body);
  body = std::string();  // The payload is out of it.
  if (auto* problem = std::get_if<Problem>(&opened)) return {"loki", std::move(*problem)};
  const auto& [context, payload] = std::get<Opened>(opened);
  const bool loki = context.format == "raw_loki_streams";
  const char* const kind = loki ? "loki" : "prometheus";
  Collector collector;
  collector.expect(payload.size());
  const bool understood =
      loki ? collect_loki(payload, context, &collector) : collect_prometheus(payload, &collector);
  if (!understood)
    return {kind, wrong("body", loki ? "a list of streams, each with `stream` and `values`"
                                     : "a vector or matrix as Prometheus answers it")};
  return {kind, std::move(collector).finish(true)};
}

void v1_observe(Core& core, Exchange& exchange) {
  if (const auto problem = wrong_media_type(exchange.request.head))
    return exchange.answer(*problem);
  V1Read read = ingest_v1(std::move(exchange.request.body));
  store_post(core, exchange, read.kind, std::move(read.ingest));
}

}  // namespace attrib::service
