#pragma once

// Finds where any of many literals lies in a large buffer, line ends and all, at a few gigabytes a
// second.
//
// Aligned q-gram sampling: wherever a literal of at least S + Q - 1 bytes lies, one of S known
// Q-byte words of it stands at a multiple of S. So only every fourth position is looked at; its
// word of four bytes is hashed and one bit of a table that stays in the first cache is tested
// (word_table.h). Of which bytes of a literal the words are taken model/search_window.h says: longer
// words have fewer false candidates, but cost more at each position than rare words of four.
// Literals under seven bytes are looked for at every byte (short_literals.h), which costs a pass of
// its own: `slow` in rules. AVX2 is used where the processor has it; the portable code gives the same.
//
// Literals found in any case, if there are any, make it ignore the bit of all words by which small
// letters differ from capitals; then each candidate is compared as its literal says.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vm/literal_hit.h"
#include "vm/short_literals.h"
#include "vm/word_table.h"

namespace attrib::vm {

class LiteralScan {
 public:
  enum class Code : std::uint8_t { Best, Portable };
  using Hit = LiteralHit;

  // Literals are not empty and unique. `code` is for tests and benchmarks.
  explicit LiteralScan(std::vector<model::SearchText> literals, Code code = Code::Best);
  explicit LiteralScan(const std::vector<std::string>& literals, Code code = Code::Best);

  // All occurrences that lie wholly in `buffer`, each once, in no particular order. `hits` is
  // overwritten.
  void scan(std::string_view buffer, std::vector<Hit>* hits) const;

  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  // Where words may stand in a stretch of the buffer, from its first byte on.
  struct Places {
    // Bytes, at most. What is done with the places drives the bitmap out of the first cache.
    static constexpr std::size_t kStretch = std::size_t{1} << 15U;
    static constexpr std::size_t kMost = kStretch / 4;
    static constexpr std::size_t kRoom = 8;  // Eight are written where there is one.
    std::size_t count = 0;
    std::array<std::uint16_t, kMost + kRoom> at;  // NOLINT(*-member-init): written before it is read.
  };

  void find_portable(std::string_view stretch, Places* places) const;
  template <bool kFolded>
  void find_avx2(std::string_view stretch, Places* places) const;
  std::size_t scan_stretches(std::string_view buffer, std::size_t at, std::vector<Hit>* hits) const;

  std::size_t longest_ = 0;
  WordTable words_;
  ShortLiterals short_;
  bool avx2_ = false;
};

}  // namespace attrib::vm
