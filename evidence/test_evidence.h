#pragma once

// For the tests of this folder: evidence from texts in memory.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "evidence/read.h"

namespace attrib::evidence {

inline Evidence must_read(const std::vector<Input>& inputs, const ReadOptions& options = {}) {
  auto result = read(inputs, options);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
  return std::move(result).value();
}

inline Input json_input(std::string text, std::string name = "in.json") {
  return {std::move(name), std::nullopt, std::move(text)};
}

// `spec` as for --log; its path is the input's name.
inline Input log_input(const std::string& spec, std::string text) {
  const LogSpec log = parse_log_spec(spec).value();
  return {log.path, log, std::move(text)};
}

// Everything an Evidence says, one item a line: equal texts are equal evidence.
inline std::string dump(const Evidence& e) {
  std::string out;
  const auto number = [](const auto& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  for (const std::string& node : e.workload.nodes) out += "node " + node + "\n";
  for (const Placement& p : e.workload.placement)
    out += fmt::format("place {} {} {}\n", p.rank, p.node, p.gpu);
  for (const SourceStatus& s : e.sources) {
    out += fmt::format("source {} {} {} {} {}", model::word(s.kind), s.node, number(s.rank),
                       s.status, s.reason);
    for (const Interval& each : s.coverage) out += fmt::format(" [{}, {}]", each.begin, each.end);
    out += "\n";
  }
  for (const Observation& o : e.observations) {
    for (const std::string& id : o.ids) out += id + " ";
    out += fmt::format("{}/{}/{}/{} speaks {} s{}.{} ", model::word(o.source), o.node,
                       number(o.rank), o.file, o.speaks, o.stream, o.position);
    if (o.seen.known)
      out += fmt::format("[{}, {}] e{} c{} ", o.seen.lo, o.seen.hi, o.seen.error, o.seen.clock);
    if (o.is_metric)
      out += fmt::format("{}={} before {} ", o.name, o.value, number(o.previous_value));
    for (const auto* map : {&o.labels, &o.record}) {
      for (const auto& [key, value] : *map) out += key + "=" + value + " ";
    }
    out += "| " + o.message + "\n";
  }
  const Counters& c = e.counters;
  out += fmt::format("lines {} copies {} rejected {} truncated {} escaped {} unparsed {}\n",
                     c.lines, c.copies, c.rejected, c.truncated, c.escaped, c.unparsed);
  for (const std::string& each : e.problems) out += each + "\n";
  return out;
}

}  // namespace attrib::evidence
