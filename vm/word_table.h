#pragma once

// The words by which LiteralScan finds literals, and what lies where one of them stands.
//
// A word is four bytes of a literal, one of four that begin side by side (model/search_window.h). A
// bitmap that stays in the first cache tells of nearly all words of a log that they are none of
// these. Of the others the bytes around are hashed, as far as all literals that have the word know
// them, and a bit of 64 that are kept with the word tells of most that no literal lies there. What is
// left is looked up in another bitmap with more of the bytes around: with those that all literals
// know that have the word near their end, and with those that all others know.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "vm/literal_hit.h"

namespace attrib::vm {

class WordTable {
 public:
  static constexpr std::uint32_t kMix = 0x85EBCA6BU;
  // Bytes before and behind the start of a word that sift() and resolve() read.
  static constexpr std::size_t kBefore = 4, kBehind = 8;

  // Texts of model::kMinFilterLiteral bytes or more. If any is found in any case, the bit of all
  // bytes by which small letters differ from capitals is ignored in words. About 2 microseconds a text.
  explicit WordTable(std::vector<IndexedText> texts);
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // A word has two bits in one of the 32-bit words of the bitmap. Of its product with kMix the upper
  // bits, 32 - shift of them, say in which; five bits behind these and the next five, which bits: by how
  // far they lie behind the top one.
  struct Bitmap {
    std::vector<std::uint32_t> words;
    unsigned shift = 0;
    std::uint32_t fold = 0;  // Bits set in each word before it is multiplied.
  };
  static constexpr unsigned kBitBits = 5;
  [[nodiscard]] const Bitmap& bitmap() const { return bitmap_; }
  [[nodiscard]] bool may_be_word(const char* at) const {
    std::uint32_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    const std::uint32_t product = (word | bitmap_.fold) * kMix;
    const std::uint32_t found = bitmap_.words[product >> bitmap_.shift];
    return ((found << first_bit(product) & found << second_bit(product)) >> 31U) != 0;
  }

  // Those of `places`, from `start` on, which the bitmap has told of, where a literal may lie: about 40
  // instructions each and no branch, since what comes next in a log cannot be guessed, and a wrong
  // guess costs as much as the search of a hundred bytes. They are left in front; returns how many.
  std::size_t sift(const char* start, std::span<std::uint16_t> places) const;
  // The literals that lie in `buffer` where the word at `at`, which sift() left, is of their window.
  void resolve(std::string_view buffer, std::size_t at, std::vector<LiteralHit>* hits) const;
  // The same without sift(), near the ends of the buffer too: four bytes are read.
  void look_up(std::string_view buffer, std::size_t at, std::vector<LiteralHit>* hits) const;

 private:
  struct Entry {
    std::uint64_t around = 0;  // The bytes around the word that the group knows; others are 0.
    std::uint32_t text = 0;    // Of texts_.
    std::uint32_t offset = 0;  // Of the word in it.
    bool whole = false;        // The word and these are the whole text, byte for byte.
  };
  // The entries of a word that know the same bytes around it, sorted by these.
  struct Group {
    std::uint64_t known = 0;
    std::uint64_t bits = 0;  // Of all hashes of what is around.
    std::uint32_t begin = 0, end = 0;
    std::uint8_t set = 0;  // Of what is known, as in known_.
    bool last = false;     // Of its word.
  };
  struct Slot {
    std::uint32_t word = 0;
    std::uint32_t group : 24 = 0;  // The first of the word.
    std::uint32_t common : 8 = 0;  // Which bytes around the word all its entries know, as in known_.
    std::uint64_t bits = 0;        // Of all hashes of these. None: the slot is free.
  };
  struct Made;

  [[nodiscard]] unsigned first_bit(std::uint32_t product) const {
    return product << (32U - bitmap_.shift) >> (32U - kBitBits);
  }
  [[nodiscard]] unsigned second_bit(std::uint32_t product) const {
    return product << (32U - bitmap_.shift + kBitBits) >> (32U - kBitBits);
  }
  [[nodiscard]] std::uint64_t around(const char* at) const;
  [[nodiscard]] std::size_t bit_of(std::uint32_t word, std::uint64_t around) const;
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t word) const;
  [[nodiscard]] const Slot* find(std::uint32_t word) const;
  void make_entries(std::vector<Made>* out) const;
  static void bring_together(std::vector<Made>* all);
  void make_groups(const std::vector<Made>& made);
  void make_slots(const std::vector<Made>& made);
  void find_slots(const std::vector<std::uint32_t>& words);
  void make_tests(std::uint32_t word, std::span<const Group> groups);
  std::size_t sift_by_word(const char* start, std::span<std::uint16_t> places) const;
  std::size_t sift_by_all(const char* start, std::span<std::uint16_t> places) const;
  [[nodiscard]] const Entry* first_like(const Group& group, std::uint64_t around) const;
  void verify(const Entry& entry, std::string_view buffer, std::size_t at,
              std::vector<LiteralHit>* hits) const;

  std::vector<IndexedText> texts_;
  Bitmap bitmap_;
  std::uint64_t fold_around_ = 0;
  std::array<std::uint64_t, 256> known_{};  // Of each set of the eight bytes around: which bits.
  std::vector<Entry> entries_;              // By word.
  std::vector<Group> groups_;               // By word.
  // Each word has a slot of its own: it is told by a first hash which second one leads there.
  std::vector<Slot> slots_;
  // Of each slot: which bytes around its word all entries know that have it near their end, and which
  // all others know. As in known_.
  std::vector<std::array<std::uint8_t, 2>> tests_;
  std::vector<std::uint64_t> around_bits_;  // A bit for each entry: of its word with these.
  unsigned around_shift_ = 58;
  std::vector<std::uint32_t> seconds_;
  unsigned slot_shift_ = 31, second_shift_ = 31;
};

}  // namespace attrib::vm
