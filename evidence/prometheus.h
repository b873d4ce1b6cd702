#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace attrib::evidence {

struct MetricText {
  std::string name;
  std::map<std::string, std::string> labels;
  std::int64_t value = 0;  // Millionths.
};

// One sample of the Prometheus text format, `name{a="b"} 7.3e+08 [milliseconds]`; none when the
// text is anything else.
std::optional<MetricText> read_metric_text(std::string_view text);

}  // namespace attrib::evidence
