#include "tools/attrib-vm/profile.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>

namespace attrib::attrib_vm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, kSteps> kStepNames = {"start", "load", "read", "print"};
constexpr std::array<std::string_view, vm::kStages> kStageNames = {
    "extract", "resolve", "decode", "fold", "infer", "outcome", "demote", "rank", "assemble"};

std::int64_t clock_now(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

Times now() { return {clock_now(CLOCK_PROCESS_CPUTIME_ID), clock_now(CLOCK_MONOTONIC)}; }

double milliseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

struct Row {
  std::string_view name;
  Times times;
};

struct RuleRow {
  std::uint32_t rule;
  std::int64_t wall;
};

// The rules that ran, the longest first.
std::vector<RuleRow> by_time(const std::vector<std::int64_t>& times, const vm::RunResult& result) {
  std::vector<RuleRow> out;
  for (std::uint32_t r = 0; r < result.stats.size(); ++r) {
    const std::int64_t wall = r < times.size() ? times[r] : 0;
    if (wall > 0 || result.stats[r].steps > 0) out.push_back({r, wall});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RuleRow& a, const RuleRow& b) { return a.wall > b.wall; });
  return out;
}

// Those with the most lines looked at in vain first.
std::vector<vm::LineLook> by_waste(std::vector<vm::LineLook> looks) {
  std::stable_sort(looks.begin(), looks.end(), [](const vm::LineLook& a, const vm::LineLook& b) {
    return a.candidates - a.matches > b.candidates - b.matches;
  });
  return looks;
}

std::string literals_of(const program::Program& program, const vm::LineLook& look) {
  const model::Alternative& alternative =
      program.extracts[look.extract].alternatives[look.alternative];
  std::string out;
  for (const std::string& literal : alternative.literals)
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", literal);
  if (alternative.any_case) out += " in any case";
  return out.empty() ? "(every line)" : out;
}

// A control character or a blank at the end must show.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

struct Counted {
  std::string_view name;
  std::uint64_t count;
};

std::vector<Counted> counts(const evidence::Evidence& evidence, const vm::RunResult& result) {
  return {{"observations", evidence.observations.size()},
          {"copies", evidence.counters.copies},
          {"bytes matched", result.counts.matched_bytes},
          {"events", result.counts.events},
          {"symptoms", result.counts.symptoms},
          {"occurrences", result.counts.occurrences},
          {"edges", result.counts.edges}};
}

}  // namespace

RunProfile::RunProfile() : last_{0, clock_now(CLOCK_MONOTONIC)} { stepped(Step::Start); }

void RunProfile::charge() {
  const Times at = now();
  if (!open_.empty()) {
    Times& stage = stages_[static_cast<std::size_t>(open_.back())];
    stage.cpu += at.cpu - last_.cpu;
    stage.wall += at.wall - last_.wall;
    last_ = at;
  }
}

// What lies between two stages belongs to the one that comes.
void RunProfile::enter(vm::Stage stage) {
  charge();
  open_.push_back(stage);
}

void RunProfile::leave(vm::Stage /*stage*/) {
  charge();
  open_.pop_back();
}

void RunProfile::enter_rule(std::uint32_t rule) {
  if (rule >= rules_.size()) rules_.resize(rule + 1, 0);
  rule_began_ = clock_now(CLOCK_MONOTONIC);
}

void RunProfile::leave_rule(std::uint32_t rule) {
  rules_[rule] += clock_now(CLOCK_MONOTONIC) - rule_began_;
}

void RunProfile::stepped(Step step) {
  const Times at = now();
  Times& times = steps_[static_cast<std::size_t>(step)];
  times.cpu += at.cpu - last_.cpu;
  times.wall += at.wall - last_.wall;
  last_ = at;
}

namespace {

// In the order of a run: the steps before it, its stages, the step after it.
std::vector<Row> rows(const std::array<Times, kSteps>& steps,
                      const std::array<Times, vm::kStages>& stages) {
  std::vector<Row> out;
  for (std::size_t i = 0; i + 1 < kSteps; ++i) out.push_back({kStepNames[i], steps[i]});
  for (std::size_t i = 0; i < vm::kStages; ++i) out.push_back({kStageNames[i], stages[i]});
  out.push_back({kStepNames.back(), steps.back()});
  return out;
}

Times sum(const std::vector<Row>& rows) {
  Times out;
  for (const Row& row : rows) {
    out.cpu += row.times.cpu;
    out.wall += row.times.wall;
  }
  return out;
}

}  // namespace

std::string RunProfile::json(const program::Program& program, const evidence::Evidence& evidence,
                             const vm::RunResult& result) const {
  const auto all = rows(steps_, stages_);
  const Times total = sum(all);
  Json out;
  out["cpu_ms"] = milliseconds(total.cpu);
  out["wall_ms"] = milliseconds(total.wall);
  out["peak_bytes"] = peak_bytes();
  for (const Row& row : all) {
    out["stages"].push_back({{"stage", row.name},
                             {"cpu_ms", milliseconds(row.times.cpu)},
                             {"wall_ms", milliseconds(row.times.wall)}});
  }
  for (const Counted& each : counts(evidence, result)) {
    std::string name(each.name);
    std::replace(name.begin(), name.end(), ' ', '_');
    out["counts"][name] = each.count;
  }
  out["rules"] = Json::array();
  for (const RuleRow& row : by_time(rules_, result)) {
    const vm::RuleStats& stats = result.stats[row.rule];
    out["rules"].push_back({{"rule", stats.rule},
                            {"steps", stats.steps},
                            {"made", stats.made},
                            {"wall_ms", milliseconds(row.wall)}});
  }
  out["lines"] = Json::array();
  for (const vm::LineLook& look : by_waste(result.looks)) {
    const program::Extract& extract = program.extracts[look.extract];
    Json texts = Json::array();
    for (const std::string& literal : extract.alternatives[look.alternative].literals)
      texts.push_back(literal);
    out["lines"].push_back({{"extract", extract.name},
                            {"alternative", look.alternative},
                            {"literals", std::move(texts)},
                            {"candidates", look.candidates},
                            {"matches", look.matches}});
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string RunProfile::text(const program::Program& program, const evidence::Evidence& evidence,
                             const vm::RunResult& result, bool all) const {
  constexpr std::size_t kShown = 10;
  const auto stages = rows(steps_, stages_);
  const Times total = sum(stages);
  std::string out = fmt::format("{:<10} {:>10} {:>10}\n", "stage", "cpu ms", "wall ms");
  const auto line = [&](std::string_view name, const Times& times) {
    out += fmt::format("{:<10} {:>10.3f} {:>10.3f}\n", name, milliseconds(times.cpu),
                       milliseconds(times.wall));
  };
  for (const Row& row : stages) line(row.name, row.times);
  line("all", total);
  out += fmt::format("peak memory {:.1f} MB\n", static_cast<double>(peak_bytes()) / 1e6);
  for (const Counted& each : counts(evidence, result))
    out += fmt::format("{} {}{}", each.count, each.name, each.name == "edges" ? "\n" : ", ");
  const auto more = [&](std::size_t rest, std::string_view what) {
    if (rest > 0) out += fmt::format("  ... and {} more {} (--explain shows all)\n", rest, what);
  };
  const auto rules = by_time(rules_, result);
  const std::size_t shown_rules = all ? rules.size() : std::min(kShown, rules.size());
  out += fmt::format("\n{:>10} {:>12} {:>9}  rule\n", "wall ms", "steps", "made");
  for (std::size_t i = 0; i < shown_rules; ++i) {
    const vm::RuleStats& stats = result.stats[rules[i].rule];
    out += fmt::format("{:>10.3f} {:>12} {:>9}  {}\n", milliseconds(rules[i].wall), stats.steps,
                       stats.made, stats.rule);
  }
  more(rules.size() - shown_rules, "rules");
  const auto looks = by_waste(result.looks);
  const std::size_t shown_looks = all ? looks.size() : std::min(kShown, looks.size());
  out += fmt::format("\n{:>10} {:>9}  line\n", "candidates", "matches");
  for (std::size_t i = 0; i < shown_looks; ++i) {
    out += fmt::format("{:>10} {:>9}  {} {}: {}\n", looks[i].candidates, looks[i].matches,
                       program.extracts[looks[i].extract].name, looks[i].alternative,
                       shown(literals_of(program, looks[i])));
  }
  more(looks.size() - shown_looks, "lines");
  return out;
}

}  // namespace attrib::attrib_vm
