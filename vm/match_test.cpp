#include "vm/match.h"

#include <doctest/doctest.h>

#include "model/required_literals.h"

namespace attrib::vm {
namespace {

using evidence::Evidence;
using evidence::Observation;
using model::PartKind;
using model::Reader;
using model::SourceKind;
using program::Extract;
using program::ExtractKind;
using program::Program;

constexpr MatchLimits kNoLimits{1U << 30U, 1U << 20U};

model::Type type_of(Reader reader) {
  model::Type type;
  type.kind = model::info(reader).kind;
  type.reader = reader;
  return type;
}

// Literal text, then perhaps a hole.
model::LineTemplate line(const std::string& text, int capture = -1, Reader reader = Reader::U32) {
  model::LineTemplate out;
  model::TemplatePart part;
  part.text = text;
  out.parts.push_back(part);
  if (capture < 0) return out;
  part = {};
  part.kind = PartKind::Hole;
  part.reader = reader;
  part.capture = static_cast<std::uint16_t>(capture);
  out.parts.push_back(part);
  return out;
}

model::Alternative alternative(std::vector<model::LineTemplate> lines, std::uint32_t within = 0) {
  model::Alternative out;
  out.literals = model::required_literals(lines[0]).any_of;
  out.lines = std::move(lines);
  out.within_lines = within;
  return out;
}

Extract extract(SourceKind from, std::vector<model::Alternative> alternatives) {
  Extract out;
  out.sources = model::source_bit(from);
  out.captures = {{"code", type_of(Reader::U32)}, {"name", type_of(Reader::Word)}};
  out.alternatives = std::move(alternatives);
  return out;
}

Observation message(std::string text, SourceKind source = SourceKind::App,
                    std::uint64_t position = 0, std::uint32_t stream = 1) {
  Observation o;
  o.source = source;
  o.speaks = model::source_bit(source);
  o.message = std::move(text);
  o.position = position;
  o.stream = stream;
  return o;
}

Evidence evidence_of(std::vector<Observation> observations) {
  Evidence out;
  out.observations = std::move(observations);
  return out;
}

Program program_of(std::vector<Extract> extracts) {
  Program out;
  out.extracts = std::move(extracts);
  out.rules.resize(1);  // Of all.
  return out;
}

TEST_CASE("the first alternative that matches wins, every extract may match") {
  const Program program =
      program_of({extract(SourceKind::App, {alternative({line("failure code ", 0)}),
                                            alternative({line("failure ", 1, Reader::Word)})}),
                  extract(SourceKind::App, {alternative({line("failure ")})}),
                  extract(SourceKind::App, {alternative({line("success ")})})});
  const auto result =
      match(program,
            evidence_of({message("a failure code 7"), message("a failure code x"), message("ok")}),
            kNoLimits);
  REQUIRE(result.matches.size() == 4);
  CHECK(result.matches[0].extract == 0);
  CHECK(result.matches[0].alternative == 0);
  CHECK(result.matches[0].captures[0] == model::int_constant(7));
  CHECK_FALSE(result.matches[0].captures[1].has_value());
  CHECK(result.matches[1].extract == 1);
  CHECK(result.matches[2].observation == 1);
  CHECK(result.matches[2].alternative == 1);
  CHECK(result.matches[2].captures[1] == model::text_constant("code"));
  CHECK_FALSE(result.matches[2].captures[0].has_value());
  CHECK(result.exceeded.empty());
}

TEST_CASE("an extract sees only what speaks for one of its sources") {
  const Program program =
      program_of({extract(SourceKind::Kernel, {alternative({line("failure ")})})});
  Observation framed = message("a failure ", SourceKind::Syslog);
  CHECK(match(program, evidence_of({framed}), kNoLimits).matches.empty());
  framed.speaks |= model::source_bit(SourceKind::Kernel);
  CHECK(match(program, evidence_of({framed}), kNoLimits).matches.size() == 1);
}

TEST_CASE(
    "metrics and records give a match each to extracts of their kind, and none to line extracts") {
  Extract metric = extract(SourceKind::Metric, {});
  metric.kind = ExtractKind::Metric;
  Extract record = extract(SourceKind::Slurm, {});
  record.kind = ExtractKind::Record;
  Extract lines = extract(SourceKind::Metric, {alternative({line("failure ")})});
  lines.sources |= model::source_bit(SourceKind::Slurm);
  const Program program = program_of({lines, record, metric});

  Observation sample = message("a failure ", SourceKind::Metric);
  sample.is_metric = true;
  sample.name = "DCGM_FI_DEV_XID_ERRORS";
  Observation state = message("a failure ", SourceKind::Slurm);
  state.is_record = true;
  Observation spoken = message("a failure ", SourceKind::Metric);
  spoken.is_metric = true;
  const auto result = match(program, evidence_of({sample, state, spoken}), kNoLimits);
  REQUIRE(result.matches.size() == 3);
  CHECK(result.matches[0].extract == 2);
  CHECK(result.matches[0].captures.size() == 2);
  CHECK(result.matches[1].extract == 1);
  CHECK(result.matches[2].extract == 0);
  CHECK(result.matches[2].observation == 2);
}

TEST_CASE("an alternative without a literal is tried on every line") {
  model::Alternative slow;
  slow.lines.emplace_back();
  slow.lines[0].regex = "[Ee]rror (?P<code>[0-9]+)";
  slow.slow_reason = "two spellings";
  const Program program = program_of({extract(SourceKind::App, {slow})});
  const auto result = match(
      program, evidence_of({message("Error 4"), message("error 5"), message("x")}), kNoLimits);
  REQUIRE(result.matches.size() == 2);
  CHECK(result.matches[1].captures[0] == model::int_constant(5));
}

TEST_CASE("`line start` holds for the start of the body only") {
  model::LineTemplate start = line("failure ");
  start.at_start = true;
  const Program program = program_of({extract(SourceKind::App, {alternative({start})})});
  CHECK(match(program, evidence_of({message("a failure ")}), kNoLimits).matches.empty());
  CHECK(match(program, evidence_of({message("failure ")}), kNoLimits).matches.size() == 1);
}

Program record_of_lines(std::uint32_t within) {
  return program_of({extract(
      SourceKind::App,
      {alternative({line("first line ", 0), line("name is ", 1, Reader::Word), line("the end")},
                   within)})});
}

TEST_CASE("next lines are the first later ones of the stream that match") {
  const auto result =
      match(record_of_lines(5),
            evidence_of(
                {message("name is early", SourceKind::App, 0),
                 message("first line 1", SourceKind::App, 1),
                 message("the end", SourceKind::App, 2), message("name is a", SourceKind::App, 3),
                 message("name is b", SourceKind::App, 4), message("the end", SourceKind::App, 5)}),
            kNoLimits);
  REQUIRE(result.matches.size() == 1);
  CHECK(result.matches[0].captures[0] == model::int_constant(1));
  CHECK(result.matches[0].captures[1] == model::text_constant("a"));
  CHECK(result.matches[0].more == std::vector<std::uint32_t>{3, 5});
}

TEST_CASE("next lines come within their number of lines, and from no other stream") {
  std::vector<Observation> lines = {
      message("first line 1", SourceKind::App, 1), message("x", SourceKind::App, 2),
      message("name is a", SourceKind::App, 3), message("the end", SourceKind::App, 4)};
  CHECK(match(record_of_lines(3), evidence_of(lines), kNoLimits).matches.size() == 1);
  CHECK(match(record_of_lines(2), evidence_of(lines), kNoLimits).matches.empty());
  lines[3].stream = 2;
  CHECK(match(record_of_lines(3), evidence_of(lines), kNoLimits).matches.empty());
}

TEST_CASE("lines of one position may have come in any order") {
  // Canonical order sorts them by their bytes.
  const std::vector<Observation> lines = {message("a name is a", SourceKind::App, 1),
                                          message("first line 1", SourceKind::App, 1),
                                          message("the end", SourceKind::App, 1)};
  const auto result = match(record_of_lines(2), evidence_of(lines), kNoLimits);
  REQUIRE(result.matches.size() == 1);
  CHECK(result.matches[0].more == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("more than the greatest number of lines is never looked at") {
  std::vector<Observation> lines = {message("first line 1", SourceKind::App, 0)};
  for (std::uint32_t i = 1; i < model::kMaxWithinLines - 1; ++i)
    lines.push_back(message("x", SourceKind::App, i));
  lines.push_back(message("name is a", SourceKind::App, 5000));
  lines.push_back(message("the end", SourceKind::App, 5001));
  CHECK(match(record_of_lines(1U << 31U), evidence_of(lines), kNoLimits).matches.size() == 1);
  lines.insert(lines.begin() + 1, message("x", SourceKind::App, 0));
  CHECK(match(record_of_lines(1U << 31U), evidence_of(lines), kNoLimits).matches.empty());
}

TEST_CASE("a limit ends the stage at a place that does not depend on the engine") {
  const Program program =
      program_of({extract(SourceKind::App, {alternative({line("failure ", 0)})})});
  const Evidence evidence =
      evidence_of({message("failure 1"), message("quiet"), message("failure 2")});
  const auto whole = match(program, evidence, kNoLimits);
  CHECK(whole.matches.size() == 2);
  CHECK(whole.bytes == 2 * (10 + 10) + 6);
  CHECK(match(program, evidence, {whole.bytes, 2}).exceeded.empty());
  const auto bytes = match(program, evidence, {whole.bytes - 1, 2});
  CHECK(bytes.exceeded == "bytes matched");
  CHECK(bytes.matches.size() == 1);
  CHECK(bytes.bytes <= whole.bytes - 1);
  const auto matches = match(program, evidence, {whole.bytes, 1});
  CHECK(matches.exceeded == "matches");
  CHECK(matches.matches.size() == 1);
  CHECK(match(program, evidence, {0, 0}).exceeded == "bytes matched");
}

TEST_CASE("of an extract that keeps the last, each stream has its last match") {
  Extract last = extract(SourceKind::App, {alternative({line("failure code ", 0)}),
                                           alternative({line("failure ", 1, Reader::Word)})});
  last.keep_last = true;
  const Program program =
      program_of({last, extract(SourceKind::App, {alternative({line("failure ")})})});
  const Evidence evidence = evidence_of({message("failure code 1", SourceKind::App, 1),
                                         message("failure code 2", SourceKind::App, 2),
                                         message("failure x", SourceKind::App, 3),
                                         message("quiet", SourceKind::App, 4),
                                         message("failure unseen", SourceKind::Kernel, 5),
                                         message("failure code 9", SourceKind::App, 1, 2)});
  const auto result = match(program, evidence, kNoLimits);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const Match& m : result.matches) seen.emplace_back(m.observation, m.extract);
  CHECK(seen == std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                    {0, 1}, {1, 1}, {2, 0}, {2, 1}, {5, 0}, {5, 1}});
  CHECK(result.matches[2].captures[1] == model::text_constant("x"));
  CHECK_FALSE(result.matches[2].captures[0].has_value());
  CHECK(result.matches[4].captures[0] == model::int_constant(9));
  CHECK(result.overtaken == std::vector<std::uint32_t>{0, 1});
  // What was replaced counts as no match.
  CHECK(match(program, evidence, {1U << 20U, 6}).exceeded.empty());
  CHECK(match(program, evidence, {1U << 20U, 5}).exceeded == "matches");
}

TEST_CASE("of an extract that keeps the first, each stream has the first match with each value") {
  Extract first = extract(SourceKind::App, {alternative({line("failure code ", 0)}),
                                            alternative({line("failure ", 1, Reader::Word)})});
  first.keep_first_by = {0};
  const Program program = program_of({first});
  const Evidence evidence = evidence_of({message("failure code 1", SourceKind::App, 1),
                                         message("failure code 2 now", SourceKind::App, 2),
                                         message("failure code 2 again", SourceKind::App, 3),
                                         message("failure x", SourceKind::App, 4),
                                         message("failure y", SourceKind::App, 5),
                                         message("failure code 1", SourceKind::App, 6),
                                         message("failure code 1", SourceKind::App, 1, 2)});
  const auto result = match(program, evidence, kNoLimits);
  std::vector<std::uint32_t> seen;
  for (const Match& m : result.matches) seen.push_back(m.observation);
  CHECK(seen == std::vector<std::uint32_t>{0, 1, 3, 6});  // `name` is not asked about.
  CHECK(result.overtaken == std::vector<std::uint32_t>{2, 4, 5});
  // What another stands for counts as no match.
  CHECK(match(program, evidence, {1U << 20U, 4}).exceeded.empty());
  CHECK(match(program, evidence, {1U << 20U, 3}).exceeded == "matches");
}

TEST_CASE("a template that cannot be compiled matches nothing") {
  model::Alternative bad;
  bad.lines.emplace_back();
  bad.lines[0].regex = "(";
  const Program program = program_of({extract(SourceKind::App, {bad})});
  CHECK(match(program, evidence_of({message("(")}), kNoLimits).matches.empty());
}

TEST_CASE("more templates than are kept compiled give the same matches") {
  std::vector<Extract> extracts;
  std::vector<Observation> lines;
  for (int i = 0; i < 1100; ++i) {
    extracts.push_back(
        extract(SourceKind::App, {alternative({line("number " + std::to_string(10'000 + i))})}));
  }
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1100; ++i) lines.push_back(message("number " + std::to_string(10'000 + i)));
  }
  const auto result = match(program_of(extracts), evidence_of(lines), kNoLimits);
  REQUIRE(result.matches.size() == 2200);
  CHECK(result.matches[1100].extract == 0);
  CHECK(result.matches[2199].extract == 1099);
}

}  // namespace
}  // namespace attrib::vm
