#include "vm/rule_runner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/generate.h"
#include "compiler/testing.h"
#include "dsl/parse.h"

namespace attrib::vm {
namespace {

model::Nanos nanos(double seconds) { return static_cast<model::Nanos>(seconds * 1e9); }

}  // namespace

evidence::Observation& Job::add(model::SourceKind kind, const std::string& node, double seconds) {
  evidence::Observation o;
  o.ids = {"o" + std::to_string(added_++)};
  o.seen = model::moment_at(nanos(seconds), nanos(.25));
  o.source = kind;
  o.speaks = model::source_bit(kind);
  o.node = node;
  evidence.observations.push_back(o);
  ++evidence.counters.lines;
  return evidence.observations.back();
}

Job& Job::line(model::SourceKind kind, const std::string& node, double seconds,
               const std::string& text) {
  add(kind, node, seconds).message = text;
  return *this;
}

Job& Job::rank_line(std::uint32_t rank, const std::string& node, double seconds,
                    const std::string& text) {
  evidence::Observation& o = add(model::SourceKind::App, node, seconds);
  o.rank = rank;
  o.message = text;
  return *this;
}

Job& Job::metric(const std::string& node, double seconds, const std::string& name, double value) {
  evidence::Observation& o = add(model::SourceKind::Metric, node, seconds);
  o.is_metric = true;
  o.name = name;
  o.value = static_cast<std::int64_t>(value * 1e6);
  return *this;
}

Job& Job::record(model::SourceKind kind, double seconds,
                 const std::map<std::string, std::string>& fields) {
  evidence::Observation& o = add(kind, "", seconds);
  o.is_record = true;
  o.record = fields;
  return *this;
}

Job& Job::covers(model::SourceKind kind, const std::string& node, double from, double to) {
  evidence::SourceStatus s;
  s.kind = kind;
  s.node = node;
  s.status = "ok";
  s.coverage = {{nanos(from), nanos(to)}};
  evidence.sources.push_back(s);
  return *this;
}

const evidence::Evidence& Job::done() {
  const auto stream_of = [](const evidence::Observation& o) {
    evidence::Stream s;
    s.source = o.source;
    s.node = o.node;
    s.rank = o.rank;
    return s;
  };
  std::map<evidence::Stream, std::uint32_t> streams;
  std::map<std::string, model::ClockId> clocks;
  for (const evidence::Observation& o : evidence.observations) {
    streams[stream_of(o)] = 0;
    clocks[o.node] = 0;
  }
  std::uint32_t next = 1;
  evidence.streams.clear();
  for (auto& [stream, number] : streams) {
    number = next++;
    evidence.streams.push_back(stream);
  }
  model::ClockId clock = 1;
  for (auto& [node, id] : clocks) id = clock++;
  for (evidence::Observation& o : evidence.observations) {
    o.stream = streams[stream_of(o)];
    o.position = static_cast<std::uint64_t>(o.seen.lo + model::kForever);
    o.seen.clock = clocks[o.node];
    o.seen.stream = o.stream;
    o.seen.position = o.position;
  }
  std::stable_sort(evidence.observations.begin(), evidence.observations.end(),
                   [](const evidence::Observation& a, const evidence::Observation& b) {
                     return std::tie(a.stream, a.position, a.message) <
                            std::tie(b.stream, b.position, b.message);
                   });
  return evidence;
}

RunResult run_rules(const std::string& rules, const evidence::Evidence& evidence,
                    const RunOptions& options) {
  SourceMap sources;
  DiagnosticSink sink;
  const SourceId id = sources.add("t.rules", "pack t 1.0.0\nlanguage 1\n" + rules);
  std::vector<dsl::File> files;
  files.push_back(dsl::parse(sources, id, sink));
  REQUIRE_MESSAGE(!sink.has_errors(), render_diagnostics(sink, sources, false));
  const auto module = compiler::check(files, sources, compiler::MemoryData(), {}, sink);
  REQUIRE_MESSAGE(module.has_value(), render_diagnostics(sink, sources, false));
  auto verified = program::verify(compiler::generate(*module, sources));
  REQUIRE_MESSAGE(verified.ok(), verified.error().message);
  return run(verified.value(), evidence, options);
}

std::vector<std::string> symptoms_of(const verdict::Verdict& verdict) {
  std::vector<std::string> out;
  for (const verdict::Symptom& s : verdict.symptoms) {
    std::string text = std::string(verdict::to_text(s.state)) + " " + s.symptom;
    if (s.entity.kind == model::EntityKind::Rank) {
      text += " at rank " + s.entity.id;
    } else if (!s.entity.id.empty()) {
      text += " at " + s.entity.id;
    }
    out.push_back(text);
  }
  return out;
}

}  // namespace attrib::vm
