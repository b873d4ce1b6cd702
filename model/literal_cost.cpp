#include "model/literal_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "model/rarity.h"
#include "model/required_literals.h"

namespace attrib::model {
namespace {

struct Row {
  std::string_view text;
  bool weak;
};
constexpr std::array<Row, 6> kRows = {{{"reads every line", true},
                                       {"short", true},
                                       {"frequent", true},
                                       {"regex", false},
                                       {"any case", false},
                                       {"escaped in JSON", false}}};
const Row& row(SlowPath path) { return kRows.at(static_cast<std::size_t>(path)); }

bool is_escaped(char c) {
  return c == '"' || c == '\\' || (static_cast<unsigned char>(c) < 0x20 && c != '\t') ||
         static_cast<unsigned char>(c) >= 0x7f;
}

bool odd_blanks(const std::string& text) {
  return text.find('\t') != std::string::npos || text.find("  ") != std::string::npos;
}

template <typename Test>
bool any(const std::vector<std::string>& literals, const Test& test) {
  return std::any_of(literals.begin(), literals.end(), test);
}

}  // namespace

std::string_view to_text(SlowPath path) { return row(path).text; }
bool is_weak(SlowPath path) { return row(path).weak; }

double hits_a_million_lines(const std::vector<std::string>& literals, bool any_case) {
  double sum = 0;
  for (const std::string& each : literals) sum += expected_hits(each, any_case);
  const double lines = std::min(1.0, sum * kBytesOfLine) * 1e6;
  return std::strtod(fmt::format("{:.1e}", lines).c_str(), nullptr);
}

std::vector<SlowPath> slow_paths(const Alternative& alternative) {
  const std::vector<std::string>& literals = alternative.literals;
  std::vector<SlowPath> out;
  if (literals.empty()) out.push_back(SlowPath::EveryLine);
  if (any(literals, [](const auto& each) { return each.size() < kMinFilterLiteral; }))
    out.push_back(SlowPath::Short);
  if (!literals.empty() && hits_a_million_lines(literals, alternative.any_case) > kMaxHitsAMillionLines)
    out.push_back(SlowPath::Frequent);
  if (!alternative.lines.empty() && !alternative.lines[0].regex.empty())
    out.push_back(SlowPath::Regex);
  if (alternative.any_case) out.push_back(SlowPath::AnyCase);
  if (any(literals, [](const auto& each) { return any_of(each.begin(), each.end(), is_escaped); }))
    out.push_back(SlowPath::Escaped);
  return out;
}

std::vector<std::string> plain_spellings(const std::vector<std::string>& literals) {
  std::vector<std::string> out;
  for (const std::string& each : literals) {
    if (!odd_blanks(each)) out.push_back(each);
  }
  return out.empty() ? literals : out;
}

}  // namespace attrib::model
