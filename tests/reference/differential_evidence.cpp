#include "tests/reference/differential_evidence.h"

#include <fmt/format.h>

namespace attrib::differential {
namespace {

constexpr std::int64_t kStart = 1'779'091'200;  // 2026-05-18T08:00:00Z

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\t') {
      out += "\\t";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

class Writer {
 public:
  Writer(Random& random, const RuleSet& rules) : r_(random), rules_(rules) {}

  EvidenceText run() {
    header();
    sources();
    spread_ = r_.word({"3", "60", "900", "5000"});
    const std::size_t n = rules_.recipes.empty() ? 0 : 3 + r_.below(28);
    for (std::size_t i = 0; i < n; ++i) observation();
    return std::move(out_);
  }

 private:
  static std::string node_name(std::size_t i) { return fmt::format("n{}", i); }

  std::string stamp(std::int64_t offset_ms) {
    const std::int64_t ms = kStart * 1000 + offset_ms;
    const std::int64_t s = ms / 1000 - kStart;
    switch (r_.below(3)) {
      case 0:
        return fmt::format("\"2026-05-18T{:02}:{:02}:{:02}Z\"", 8 + s / 3600, s / 60 % 60, s % 60);
      case 1:
        return fmt::format("\"2026-05-18T{:02}:{:02}:{:02}.{:03}Z\"", 8 + s / 3600, s / 60 % 60,
                           s % 60, ms % 1000);
      default:
        return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
    }
  }

  void header() {
    out_.header.push_back("\"id\": \"42\"");
    if (r_.chance(50)) out_.header.push_back("\"attempt\": 1");
    if (r_.chance(60))
      out_.header.push_back("\"state\": \"" + r_.word({"FAILED", "COMPLETED", "TIMEOUT"}) + "\"");
    if (r_.chance(30)) out_.header.push_back(fmt::format("\"exit_code\": {}", r_.below(3)));
    if (r_.chance(50))
      out_.header.push_back("\"start\": " +
                            r_.word({"\"2026-05-18T08:00:00Z\"", "\"2026-05-18T08:00:00Z\"",
                                     "\"2026-05-18T08:05:00Z\"", "\"2026-05-18T09:00:00Z\""}));
    if (r_.chance(70)) out_.header.push_back("\"end\": \"2026-05-18T09:30:00Z\"");
    if (r_.chance(60))
      out_.header.push_back(
          r_.word({"\"nodes\": [\"n0\", \"n1\", \"n2\", \"n3\"]", "\"nodes\": [\"n0\", \"n1\"]",
                   "\"nodes\": [\"n0\", \"n1\", \"n2\", \"n3\", \"n4\", \"n5\", \"m1\"]"}));
    if (r_.chance(50))
      out_.header.push_back(fmt::format("\"ranks\": {}", r_.word({"4", "8", "0"})));
    if (r_.chance(60)) placement();
  }

  void placement() {
    std::string list;
    const std::size_t ranks = 1 + r_.below(5);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      list += fmt::format(
          "{}{{\"rank\": {}, \"node\": \"{}\"{}}}", list.empty() ? "" : ", ", rank,
          node_name(r_.below(3)),
          r_.chance(50) ? fmt::format(", \"gpu\": \"0000:0{}:00\"", 4 + r_.below(3)) : "");
    }
    out_.header.push_back("\"placement\": [" + list + "]");
  }

  void sources() {
    const std::size_t n = r_.below(5);
    for (std::size_t i = 0; i < n; ++i) {
      std::string item = fmt::format(
          "\"kind\": \"{}\"", r_.word({"app", "kernel", "slurm", "flight_recorder", "syslog"}));
      if (r_.chance(70)) item += fmt::format(", \"node\": \"{}\"", node_name(r_.below(4)));
      if (r_.chance(15)) item += fmt::format(", \"rank\": {}", r_.below(4));
      item += fmt::format(", \"status\": \"{}\"", r_.word({"ok", "ok", "empty", "failed"}));
      if (r_.chance(75)) {
        item += r_.word({", \"coverage\": [[\"2026-05-18T06:00:00Z\", \"2026-05-18T12:00:00Z\"]]",
                         ", \"coverage\": [[\"2026-05-18T06:00:00Z\", \"2026-05-18T12:00:00Z\"]]",
                         ", \"coverage\": [[\"2026-05-18T08:10:00Z\", \"2026-05-18T08:40:00Z\"]]"});
      }
      if (r_.chance(40))
        item += fmt::format(", \"clock_error\": \"{}\"", r_.word({"0s", "1ms", "2s", "60s"}));
      if (r_.chance(15)) item += ", \"lag\": \"1s\"";
      out_.sources.push_back("{" + item + "}");
    }
  }

  void observation() {
    if (!out_.observations.empty() && r_.chance(8)) {
      out_.observations.push_back(r_.pick(out_.observations));  // Delivered twice.
      return;
    }
    const Recipe& recipe = r_.pick(rules_.recipes);
    std::string source = r_.pick(recipe.sources);
    if (source == "any") source = r_.word({"app", "kernel", "slurm"});
    if (r_.chance(4)) source = "bmc";
    std::string common = fmt::format("\"source\": \"{}\"", source);
    if (r_.chance(85))
      common += fmt::format(", \"node\": \"{}\"",
                            r_.chance(90) ? node_name(r_.chance(40) ? 0 : r_.below(4)) : "m1");
    if (r_.chance(45)) common += fmt::format(", \"rank\": {}", r_.below(5));
    const bool sequenced = r_.chance(20);
    std::int64_t at = r_.between(0, std::stoll(spread_) * 1000);
    const std::size_t repeats = r_.chance(20) ? 2 + r_.below(4) : 1;
    for (std::size_t i = 0; i < repeats; ++i) {
      for (const std::string& part : recipe.instance(r_)) {
        std::string item = r_.chance(60) ? fmt::format("\"id\": \"o{}\", ", next_id_++) : "";
        item += common;
        if (!r_.chance(6)) item += ", \"ts\": " + stamp(at);
        if (sequenced) item += fmt::format(", \"seq\": {}", next_id_ + 100 * i);
        item +=
            ", " + (recipe.kind == Recipe::Kind::Lines ? "\"message\": " + json_text(part) : part);
        out_.observations.push_back("{" + item + "}");
        at += r_.chance(50) ? 1 : 700;
      }
      at += r_.between(0, 40'000);
    }
  }

  Random& r_;
  const RuleSet& rules_;
  EvidenceText out_;
  std::string spread_;
  std::size_t next_id_ = 0;
};

}  // namespace

std::string EvidenceText::text() const {
  return fmt::format(
      "{{\"schema\": \"attrib.evidence/1\",\n\"workload\": {{{}}},\n\"sources\": "
      "[{}],\n\"observations\": [\n{}\n]}}\n",
      fmt::join(header, ", "), fmt::join(sources, ",\n "), fmt::join(observations, ",\n"));
}

EvidenceText random_evidence(Random& random, const RuleSet& rules) {
  return Writer(random, rules).run();
}

}  // namespace attrib::differential
