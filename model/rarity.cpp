#include "model/rarity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "model/ordinary_lines.h"

namespace attrib::model {
namespace {

constexpr std::size_t kAlphabet = 96;
constexpr std::array<std::uint8_t, (kAlphabet + 1)* kAlphabet> kQuarterBits = {
#include "model/rarity_table.inc"
};

std::size_t index(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 32 && byte <= 126 ? byte - std::size_t{32} : kAlphabet - 1;
}

}  // namespace

double expected_by_pairs(std::string_view text) {
  unsigned quarter_bits = 0;
  std::size_t row = kAlphabet;  // The first byte stands alone.
  for (const char c : text) {
    quarter_bits += kQuarterBits[row * kAlphabet + index(c)];
    row = index(c);
  }
  return std::exp2(-0.25 * quarter_bits);
}

double expected_hits(std::string_view text) {
  return std::max(expected_by_pairs(text), OrdinaryLines::get().share(text) / kBytesOfLine);
}

}  // namespace attrib::model
