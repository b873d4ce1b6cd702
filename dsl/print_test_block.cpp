#include <fmt/format.h>

#include "dsl/print.h"
#include "dsl/print_parts.h"

namespace attrib::dsl {
namespace {

template <typename T>
std::string speaker_text(const T& log) {
  if (log.rank)
    return fmt::format(" of rank {}{}", *log.rank,
                       log.node ? " on " + quoted(log.node->value) : "");
  return log.node ? " of " + quoted(log.node->value) : "";
}

std::string source_text(const TestSource& source) {
  std::string out = "source " + source.source.text + speaker_text(source);
  if (source.status) out += " status " + source.status->text;
  if (source.covers) {
    out += fmt::format(" covers {}..{}", duration_text(source.covers->first),
                       duration_text(source.covers->second));
  }
  return out;
}

std::string line_text(const TestLine& line) {
  std::string out = duration_text(line.at) + " " +
                    (line.object ? object_text(*line.object) : quoted(line.line.value));
  if (line.expects_nothing) out += " => nothing";
  for (const auto& [extract, fields] : line.expects)
    out += fmt::format(" => {} {}", extract.text, object_text(fields));
  return out;
}

std::string log_text(const TestLog& log) {
  std::string out;
  switch (log.kind) {
    case TestLog::Kind::Lines:
      out = "log " + log.source.text;
      break;
    case TestLog::Kind::Record:
      out = "record " + log.source.text;
      break;
    case TestLog::Kind::Metric:
      out = "metric";
      break;
  }
  out = "  " + out + speaker_text(log) + " {\n";
  for (const TestLine& line : log.lines) out += "    " + line_text(line) + "\n";
  return out + "  }\n";
}

std::string where_text(const Where& where) {
  switch (where.kind) {
    case Where::Kind::Node:
      return quoted(where.text);
    case Where::Kind::Rank:
      return fmt::format("rank {}", where.number);
    case Where::Kind::Gpu:
      return "gpu " + quoted(where.text);
    case Where::Kind::Attempt:
      return "attempt";
  }
  return "";
}

std::string texts(const std::vector<Text>& all) {
  std::string out;
  for (const Text& text : all) out += (out.empty() ? "" : ", ") + quoted(text.value);
  return out;
}

std::string subject_text(const Expectation& expect) {
  using Kind = Expectation::Kind;
  const std::string names = names_text(expect.names, ", ");
  switch (expect.kind) {
    case Kind::Root:
      return "root " + names;
    case Kind::RootsInclude:
      return "roots include " + names;
    case Kind::Demoted:
      return "demoted " + names;
    case Kind::Symptom:
      return "symptom " + names;
    case Kind::No:
      return "no " + names;
    case Kind::Status:
      return "status " + names;
    case Kind::Outcome:
      return "outcome " + names;
    case Kind::Domain:
      return "domain " + names;
    case Kind::Affected:
      return "affected [" + texts(expect.texts) + "]";
    case Kind::Exclude:
      return "exclude [" + texts(expect.texts) + "]";
    case Kind::Ambiguous:
      return names.empty() ? "ambiguous" : "ambiguous between " + names;
    case Kind::NoAmbiguous:
      return "no ambiguous";
    case Kind::Unattributed:
      return "unattributed";
    case Kind::Ask:
      return "ask " + texts(expect.texts);
  }
  return "";
}

}  // namespace

std::string print_expectation(const Expectation& expect) {
  std::string out = subject_text(expect);
  if (expect.at) out += " at " + where_text(*expect.at);
  if (expect.fields) out += " " + object_text(*expect.fields);
  if (expect.role) out += " role " + expect.role->text;
  if (expect.by) out += " by " + expect.by->text;
  if (expect.confidence) out += " confidence " + expect.confidence->text;
  return out;
}

std::string print_test(const TestDecl& test) {
  std::string out = fmt::format("test {} {{\n", quoted(test.title.value));
  if (test.job) out += "  job " + object_text(*test.job) + "\n";
  for (const TestPlace& place : test.places) {
    out += fmt::format("  place rank {} on {}{}\n", place.rank, quoted(place.node.value),
                       place.gpu ? " gpu " + quoted(place.gpu->value) : "");
  }
  for (const TestClock& clock : test.clocks) {
    out += fmt::format("  clock {} offset {} error {}\n", quoted(clock.node.value),
                       duration_text(clock.offset), duration_text(clock.error));
  }
  for (const TestSource& source : test.sources) out += "  " + source_text(source) + "\n";
  for (const TestLog& log : test.logs) out += log_text(log);
  for (const Expectation& expect : test.expects)
    out += "  expect " + print_expectation(expect) + "\n";
  return out + "}\n";
}

}  // namespace attrib::dsl
