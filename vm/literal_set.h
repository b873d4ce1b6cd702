#pragma once

// Finds which of many literals a line holds, in one pass.
//
// Aligned q-gram sampling: a literal of at least 7 bytes has, wherever it lies, one of four known
// 4-byte words at a multiple of 4, so only every fourth word of the line is looked up; a candidate
// is then compared in full. Dense Aho-Corasick was measured ten times slower, and its tables leave
// the cache. Shorter literals are searched one by one.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attrib::vm {

class LiteralSet {
 public:
  explicit LiteralSet(std::vector<std::string> literals);

  // Indexes of the literals that `text` holds, ascending. `found` is overwritten.
  void find(std::string_view text, std::vector<std::uint32_t>* found) const;

 private:
  struct Entry {
    std::uint32_t gram;
    std::uint32_t literal;
    std::uint32_t offset;  // Of the gram in the literal.
  };
  static constexpr unsigned kFilterBits = 16;

  void add_sampled(std::uint32_t literal, const std::vector<std::uint32_t>& gram_uses);
  void look_up(std::string_view text, std::size_t at, std::uint32_t gram,
               std::vector<std::uint32_t>* found) const;

  std::vector<std::string> literals_;
  std::vector<std::uint32_t> short_;  // Too short to be sampled.
  std::vector<Entry> entries_;        // By gram.
  std::array<std::uint64_t, (1U << kFilterBits) / 64>
      filter_{};  // A bit for each hashed gram: fits the first cache.
};

}  // namespace attrib::vm
