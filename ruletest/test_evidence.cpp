#include "ruletest/test_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "evidence/read.h"
#include "model/time.h"
#include "ruletest/values.h"

namespace attrib::ruletest {
namespace {

using Json = nlohmann::ordered_json;

constexpr model::Nanos kJobStart = 1'767'225'600 * model::kSecond;  // 2026-01-01T00:00:00Z

std::string line_id(std::size_t log, std::size_t line) {
  return fmt::format("log {} line {}", log + 1, line + 1);
}

Json json_value(const dsl::Pair& pair);

Json json_expr(const dsl::Expr& expr) {
  const auto value = plain_value(expr);
  if (!value) return nullptr;
  switch (value->kind) {
    case dsl::LiteralKind::Int:
    case dsl::LiteralKind::Size:
      return value->number;
    case dsl::LiteralKind::Truth:
      return value->number == 1;
    case dsl::LiteralKind::Decimal:
      return static_cast<double>(value->number) / 1e6;  // Printed back to the same decimal.
    default:
      return value->text;
  }
}

Json json_object(const dsl::PairList& object) {
  Json json = Json::object();
  for (const dsl::Pair& pair : object.pairs) json[pair.name.text] = json_value(pair);
  return json;
}

Json json_value(const dsl::Pair& pair) {
  if (pair.object) return json_object(*pair.object);
  if (!pair.list) return json_expr(*pair.value);
  Json list = Json::array();
  for (const dsl::ExprPtr& item : *pair.list) list.push_back(json_expr(*item));
  return list;
}

const dsl::Expr* find_field(const dsl::TestDecl& test, std::string_view name) {
  if (!test.job) return nullptr;
  for (const dsl::Pair& pair : test.job->pairs) {
    if (pair.name.text == name) return pair.value.get();
  }
  return nullptr;
}

model::Nanos at_time(model::Nanos since_start) { return model::add_nanos(kJobStart, since_start); }

Json workload(const dsl::TestDecl& test) {
  Json json = {{"id", "test"}, {"attempt", 1}, {"start", kJobStart}};
  if (const dsl::Expr* end = find_field(test, "end")) {
    const auto value = plain_value(*end);
    if (value) json["end"] = at_time(value->number);
  }
  if (test.job) {
    for (const dsl::Pair& pair : test.job->pairs) {
      const std::string& name = pair.name.text;
      if (name == "end") continue;
      json[name == "world"           ? "ranks"
           : name == "gpus_per_node" ? "ranks_per_node"
                                     : name] = json_value(pair);
    }
  }
  for (const dsl::TestPlace& place : test.places) {
    Json entry = {{"rank", place.rank}, {"node", place.node.value}};
    if (place.gpu) entry["gpu"] = place.gpu->value;
    json["placement"].push_back(std::move(entry));
  }
  return json;
}

// The node whose clock stamps a log: given, or where its rank was placed.
std::string clock_node(const dsl::TestDecl& test, const dsl::TestLog& log) {
  if (log.node) return log.node->value;
  for (const dsl::TestPlace& place : test.places) {
    if (log.rank && place.rank == *log.rank) return place.node.value;
  }
  return {};
}

const dsl::TestClock* find_clock(const dsl::TestDecl& test, const std::string& node) {
  for (const dsl::TestClock& clock : test.clocks) {
    if (!node.empty() && clock.node.value == node) return &clock;
  }
  return nullptr;
}

using SourceKey = std::tuple<std::string, std::string, std::int64_t>;  // Kind, node, rank or -1.

template <typename T>
SourceKey key_of(const T& of) {
  return {of.source.text, of.node ? of.node->value : "", of.rank.value_or(-1)};
}

Json& source_entry(std::map<SourceKey, Json>& entries, const SourceKey& key) {
  Json& entry = entries[key];
  const auto& [kind, node, rank] = key;
  entry["kind"] = kind;
  if (!node.empty()) entry["node"] = node;
  if (rank >= 0) entry["rank"] = rank;
  return entry;
}

// What `source` clauses say, and the error of each clock for the logs it stamps.
Json sources(const dsl::TestDecl& test) {
  std::map<SourceKey, Json> entries;
  for (const dsl::TestSource& source : test.sources) {
    Json& entry = source_entry(entries, key_of(source));
    entry["status"] = source.status ? source.status->text : "ok";
    if (source.covers) {
      entry["coverage"].push_back({at_time(source.covers->first), at_time(source.covers->second)});
    }
  }
  for (const dsl::TestLog& log : test.logs) {
    const dsl::TestClock* clock = find_clock(test, clock_node(test, log));
    if (clock != nullptr)
      source_entry(entries, key_of(log))["clock_error"] = fmt::format("{}ns", clock->error);
  }
  Json list = Json::array();
  for (auto& [key, entry] : entries) list.push_back(std::move(entry));
  return list;
}

Json observation(const dsl::TestLog& log, const dsl::TestLine& line, model::Nanos offset) {
  Json json;
  if (line.object && log.kind == dsl::TestLog::Kind::Metric)
    json = json_object(*line.object);
  else if (line.object)
    json["record"] = json_object(*line.object);
  else
    json["message"] = line.line.value;
  json["source"] = log.source.text;
  json["ts"] = at_time(model::add_nanos(line.at, offset));
  if (log.node) json["node"] = log.node->value;
  if (log.rank) json["rank"] = *log.rank;
  return json;
}

Json observations(const dsl::TestDecl& test) {
  Json list = Json::array();
  for (std::size_t log = 0; log < test.logs.size(); ++log) {
    const dsl::TestClock* clock = find_clock(test, clock_node(test, test.logs[log]));
    for (std::size_t line = 0; line < test.logs[log].lines.size(); ++line) {
      Json json = observation(test.logs[log], test.logs[log].lines[line],
                              clock == nullptr ? 0 : clock->offset);
      json["id"] = line_id(log, line);
      list.push_back(std::move(json));
    }
  }
  return list;
}

// Copies are one observation with the ids of all.
std::map<std::string, std::uint32_t> by_id(const evidence::Evidence& evidence) {
  std::map<std::string, std::uint32_t> found;
  for (std::uint32_t i = 0; i < evidence.observations.size(); ++i) {
    for (const std::string& id : evidence.observations[i].ids) found[id] = i;
  }
  return found;
}

// A node of its own keeps a sample apart from the others: no line of another follows it.
void add_sample(const dsl::ExtractDecl& extract, const dsl::SampleClause& sample,
                dsl::TestDecl& all) {
  dsl::TestLog log;
  const bool any = extract.sources.empty() || extract.sources[0].text == "any";
  log.source.text = any ? "app" : extract.sources[0].text;
  log.node = dsl::Text{fmt::format("sample-{}", all.logs.size()), {}};
  for (const dsl::Text& text : sample.lines) {
    dsl::TestLine line;
    line.at = static_cast<std::int64_t>(log.lines.size()) * model::kSecond;
    line.line = text;
    log.lines.push_back(std::move(line));
  }
  all.logs.push_back(std::move(log));
}

}  // namespace

const std::vector<std::string>& job_fields() {
  static const std::vector<std::string> kFields = {
      "world",     "nodes",  "gpus_per_node", "state",     "end",
      "exit_code", "signal", "kind",          "framework", "cluster"};
  return kFields;
}

std::string evidence_document(const dsl::TestDecl& test) {
  const Json json = {{"schema", "attrib.evidence/1"},
                     {"workload", workload(test)},
                     {"sources", sources(test)},
                     {"observations", observations(test)}};
  return json.dump();
}

Result<TestEvidence> make_evidence(const dsl::TestDecl& test) {
  const evidence::Input input{"the test's evidence", std::nullopt, evidence_document(test)};
  TestEvidence made;
  ATTRIB_TRY(made.evidence, evidence::read({input}, {}));
  if (!made.evidence.problems.empty()) return Error{made.evidence.problems.front()};
  const auto found = by_id(made.evidence);
  for (std::size_t log = 0; log < test.logs.size(); ++log) {
    made.observations.emplace_back();
    for (std::size_t line = 0; line < test.logs[log].lines.size(); ++line) {
      const auto at = found.find(line_id(log, line));
      if (at == found.end()) return Error{line_id(log, line) + ": not among what was read"};
      made.observations.back().push_back(at->second);
    }
  }
  return made;
}

Result<evidence::Evidence> sample_evidence(const std::vector<dsl::File>& files) {
  dsl::TestDecl all;
  for (const dsl::File& file : files) {
    for (const dsl::Decl& decl : file.decls) {
      const auto* extract = std::get_if<dsl::ExtractDecl>(&decl);
      if (extract == nullptr) continue;
      for (const dsl::SampleClause& sample : extract->samples) {
        if (!sample.reject && !sample.object) add_sample(*extract, sample, all);
      }
    }
  }
  const evidence::Input input{"the samples", std::nullopt, evidence_document(all)};
  ATTRIB_TRY(evidence::Evidence made, evidence::read({input}, {}));
  if (!made.problems.empty()) return Error{made.problems.front()};
  return made;
}

}  // namespace attrib::ruletest
