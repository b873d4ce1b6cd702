#include "service/metrics.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"

namespace attrib::service {
namespace {

enum class Type : std::uint8_t {
  counter,
  gauge,
  histogram
};  // NOLINT(readability-identifier-naming)

struct Family {
  std::string_view name, type_word;
  Type type;
  std::vector<std::string_view> labels;
  std::string_view help;
};

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    out.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = {
#define ATTRIB_METRIC(name, type, text, labels, help) \
  Family{text, #type, Type::type, split(labels), help},
#include "service/metrics.def"
#undef ATTRIB_METRIC
  };
  return kFamilies;
}

const Family& family(Metric metric) { return families()[static_cast<std::size_t>(metric)]; }

// Upper bounds in seconds; one bucket more takes the rest.
constexpr std::array kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char each : text) {
    if (each == '\\')
      out += "\\\\";
    else if (each == '\n')
      out += "\\n";
    else if (each == '"' && quotes)
      out += "\\\"";
    else
      out += each;
  }
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string label_set(const Family& of, const std::vector<std::string>& values,
                      std::string_view bound = {}) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out +=
        fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", of.labels[i], escaped(values[i], true));
  }
  if (!bound.empty()) out += fmt::format("{}le=\"{}\"", out.empty() ? "" : ",", bound);
  return out.empty() ? out : "{" + out + "}";
}

}  // namespace

void Metrics::add(Metric counter, double by, Labels labels) {
  ATTRIB_CHECK(
      family(counter).type == Type::counter && labels.size() == family(counter).labels.size(),
      "metrics.def declares this metric otherwise");
  std::vector<std::string> values(labels.begin(), labels.end());
  const std::lock_guard lock(mutex_);
  series_[{counter, std::move(values)}].value += by;
}

void Metrics::observe(Metric histogram, double seconds, Labels labels) {
  ATTRIB_CHECK(
      family(histogram).type == Type::histogram && labels.size() == family(histogram).labels.size(),
      "metrics.def declares this metric otherwise");
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && !(seconds <= kBounds[bucket])) ++bucket;
  std::vector<std::string> values(labels.begin(), labels.end());
  const std::lock_guard lock(mutex_);
  Series& series = series_[{histogram, std::move(values)}];
  series.buckets.resize(kBounds.size() + 1);
  ++series.buckets[bucket];
  series.value += seconds;
}

void Metrics::gauge(Metric metric, std::function<double()> value) {
  ATTRIB_CHECK(family(metric).type != Type::histogram && family(metric).labels.empty(),
               "metrics.def declares this metric otherwise");
  const std::lock_guard lock(mutex_);
  gauges_[metric] = std::move(value);
}

std::string Metrics::page() const {
  // Copied, so that nothing that counts waits for a page, and a gauge may count.
  std::unique_lock lock(mutex_);
  const auto all = series_;
  const auto gauges = gauges_;
  lock.unlock();

  std::string out;
  for (std::size_t i = 0; i < families().size(); ++i) {
    const auto metric = static_cast<Metric>(i);
    const Family& of = family(metric);
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", of.name, escaped(of.help, false), of.name,
                       of.type_word);
    if (const auto gauge = gauges.find(metric); gauge != gauges.end()) {
      out += fmt::format("{} {}\n", of.name, number(gauge->second()));
      continue;
    }
    auto series = all.lower_bound({metric, {}});
    // A counter at 0 is a fact; of one with labels it is not known which will come.
    if (of.type == Type::counter && of.labels.empty() &&
        (series == all.end() || series->first.first != metric)) {
      out += fmt::format("{} 0\n", of.name);
    }
    for (; series != all.end() && series->first.first == metric; ++series) {
      const auto& [key, what] = *series;
      if (of.type == Type::counter) {
        out += fmt::format("{}{} {}\n", of.name, label_set(of, key.second), number(what.value));
        continue;
      }
      std::uint64_t sum = 0;
      for (std::size_t bucket = 0; bucket < what.buckets.size(); ++bucket) {
        sum += what.buckets[bucket];
        const std::string bound = bucket < kBounds.size() ? number(kBounds[bucket]) : "+Inf";
        out += fmt::format("{}_bucket{} {}\n", of.name, label_set(of, key.second, bound), sum);
      }
      out += fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", of.name, label_set(of, key.second),
                         number(what.value), sum);
    }
  }
  return out;
}

}  // namespace attrib::service
