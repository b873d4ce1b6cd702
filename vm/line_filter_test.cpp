#include "vm/line_filter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evidence/test_evidence.h"
#include "model/required_literals.h"
#include "vm/alike.h"
#include "vm/match.h"

namespace attrib::vm {
namespace {

using evidence::Evidence;
using model::SourceKind;

constexpr MatchLimits kNoLimits{std::uint64_t{1} << 40U, 1U << 24U};

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 8U) % n;
  }

 private:
  std::uint32_t state_;
};

model::LineTemplate line(const std::string& text, bool at_start = false) {
  model::LineTemplate out;
  model::TemplatePart part;
  part.text = text;
  out.parts.push_back(part);
  out.at_start = at_start;
  return out;
}

model::LineTemplate regex(const std::string& text) {
  model::LineTemplate out;
  out.regex = text;
  return out;
}

program::Extract extract(std::vector<model::LineTemplate> lines, model::SourceMask sources) {
  program::Extract out;
  for (model::LineTemplate& each : lines) {
    model::Alternative alternative;
    alternative.literals = model::required_literals(each).any_of;
    alternative.lines = {std::move(each)};
    out.alternatives.push_back(std::move(alternative));
  }
  out.sources = sources;
  return out;
}

program::Extract last_of(program::Extract extract) {
  extract.keep_last = true;
  return extract;
}

// Lines that only the last counts of, in every way the filter may answer for them.
program::Program program_of_lasts() {
  const model::SourceMask all = static_cast<model::SourceMask>(~0U);
  program::Program out;
  out.rules.resize(1);  // Makes no event.
  out.extracts = {
      last_of(extract({line("shards: ")}, all)),
      last_of(extract({line("shards: 9"), line("bar at ")}, all)),
      last_of(extract({line("Saving ", true)}, all)),  // Nothing can be told before it is framed.
      last_of(extract({regex("\\brows? [0-9]+")}, all)),
      last_of(extract({line("mlx5 "), line("link ")}, model::source_bit(SourceKind::Kernel))),
      last_of(extract({regex("[0-9]{4}$")}, all)),  // Holds no text.
      extract({line("FAULT ")}, all),
  };
  return out;
}

std::string random_body(Random& random, std::uint32_t i, std::uint32_t line) {
  switch (random.below(30)) {
    case 0: return fmt::format("loading shards: {}", random.below(100));
    case 1: return fmt::format("shards: {} bar at {}", random.below(100), i);
    case 2: return fmt::format("Saving {} rows {}", i, i);
    case 3: return fmt::format("saving rows {}", i);
    case 4: return fmt::format("kernel: mlx5 {}", i);
    case 5: return fmt::format("mlx5 {} link ", i);
    case 6: return fmt::format("caf\xC3\xA9 shards: {}", i);
    case 7: return fmt::format("\x1B[36msha\x1B[0mrds: {}", i);
    case 8: return fmt::format("FAULT {} shards: {}", line, i);
    case 9: return fmt::format("arrows {} took {}", i, 1000 + random.below(9000));
    default: return fmt::format("all is well with {}.", i);
  }
}

std::string random_log(Random& random, std::size_t bytes, std::uint32_t numbers = 1U << 30U) {
  std::string out;
  for (std::uint32_t i = 0; out.size() < bytes; ++i) {
    const std::string at = fmt::format("2026-05-18T{:02}:{:02}:{:02}.{:03}", 8 + i / 3600 % 12,
                                       i / 60 % 60, i % 60, i % 1000);
    const std::string body = random_body(random, i % numbers, i);
    // Later parts of the log have fewer streams.
    const std::uint32_t streams = out.size() > bytes / 2 ? 4 : 9;
    switch (random.below(streams)) {
      case 0: out += fmt::format("{}Z {}\n", at, body); break;
      case 1: out += fmt::format("[rank1]: {}\n", body); break;
      case 2: out += fmt::format("{}000+00:00 host-{} {}\n", at, random.below(3), body); break;
      case 3: out += fmt::format("{}: {}\r\n", random.below(3), body); break;
      case 4: out += fmt::format("[rank{}]:[{}Z] {}\n", random.below(5), at, body); break;
      case 5: out += fmt::format("(Worker pid=1) [rank{}]: {}\n", random.below(3), body); break;
      case 6: out += fmt::format("{}000Z stdout F {}\n", at, body); break;
      case 7: out += fmt::format("{0}000Z stderr P {1}\n{0}000Z stderr F  shards: 7\n", at, body); break;
      default:
        out += fmt::format(R"({{"log":"{} \n","stream":"stdout","time":"{}Z"}})", i, at) + "\n";
    }
  }
  return out;
}

// What the extracts made of which lines.
std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>> seen(
    const program::Program& program, const Evidence& evidence, LineEngine* engine) {
  std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>> out;
  for (const Match& m : match(program, evidence, kNoLimits, engine).matches) {
    const evidence::Observation& o = evidence.observations[m.observation];
    out.emplace_back(o.ids.at(0) + " " + o.message, m.extract, m.alternative);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// What a run keeps of the log.
Evidence read_filtered(const std::string& spec, const std::string& text, LineEngine* engine) {
  const auto filter = make_line_filter(engine);
  evidence::ReadOptions options;
  options.filter = filter.get();
  return evidence::must_read({evidence::log_input(spec, text)}, options);
}

TEST_CASE("extracts that keep the last make the same of a log whether all its lines are kept or not") {
  const program::Program program = program_of_lasts();
  for (std::uint32_t round = 0; round < 12; ++round) {
    Random random(round + 1);
    const std::string text = random_log(random, 400'000 + random.below(600'000));
    for (const char* spec : {"app=x", "app@n=x", "syslog=x", "kernel@n=x", "slurm=x", "app@rank3=x"}) {
      const Evidence all = evidence::must_read({evidence::log_input(spec, text)});
      LineEngine engine(program);
      const Evidence some = read_filtered(spec, text, &engine);
      CAPTURE(spec);
      CAPTURE(round);
      CHECK(some.counters.lines == all.counters.lines);
      CHECK(some.observations.size() < all.observations.size());
      const auto expected = seen(program, all, nullptr);
      CHECK(expected.size() > 10);
      CHECK(seen(program, some, &engine) == expected);
    }
  }
}

// `text` and then a number.
program::Extract numbered(const std::string& text, model::SourceMask sources, bool at_start = false) {
  model::LineTemplate shape = line(text, at_start);
  model::TemplatePart hole;
  hole.kind = model::PartKind::Hole;
  hole.reader = model::Reader::U32;
  hole.capture = 0;
  shape.parts.push_back(hole);
  program::Extract out = extract({std::move(shape)}, sources);
  model::Type type;
  type.kind = model::ValueKind::Int;
  type.reader = model::Reader::U32;
  out.captures = {{"number", type}};
  return out;
}

program::Extract first_of(program::Extract extract) {
  extract.keep_first_by = {0};
  return extract;
}

// Of the lines of some of its extracts the first with each number counts; rule 1 learns of it.
program::Program program_of_firsts() {
  const model::SourceMask all = static_cast<model::SourceMask>(~0U);
  program::Program out;
  out.code = {{program::Opcode::Halt, 0, 0, 0, 0},
              {program::Opcode::LoadCapture, 0, 0, 0, 0},
              {program::Opcode::Learn, 0, 0, 1, 0},
              {program::Opcode::Halt, 0, 0, 0, 0}};
  out.rules.resize(2);
  out.rules[0].code_end = 1;
  out.rules[1].code_begin = 1;
  out.rules[1].code_end = 4;
  out.extracts = {
      first_of(numbered("shards: ", all)),
      first_of(numbered("Saving ", all, true)),
      first_of(numbered("mlx5 ", model::source_bit(SourceKind::Kernel))),
      numbered("bar at ", all),
      numbered("rows ", all),
      extract({line("FAULT ")}, all),
  };
  out.extracts[4].rule = 1;
  return out;
}

TEST_CASE("extracts for which the first of alike lines is enough make the same of a log whether all its lines are kept or not") {
  const program::Program program = program_of_firsts();
  CHECK(told_apart_by(program, program.extracts[0]) == std::vector<std::uint32_t>{0});
  CHECK_FALSE(told_apart_by(program, program.extracts[3]));
  CHECK(told_apart_by(program, program.extracts[4]) == std::vector<std::uint32_t>{0});
  // What each stream says, for the extract that learns: that is a set.
  const auto learned = [&](const Evidence& evidence, LineEngine* engine) {
    std::set<std::string> out;
    for (const Match& m : match(program, evidence, kNoLimits, engine).matches) {
      const evidence::Observation& o = evidence.observations[m.observation];
      if (m.extract == 4)
        out.insert(fmt::format("{} {} {}", o.node, o.rank.value_or(999), m.captures.at(0)->number));
    }
    return out;
  };
  const auto others = [&](const Evidence& evidence, LineEngine* engine) {
    auto out = seen(program, evidence, engine);
    std::erase_if(out, [](const auto& each) { return std::get<1>(each) == 4; });
    return out;
  };
  for (std::uint32_t round = 0; round < 12; ++round) {
    Random random(round + 1);
    const std::string text = random_log(random, 400'000 + random.below(600'000), 3 + round);
    for (const char* spec : {"app=x", "app@n=x", "syslog=x", "kernel@n=x", "slurm=x", "app@rank3=x"}) {
      const Evidence all = evidence::must_read({evidence::log_input(spec, text)});
      LineEngine engine(program);
      const Evidence some = read_filtered(spec, text, &engine);
      CAPTURE(spec);
      CAPTURE(round);
      CHECK(some.counters.lines == all.counters.lines);
      const auto expected = others(all, nullptr);
      CHECK(expected.size() > 10);
      CHECK(others(some, &engine) == expected);
      CHECK(learned(some, &engine) == learned(all, nullptr));
      CHECK(learned(all, nullptr).size() > 2);
    }
  }
}

TEST_CASE("more extracts that keep the last than the reader tells apart are kept whole, and exact") {
  program::Program program;
  for (int i = 0; i < 80; ++i) {
    program.extracts.push_back(last_of(extract({line(fmt::format("number-{} ", i))},
                                               model::source_bit(SourceKind::App))));
  }
  std::string text;
  for (int i = 0; text.size() < 500'000; ++i)
    text += fmt::format("[rank{}]: number-{} of {}\n", i % 3, i % 80, i);
  const Evidence all = evidence::must_read({evidence::log_input("app=x", text)});
  LineEngine engine(program);
  const Evidence some = read_filtered("app=x", text, &engine);
  CHECK(some.observations.size() < all.observations.size() / 2);
  const auto expected = seen(program, all, nullptr);
  CHECK(expected.size() == 240);
  CHECK(seen(program, some, &engine) == expected);
}

// What stands in front of a body may hold what a template begins with, or the whole of it.
TEST_CASE("what was tried of a line holds for its body: who matches, what repeats, what is captured") {
  const model::SourceMask all = static_cast<model::SourceMask>(~0U);
  program::Program program;
  program.rules.resize(1);  // Makes no event.
  program.extracts = {extract({regex("fault (?P<code>[0-9]+)(?: on (?P<name>[a-z]+))?"), line("node9: ")}, all),
                      extract({regex("node(?P<code>[0-9]+): +fault"), regex("^fault +(?P<name>.*)$")}, all),
                      extract({line("on bus"), line("node8:")}, all)};
  model::Type number, word;
  number.kind = model::ValueKind::Int;
  number.reader = model::Reader::U32;
  word.kind = model::ValueKind::String;
  for (program::Extract& each : program.extracts) each.captures = {{"code", number}, {"name", word}};
  const std::vector<std::string> parts = {"fault 1",  "fault 22 on bus", "node7: ", "node8:  fault 9",
                                          " on bus ", "[x] ",            "fault ",  " "};
  Random random(3);
  LineEngine engine(program);
  const auto filter = make_line_filter(&engine);
  std::size_t captured = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint32_t n = 1 + random.below(5); n > 0; --n) text += parts[random.below(8)];
    const std::size_t from = random.below(3) == 0 ? 0 : random.below(static_cast<std::uint32_t>(text.size()));
    const std::string body = text.substr(from);
    CAPTURE(text);
    CAPTURE(body);
    std::vector<evidence::LineFilter::Hit> hits;
    filter->prepare();
    filter->search(text, &hits);
    if (hits.empty()) continue;
    if (random.below(4) != 0) filter->confirms(text, hits);
    const evidence::LineFilter::Place place{hits, from};
    if (random.below(2) == 0)
      REQUIRE(filter->matches(body, &place).why == filter->matches(body, nullptr).why);
    if (random.below(2) == 0)
      REQUIRE(filter->counting(body, &place, all).has_value() == filter->counting(body, nullptr, all).has_value());
    evidence::Observation o;
    o.message = body;
    o.speaks = model::source_bit(SourceKind::App);
    o.found = filter->note(body, place);
    Evidence evidence;
    evidence.observations.push_back(std::move(o));
    const auto noted = match(program, evidence, kNoLimits, &engine).matches;
    const auto searched = match(program, evidence, kNoLimits, nullptr).matches;
    REQUIRE(noted.size() == searched.size());
    for (std::size_t i = 0; i < noted.size(); ++i) {
      REQUIRE(noted[i].alternative == searched[i].alternative);
      REQUIRE(noted[i].captures == searched[i].captures);
      captured += noted[i].captures[0].has_value() ? 1 : 0;
    }
  }
  CHECK(captured > 500);
}

// Short texts are found after all others, and a long text by a word far behind its first byte.
TEST_CASE("texts that a filter finds in a block stand by place, each once") {
  program::Program program;
  program.rules.resize(1);  // Makes no event.
  const std::vector<std::string> texts = {"bad", "zz", "a rather long text of no rare words qzvxwk", "of no rare",
                                    "qzvxwkj", "long text of"};
  std::vector<model::LineTemplate> lines;
  for (const std::string& each : texts) lines.push_back(line(each));
  program.extracts = {extract(std::move(lines), static_cast<model::SourceMask>(~0U))};
  Random random(5);
  for (const std::uint32_t dense : {2U, 20U, 400U}) {
    std::string block;
    while (block.size() < 40'000) {
      block += random.below(dense) == 0 ? texts[random.below(6)] : "so be it";
      if (random.below(9) == 0) block += '\n';
    }
    LineEngine engine(program);
    std::vector<evidence::LineFilter::Hit> hits;
    const auto filter = make_line_filter(&engine);
    filter->prepare();
    filter->search(block, &hits);
    std::size_t wanted = 0;
    for (const std::string& each : texts) {
      for (std::size_t at = block.find(each); at != std::string::npos; at = block.find(each, at + 1))
        ++wanted;
    }
    CHECK(hits.size() == wanted);
    CHECK(wanted > 10);
    const auto place = [](const auto& hit) { return std::pair(hit.at, hit.text); };
    for (std::size_t i = 1; i < hits.size(); ++i) CHECK(place(hits[i - 1]) < place(hits[i]));
  }
}

}  // namespace
}  // namespace attrib::vm
