#include "model/ordinary_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "model/any_case.h"
#include "model/required_literals.h"

namespace attrib::model {
namespace {

struct Line {
  double weight;
  std::string_view text;
};
constexpr auto kLines = std::to_array<Line>({
#include "model/ordinary_lines.inc"
});

// As bench/rarity_tables.py writes them.
constexpr char kEnd = '\0', kDigits = '\1', kUnknown = '\2';
constexpr double kOfOneDigit = 0.1;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void for_each_ordinary_line(const std::function<void(double, std::string_view)>& each) {
  for (const Line& line : kLines) each(line.weight, line.text);
}

const OrdinaryLines& OrdinaryLines::get(bool any_case) {
  if (any_case) {
    static const OrdinaryLines kMade(true);
    return kMade;
  }
  static const OrdinaryLines kMade(false);
  return kMade;
}

OrdinaryLines::OrdinaryLines(bool any_case) {
  std::vector<double> weights;  // Of the line at each place of texts_.
  for (const Line& line : kLines) {
    texts_ += any_case ? to_lower(line.text) : std::string(line.text);
    texts_ += kEnd;
    weights.resize(texts_.size(), line.weight);
    lines_ += line.weight;
  }
  for (std::uint32_t i = 0; i < texts_.size(); ++i) {
    if (texts_[i] != kEnd && texts_[i] != kUnknown) suffixes_.push_back(i);
  }
  std::sort(suffixes_.begin(), suffixes_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return at(a) < at(b); });
  weight_before_.push_back(0);
  for (const std::uint32_t i : suffixes_)
    weight_before_.push_back(weight_before_.back() + weights[i]);
}

std::string_view OrdinaryLines::at(std::uint32_t i) const {
  return std::string_view(texts_).substr(i, kMaxFilterLiteral);
}

double OrdinaryLines::weight_of(std::string_view text) const {
  const auto low = std::lower_bound(
      suffixes_.begin(), suffixes_.end(), text,
      [&](std::uint32_t i, std::string_view t) { return at(i).substr(0, t.size()) < t; });
  const auto high = std::upper_bound(
      low, suffixes_.end(), text,
      [&](std::string_view t, std::uint32_t i) { return t < at(i).substr(0, t.size()); });
  return weight_before_[static_cast<std::size_t>(high - suffixes_.begin())] -
         weight_before_[static_cast<std::size_t>(low - suffixes_.begin())];
}

double OrdinaryLines::share(std::string_view text) const {
  if (text.empty()) return 1;
  double weight = weight_of(text);
  // The digit may be the end of one hole or the start of another.
  std::string in_hole(text);
  const bool first = is_digit(text.front()), last = text.size() > 1 && is_digit(text.back());
  if (first) {
    in_hole.front() = kDigits;
    weight += kOfOneDigit * weight_of(in_hole);
  }
  if (last) {
    in_hole.back() = kDigits;
    weight += (first ? kOfOneDigit : 1) * kOfOneDigit * weight_of(in_hole);
    in_hole.front() = text.front();
    if (first) weight += kOfOneDigit * weight_of(in_hole);
  }
  return std::min(1.0, std::max(0.0, weight / lines_));
}

}  // namespace attrib::model
