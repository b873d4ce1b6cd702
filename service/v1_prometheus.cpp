// Vectors and matrices as Prometheus answers them. They cover no time: an answer holds the series
// that were asked for, and of others nothing is known.

#include <fmt/format.h>

#include "evidence/json_value.h"
#include "evidence/lines.h"
#include "service/json.h"
#include "service/json_items.h"
#include "service/v1_observation.h"
#include "service/v1_words.h"

namespace attrib::service {
namespace {

using model::SourceKind;

constexpr std::size_t kMaxLabels = std::size_t{64} << 10U;  // Bytes, of one series.

// "node-7:9400" is node-7; an address in brackets keeps its colons.
std::string without_port(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string::npos || colon + 1 == host.size()) return host;
  if (host.find_first_not_of("0123456789", colon + 1) != std::string::npos) return host;
  if (host.find(':') != colon && !host.starts_with('[')) return host;
  return host.substr(0, colon);
}

// Exporters that speak for a node name it; `instance` is where the numbers were fetched.
std::string node_of(const Json& metric) {
  for (const char* name : {"Hostname", "hostname", "host", "node", "instance"}) {
    const auto found = metric.find(name);
    if (found != metric.end() && found->is_string() && !is_not_given(*found))
      return without_port(found->get<std::string>());
  }
  return {};
}

class Samples {
 public:
  explicit Samples(Collector* into) : into_(*into) {}

  bool series(std::string_view list) {
    return for_each_item(list, [&](std::string_view text) { one(text); });
  }

 private:
  void one(std::string_view text) {
    const std::string place = fmt::format("result[{}]", number_++);
    const auto labels = member(text, "metric");
    const Json metric =
        labels && labels->size() <= kMaxLabels ? parsed(*labels).value_or(Json()) : Json();
    const std::string name =
        metric.is_object() && metric.contains("__name__") && metric["__name__"].is_string()
            ? metric["__name__"].get<std::string>()
            : std::string();
    if (name.empty())
      return into_.reject(place, "expected an object in `metric` with the name in `__name__`");
    Json observation;
    observation["source"] = model::word(SourceKind::Metric);
    const std::string node = node_of(metric);
    if (!node.empty()) observation["node"] = node;
    observation["name"] = name;
    Json kept = metric;
    kept.erase("__name__");
    observation["labels"] = std::move(kept);
    if (const auto value = member(text, "value")) {
      sample(place + ".value", *value, &observation);
    } else if (const auto values = member(text, "values")) {
      std::size_t at = 0;
      const bool whole = for_each_item(*values, [&](std::string_view item) {
        sample(fmt::format("{}.values[{}]", place, at++), item, &observation);
      });
      if (!whole) into_.reject(place + ".values", "no list of samples");
    } else {
      into_.reject(place, "expected `value` or `values`");
    }
  }

  // The numbers stay as they are written: no float is between them and the reader.
  void sample(const std::string& place, std::string_view text, Json* observation) {
    if (into_.refused()) return;
    const auto pair = evidence::parse_json(text);
    if (!pair || pair.value().items.size() != 2 ||
        pair.value().items[0].kind != evidence::JsonValue::Kind::Number)
      return into_.reject(place, "expected [<unix seconds>, \"<value>\"]");
    const std::string& value = pair.value().items[1].text;
    const auto number = evidence::parse_json(value);
    if (!number || number.value().kind != evidence::JsonValue::Kind::Number)
      return into_.reject(place, "expected a number; NaN and infinities tell nothing");
    std::string line = compact(*observation);
    line.pop_back();
    into_.observation_of(
        place, fmt::format("{},\"ts\":{},\"value\":{}}}", line, pair.value().items[0].text, value));
  }

  Collector& into_;
  std::size_t number_ = 0;
};

// `[...]`, `{"result": [...]}` or `{"status": ..., "data": {"result": [...]}}`.
std::optional<std::string_view> series_in(std::string_view payload) {
  if (payload.starts_with('[')) return payload;
  if (const auto list = member(payload, "result")) return list;
  const auto data = member(payload, "data");
  return data ? member(*data, "result") : std::nullopt;
}

}  // namespace

bool collect_prometheus(std::string_view payload, Collector* into) {
  payload = evidence::trimmed_blanks(payload);
  const auto list = series_in(payload);
  return list && Samples(into).series(*list);
}

}  // namespace attrib::service
