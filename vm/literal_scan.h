#pragma once

// Finds where any of many literals lies in a large buffer, line ends and all, at a few gigabytes a
// second.
//
// Aligned q-gram sampling: wherever a literal of at least S + Q - 1 bytes lies, one of S known
// Q-byte words of it stands at a multiple of S. So only every fourth position is looked at; its
// word of four bytes is hashed and one bit of a table that stays in the first cache is tested. Of
// which bytes of a literal the words are taken model/search_window.h says: longer words have fewer
// false candidates, but cost more at each position than rare words of four. Literals under seven
// bytes are looked for at every byte, by the nibbles of their first three bytes (as
// Hyperscan's Teddy does), which costs a pass of its own: `slow` in rules. AVX2 is used where the
// processor has it; the portable code gives the same.
//
// Literals found in any case, if there are any, make it ignore the bit of all words by which small
// letters differ from capitals; then each candidate is compared as its literal says.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/any_case.h"

namespace attrib::vm {

class LiteralScan {
 public:
  enum class Code : std::uint8_t { Best, Portable };

  // Literals are not empty and unique. `code` is for tests and benchmarks.
  explicit LiteralScan(std::vector<model::SearchText> literals, Code code = Code::Best);
  explicit LiteralScan(const std::vector<std::string>& literals, Code code = Code::Best);

  struct Hit {
    std::size_t at = 0;         // Where it begins in the buffer.
    std::uint32_t literal = 0;  // Index.
  };
  // All occurrences that lie wholly in `buffer`, each once, in no particular order. `hits` is
  // overwritten.
  void scan(std::string_view buffer, std::vector<Hit>* hits) const;

  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  struct Entry {
    // The first eight bytes of the literal: of a text that has them, those of `mask` are `head` when
    // the bits of `fold` are set. Nearly all candidates end here.
    std::uint64_t head = 0, mask = 0, fold = 0;
    std::uint32_t gram = 0;
    std::uint32_t literal = 0;
    std::uint32_t offset = 0;  // Of the gram in the literal.
    std::uint32_t alike = 1;  // So many from this one on differ in head and literal only.
  };

  // What the entries of one word have in common: nearly all places where a word stands by chance are
  // told by the bytes around it.
  struct Slot {
    std::uint32_t gram = 0;
    std::uint32_t before = 0, behind = 0;  // A bit for each byte that may stand there, by its low five bits.
    std::uint32_t first = 0;               // Entry + 1; 0: free.
  };

  // The short ones: a bit of eight for each literal that may begin with such bytes.
  struct Tiny {
    static constexpr std::size_t kBytes = 3;
    std::array<std::array<std::uint8_t, 16>, kBytes> low{}, high{};
    std::array<std::vector<std::uint32_t>, 8> buckets;
  };

  // The blocks of a stretch that have candidates: a bit for each position.
  struct Blocks {
    static constexpr std::size_t kMost = 512;
    std::size_t begin = 0;  // Of the stretch.
    std::size_t count = 0;
    std::array<std::uint16_t, kMost + 1> at;  // NOLINT(*-member-init): written before it is read.
    std::array<std::uint8_t, kMost + 1> candidates;  // NOLINT(*-member-init): so is this.
    void add(std::size_t place, std::uint32_t found) {
      at[count] = static_cast<std::uint16_t>(place - begin);
      candidates[count] = static_cast<std::uint8_t>(found);
      count += found != 0 ? 1 : 0;
    }
  };

  void add_tiny(std::uint32_t literal);
  void verify_tiny(std::string_view buffer, std::size_t at, unsigned buckets,
                   std::vector<Hit>* hits) const;
  std::size_t scan_tiny_avx2(std::string_view buffer, std::vector<Hit>* hits) const;
  void scan_tiny(std::string_view buffer, std::vector<Hit>* hits) const;
  void sample(std::uint32_t literal);
  void build();
  void look_among(std::size_t begin, std::size_t end, std::string_view buffer, std::size_t at,
                  std::vector<Hit>* hits) const;
  void resolve(std::string_view buffer, std::size_t at, std::vector<Hit>* hits) const;
  [[nodiscard]] bool may_lie(std::string_view buffer, std::size_t at) const;
  void resolve_all(std::string_view buffer, const Blocks& blocks, std::vector<Hit>* hits) const;
  void find_portable(std::string_view buffer, std::size_t end, Blocks* blocks) const;
  void find_avx2(std::string_view buffer, std::size_t end, Blocks* blocks) const;
  std::size_t scan_blocks(std::string_view buffer, std::vector<Hit>* hits) const;

  std::vector<model::SearchText> literals_;
  std::uint32_t fold_ = 0;  // Bits set in each word, if any literal stands for any case.
  // The words of the literals, found by a bitmap first and a hash table then.
  unsigned bits_ = 0;
  std::vector<std::uint32_t> bitmap_;
  std::vector<Entry> entries_;          // By gram.
  std::vector<Slot> slots_;  // Open addressing, by word.
  unsigned slot_shift_ = 31;
  std::size_t tiny_count_ = 0;  // Too short to be sampled.
  Tiny tiny_;
  std::size_t longest_ = 0;
  bool avx2_ = false;
};

}  // namespace attrib::vm
