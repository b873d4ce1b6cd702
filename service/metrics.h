#pragma once

// Numbers for Prometheus, in its text format (version 0.0.4). Families are declared in metrics.def (name, type, help,
// label names), so that a page of them can be written and none is made by a typing error.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace attrib::service {

enum class Metric : std::uint8_t {
#define ATTRIB_METRIC(name, type, text, labels, help) name,
#include "service/metrics.def"
#undef ATTRIB_METRIC
};

// Thread-safe. Labels are few and bounded: routes by pattern, methods, status classes; never ids or paths.
class Metrics {
 public:
  using Labels = std::initializer_list<std::string_view>;  // Values, in the order of the declaration.
  void add(Metric counter, double by = 1, Labels labels = {});
  void observe(Metric histogram, double seconds, Labels labels = {});
  // Asked when the page is read; also for counters that are kept elsewhere.
  void gauge(Metric metric, std::function<double()> value);
  [[nodiscard]] std::string page() const;

 private:
  struct Series {
    double value = 0;                   // Sum, of a histogram.
    std::vector<std::uint64_t> buckets;  // Of a histogram.
  };
  mutable std::mutex mutex_;
  std::map<std::pair<Metric, std::vector<std::string>>, Series> series_;
  std::map<Metric, std::function<double()>> gauges_;
};

}  // namespace attrib::service
