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

// How often each word stands in ordinary lines, about: words that share a place of
// the table are taken for one.
class GramTable {
 public:
  explicit GramTable(bool any_case) : any_case_(any_case), weights_(std::size_t{1} << kBits) {
    double bytes_of_lines = 0;
    std::string lower;
    for_each_ordinary_line([&](double weight, std::string_view line) {
      if (any_case) lower = to_lower(line);
      const std::string_view text = any_case ? std::string_view(lower) : line;
      bytes_of_lines += weight * kBytesOfLine;
      std::size_t known = 0;  // Bytes before this one that are no hole's.
      for (std::size_t i = 0; i < text.size(); ++i) {
        known = is_hole(text[i]) ? 0 : known + 1;
        if (known >= kGramBytes) weights_[place(&text[i + 1 - kGramBytes])] += static_cast<float>(weight);
      }
    });
    bytes_of_lines_ = static_cast<float>(bytes_of_lines);
  }

  // Occurrences for each byte of each word of `text`, by where it begins.
  void hits(std::string_view text, std::vector<double>* out) const {
    expected_by_pairs(text, any_case_, kGramBytes, out);
    for (std::size_t at = 0; at < out->size(); ++at)
      (*out)[at] = std::max((*out)[at], double{weights_[place(text.data() + at)] / bytes_of_lines_});
  }

 private:
  static constexpr unsigned kBits = 16;

  [[nodiscard]] std::size_t place(const char* gram) const {
    std::uint32_t word = 0;
    static_assert(sizeof(word) == kGramBytes);
    std::memcpy(&word, gram, kGramBytes);
    return (word * 0x9E3779B1U) >> (32U - kBits);
  }

  bool any_case_;
  std::vector<float> weights_;  // Of the lines that hold a word there.
  float bytes_of_lines_ = 0;    // Of all, by the same weights.
};

const GramTable& grams(bool any_case) {
  if (any_case) {
    static const GramTable kFolded(true);
    return kFolded;
  }
  static const GramTable kAsTheyAre(false);
  return kAsTheyAre;
}

// A word looked up in vain takes about a hundredth of the time of a line that is looked at.
constexpr double kCostOfCandidate = 0.01;
// One too short for the table costs a pass of its own; the others fill the table, so that a word
// that is none of theirs is looked up now and then.
constexpr double kCostOfPass = 3e-4, kCostOfWords = 1e-7;

}  // namespace

SearchWindow rarest_window(std::string_view literal, bool any_case) {
  const GramTable& table = grams(any_case);
  std::vector<double> hits;
  hits.reserve(literal.size());
  table.hits(literal, &hits);
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
  return kCostOfWords + kCostOfCandidate * rarest_window(literal, any_case).candidates;
}

}  // namespace attrib::model
