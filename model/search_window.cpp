#include "model/search_window.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "model/any_case.h"
#include "model/ordinary_lines.h"
#include "model/rarity.h"

namespace attrib::model {
namespace {

// How often each word of one length stands in ordinary lines, about: words that share a place of
// the table are taken for one.
class GramTable {
 public:
  GramTable(std::size_t bytes, bool any_case)
      : bytes_(bytes), any_case_(any_case), weights_(std::size_t{1} << kBits) {
    double bytes_of_lines = 0;
    for_each_ordinary_line([&](double weight, std::string_view line) {
      const std::string text = any_case ? to_lower(line) : std::string(line);
      bytes_of_lines += weight * kBytesOfLine;
      std::size_t known = 0;  // Bytes before this one that are no hole's.
      for (std::size_t i = 0; i < text.size(); ++i) {
        known = is_hole(text[i]) ? 0 : known + 1;
        if (known >= bytes_) weights_[place(&text[i + 1 - bytes_])] += static_cast<float>(weight);
      }
    });
    for (float& each : weights_) each /= static_cast<float>(bytes_of_lines);
  }

  // Occurrences for each byte.
  [[nodiscard]] double hits(std::string_view gram) const {
    return std::max(expected_by_pairs(gram, any_case_), double{weights_[place(gram.data())]});
  }

 private:
  static constexpr unsigned kBits = 16;

  [[nodiscard]] std::size_t place(const char* gram) const {
    std::uint64_t word = 0;
    std::memcpy(&word, gram, bytes_);
    return (word * 0x9E3779B97F4A7C15U) >> (64U - kBits);
  }

  std::size_t bytes_;
  bool any_case_;
  std::vector<float> weights_;
};

const GramTable& grams(std::size_t bytes, bool any_case) {
  if (any_case) {
    static const GramTable longs(kLongGram, true), shorts(kShortGram, true);
    return bytes == kLongGram ? longs : shorts;
  }
  static const GramTable longs(kLongGram, false), shorts(kShortGram, false);
  return bytes == kLongGram ? longs : shorts;
}

// A word looked up in vain takes about a hundredth of the time of a line that is looked at.
constexpr double kCostOfCandidate = 0.01;
// One too short for the tables costs a pass of its own; the others fill the tables, so that a word
// that is none of theirs is looked up now and then.
constexpr double kCostOfPass = 3e-4, kCostOfShort = 3e-7, kCostOfLong = 6e-8;

}  // namespace

SearchWindow rarest_window(std::string_view literal, bool any_case) {
  const std::size_t bytes = literal.size() >= kLongFilterLiteral ? kLongGram : kShortGram;
  const GramTable& table = grams(bytes, any_case);
  std::vector<double> hits;
  for (std::size_t at = 0; at + bytes <= literal.size(); ++at)
    hits.push_back(table.hits(literal.substr(at, bytes)));
  SearchWindow best;
  best.candidates = std::numeric_limits<double>::max();
  for (std::size_t at = 0; at + kSearchStride <= hits.size(); ++at) {
    double sum = 0;
    for (std::size_t i = 0; i < kSearchStride; ++i) sum += hits[at + i] / kSearchStride;
    if (sum < best.candidates) best = {at, sum};
  }
  return best;
}

double search_cost(std::string_view literal, bool any_case) {
  if (literal.size() < kMinFilterLiteral) return kCostOfPass;
  return (literal.size() >= kLongFilterLiteral ? kCostOfLong : kCostOfShort) +
         kCostOfCandidate * rarest_window(literal, any_case).candidates;
}

}  // namespace attrib::model
