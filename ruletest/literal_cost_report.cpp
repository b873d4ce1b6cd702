#include "ruletest/literal_cost_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "model/any_case.h"
#include "model/required_literals.h"
#include "vm/literal_scan.h"

namespace attrib::ruletest {
namespace {

constexpr std::size_t kBlock = 1U << 20U;
constexpr std::size_t kLongestLine = 16U << 20U;  // A longer one is counted in parts.
constexpr std::size_t kWidth = 80;

template <typename T>
void add_once(std::vector<T>* list, const T& item) {
  if (std::find(list->begin(), list->end(), item) == list->end()) list->push_back(item);
}

// Bytes that a terminal would not show as they are.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(most - 3);
  return text + "...";
}

std::string shown(const std::vector<std::string>& literals) {
  if (literals.empty()) return "(none)";
  const auto plain = model::plain_spellings(literals);
  std::string out;
  for (const std::string& each : plain)
    out += fmt::format("{}\"{}\"", out.empty() ? "" : " ", shown(each));
  return out;
}

std::string slow_words(const LiteralCost& row) {
  std::string out;
  for (const model::SlowPath path : row.slow)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", model::to_text(path));
  return out;
}

std::string rule_words(const LiteralCost& row) {
  std::string out = row.rules.front();
  if (row.rules.size() > 1) out += fmt::format(" +{}", row.rules.size() - 1);
  return out;
}

// Counts, for each set, the lines that hold one of its literals.
class LineCount {
 public:
  explicit LineCount(std::vector<LiteralCost>* rows) : rows_(rows), scan_(collect(*rows)) {
    seen_.resize(rows->size());
  }

  // `text` is whole lines, but for the last one of a file.
  void count(std::string_view text) {
    scan_.scan(text, &hits_);
    std::sort(hits_.begin(), hits_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    std::size_t at = 0;
    for (const auto& hit : hits_) {
      const std::size_t before = static_cast<std::size_t>(
          std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                     text.begin() + static_cast<std::ptrdiff_t>(hit.at), '\n'));
      at = hit.at;
      line_ += before;
      for (const std::size_t row : users_[hit.literal]) {
        if (seen_[row] == line_ + 1) continue;
        seen_[row] = line_ + 1;
        ++*(*rows_)[row].hits;
      }
    }
    line_ += static_cast<std::uint64_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n'));
  }
  [[nodiscard]] std::uint64_t lines() const { return line_; }

 private:
  vm::LiteralScan collect(std::vector<LiteralCost>& rows) {
    std::map<model::SearchText, std::vector<std::size_t>> by_text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].hits = 0;
      for (const std::string& each : rows[i].literals)
        by_text[{each, rows[i].any_case}].push_back(i);
    }
    std::vector<model::SearchText> texts;
    for (auto& [text, users] : by_text) {
      texts.push_back(text);
      users_.push_back(std::move(users));
    }
    return vm::LiteralScan(std::move(texts));
  }

  std::vector<LiteralCost>* rows_;
  std::vector<std::vector<std::size_t>>
      users_;  // Rows of each literal. Stands before scan_, which fills it.
  vm::LiteralScan scan_;
  std::vector<vm::LiteralScan::Hit> hits_;
  std::vector<std::uint64_t> seen_;  // The line, from 1, that each row was last found in.
  std::uint64_t line_ = 0;
};

}  // namespace

LiteralCostReport::LiteralCostReport(const program::Program& program) {
  std::map<std::pair<std::vector<std::string>, bool>, LiteralCost> by_set;
  std::set<model::SearchText> distinct;
  for (const program::Extract& extract : program.extracts) {
    for (const model::Alternative& alternative : extract.alternatives) {
      LiteralCost& row = by_set[{alternative.literals, alternative.any_case}];
      ++row.alternatives;
      add_once(&row.rules, extract.name);
      for (const model::SlowPath path : model::slow_paths(alternative)) add_once(&row.slow, path);
      if (!alternative.slow_reason.empty()) add_once(&row.reasons, alternative.slow_reason);
      for (const std::string& each : alternative.literals)
        distinct.insert({each, alternative.any_case});
      ++alternatives_;
    }
  }
  literals_ = distinct.size();
  short_ = static_cast<std::size_t>(
      std::count_if(distinct.begin(), distinct.end(),
                    [](const auto& each) { return each.text.size() < model::kMinFilterLiteral; }));
  for (auto& [set, row] : by_set) {
    const auto& [literals, any_case] = set;
    row.literals = literals;
    row.any_case = any_case;
    row.expected = literals.empty() ? 1e6 : model::hits_a_million_lines(literals, any_case);
    row.bytes = literals.empty() ? 0 : literals.front().size();
    for (const std::string& each : literals) row.bytes = std::min(row.bytes, each.size());
    std::sort(row.rules.begin(), row.rules.end());
    std::sort(row.slow.begin(), row.slow.end());
    rows_.push_back(std::move(row));
  }
  sort();
}

void LiteralCostReport::sort() {
  const auto cost = [&](const LiteralCost& row) {
    return (row.hits ? static_cast<double>(*row.hits) : row.expected) *
           static_cast<double>(row.alternatives);
  };
  std::stable_sort(rows_.begin(), rows_.end(), [&](const LiteralCost& a, const LiteralCost& b) {
    return std::tuple(-cost(a), a.bytes, a.literals) < std::tuple(-cost(b), b.bytes, b.literals);
  });
}

Status LiteralCostReport::measure(const std::string& log) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(log.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) return Error{fmt::format("{}: {}", log, std::strerror(errno))};
  LineCount counter(&rows_);
  std::string buffer;
  while (true) {
    const std::size_t held = buffer.size();
    buffer.resize(held + kBlock);
    const std::size_t got = std::fread(buffer.data() + held, 1, kBlock, file.get());
    buffer.resize(held + got);
    if (got == 0) break;
    const std::size_t end = buffer.rfind('\n');
    const std::size_t whole = end != std::string::npos        ? end + 1
                              : buffer.size() >= kLongestLine ? buffer.size()
                                                              : 0;
    counter.count(std::string_view(buffer).substr(0, whole));
    buffer.erase(0, whole);
  }
  if (std::ferror(file.get()) != 0) return Error{fmt::format("{}: {}", log, std::strerror(errno))};
  if (!buffer.empty()) counter.count(buffer);
  lines_ = counter.lines() + (buffer.empty() ? 0 : 1);
  for (LiteralCost& row : rows_) {
    if (row.literals.empty()) row.hits = lines_;
  }
  measured_ = true;
  sort();
  return Done{};
}

std::string LiteralCostReport::summary() const {
  double expected = 0;
  std::size_t every = 0;
  std::uint64_t hits = 0;
  for (const LiteralCost& row : rows_) {
    if (row.literals.empty()) {
      every += row.alternatives;
      continue;
    }
    expected += row.expected;
    hits += row.hits.value_or(0);
  }
  std::string out = fmt::format(
      "{} alternatives look for {} literals, {} of them short; {} read every line;\n"
      "about {:.0f} hits in a million ordinary lines",
      alternatives_, literals_, short_, every, expected);
  if (measured_) out += fmt::format(", {} in the log's {}", hits, lines_);
  return out + "\n";
}

std::string LiteralCostReport::text(std::size_t top) const {
  std::string out =
      fmt::format("{:>9} {}{:>5} {:>6}  literals; rules (slow paths)\n", "hits/1M",
                  measured_ ? fmt::format("{:>9} ", "in log") : "", "bytes", "shared");
  const std::size_t left = measured_ ? 34 : 24;
  const std::size_t count = top == 0 ? rows_.size() : std::min(top, rows_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const LiteralCost& row = rows_[i];
    out += fmt::format("{:>9.2f} ", row.expected);
    if (row.hits) out += fmt::format("{:>9} ", *row.hits);
    out += fmt::format("{:>5} {:>6}  {}\n", row.bytes, row.alternatives,
                       cut(shown(row.literals), kWidth - left));
    const std::string slow = slow_words(row);
    out +=
        fmt::format("{:{}}{}\n", "", left,
                    cut(rule_words(row) + (slow.empty() ? "" : " (" + slow + ")"), kWidth - left));
  }
  if (count < rows_.size())
    out += fmt::format("... and {} more; --top 0 shows all\n", rows_.size() - count);
  return out + summary();
}

std::string LiteralCostReport::json() const {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", "attrib.cost/1"},
              {"alternatives", alternatives_},
              {"literals", literals_},
              {"short_literals", short_}};
  if (measured_) out["log_lines"] = lines_;
  out["rows"] = Json::array();
  for (const LiteralCost& row : rows_) {
    Json slow = Json::array();
    for (const model::SlowPath path : row.slow) slow.push_back(model::to_text(path));
    Json each = {{"literals", row.literals},       {"any_case", row.any_case},
                 {"expected_hits", row.expected}, {"bytes", row.bytes},
                 {"shared_by", row.alternatives}, {"rules", row.rules},
                 {"slow_paths", std::move(slow)}, {"reasons", row.reasons}};
    if (row.hits) each["log_hits"] = *row.hits;
    out["rows"].push_back(std::move(each));
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attrib::ruletest
