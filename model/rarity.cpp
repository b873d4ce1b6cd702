#include "model/rarity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/any_case.h"
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

// 2 to the power of minus so many quarters. Words of four bytes, which the search asks about by the
// thousand, have at most kMost: 255 for each byte.
double share_of(unsigned quarter_bits) {
  constexpr std::size_t kMost = 1020;
  static const std::array<double, kMost + 1> kShares = [] {
    std::array<double, kMost + 1> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::exp2(-0.25 * static_cast<double>(i));
    return out;
  }();
  return quarter_bits <= kMost ? kShares[quarter_bits] : std::exp2(-0.25 * quarter_bits);
}

// Of a byte behind one of such an index, kAlphabet: alone.
unsigned quarter_bits_of(std::size_t row, char c) { return kQuarterBits[row * kAlphabet + index(c)]; }

double by_pairs(std::string_view text) {
  unsigned quarter_bits = 0;
  std::size_t row = kAlphabet;  // The first byte stands alone.
  for (const char c : text) {
    quarter_bits += quarter_bits_of(row, c);
    row = index(c);
  }
  return share_of(quarter_bits);
}

// As a word begins a sentence or a name, and as it is shouted.
std::string with_capitals(std::string_view text, bool all) {
  std::string out(text);
  char before = ' ';
  for (char& c : out) {
    const bool inside = is_letter(before);
    before = c;
    if (c >= 'a' && c <= 'z' && (all || !inside)) c = static_cast<char>(c & ~0x20);
  }
  return out;
}

}  // namespace

double expected_by_pairs(std::string_view text, bool any_case) {
  if (!any_case) return by_pairs(text);
  return by_pairs(text) + by_pairs(with_capitals(text, false)) + by_pairs(with_capitals(text, true));
}

void expected_by_pairs(std::string_view text, bool any_case, std::size_t size, std::vector<double>* out) {
  out->clear();
  if (text.size() < size) return;
  if (any_case) {
    for (std::size_t at = 0; at + size <= text.size(); ++at)
      out->push_back(expected_by_pairs(text.substr(at, size), true));
    return;
  }
  unsigned quarter_bits = 0;  // Of all pairs in the stretch.
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (i >= size) {
      out->push_back(share_of(quarter_bits_of(kAlphabet, text[i - size]) + quarter_bits));
      if (size > 1) quarter_bits -= quarter_bits_of(index(text[i - size]), text[i - size + 1]);
    }
    if (size > 1) quarter_bits += quarter_bits_of(index(text[i - 1]), text[i]);
  }
  const std::size_t last = text.size() - size;
  out->push_back(share_of(quarter_bits_of(kAlphabet, text[last]) + quarter_bits));
}

double expected_hits(std::string_view text, bool any_case) {
  return std::max(expected_by_pairs(text, any_case),
                  OrdinaryLines::get(any_case).share(text) / kBytesOfLine);
}

}  // namespace attrib::model
