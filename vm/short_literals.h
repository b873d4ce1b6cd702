#pragma once

// Finds literals that are too short for the sampled words of LiteralScan: at every byte, by the
// lower halves of three bytes and the upper half of the first (as Hyperscan's Teddy does). AVX2 is
// used if it may be; the portable code, which gives the same, first looks at every second pair of bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vm/literal_hit.h"

namespace attrib::vm {

class ShortLiterals {
 public:
  // Not empty.
  void add(IndexedText text);
  [[nodiscard]] bool empty() const { return count_ == 0; }

  // Adds all occurrences that lie wholly in `buffer` to `hits`, each once. With few candidates 0.5
  // instructions a byte with AVX2, else 4.
  void scan(std::string_view buffer, bool avx2, std::vector<LiteralHit>* hits) const;

 private:
  static constexpr std::size_t kBytes = 3;
  // A bit of eight for each literal that may have such a byte there. One of fewer bytes goes with
  // whatever follows it.
  using Halves = std::array<std::uint8_t, 16>;

  void add_pairs(const model::SearchText& text, std::size_t at);
  void verify(std::string_view buffer, std::size_t at, unsigned buckets,
              std::vector<LiteralHit>* hits) const;
  void look_at(std::string_view buffer, std::size_t at, std::vector<LiteralHit>* hits) const;
  void scan_portable(std::string_view buffer, std::size_t begin,
                     std::vector<LiteralHit>* hits) const;
  template <std::size_t kPlain>
  std::size_t scan_avx2(std::string_view buffer, std::vector<LiteralHit>* hits) const;

  std::array<Halves, kBytes> low_{};
  Halves high_{};  // Of the first byte.
  std::array<std::vector<IndexedText>, 8> buckets_;
  // A bit for each two bytes that any of them begins with, or has from its second byte on.
  std::vector<std::uint64_t> pairs_ = std::vector<std::uint64_t>((1U << 16U) / 64U);
  std::size_t count_ = 0;
  std::size_t plain_ = kBytes;  // So many of the first bytes are ASCII in all literals.
};

}  // namespace attrib::vm
