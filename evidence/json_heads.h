#pragma once

// The heads of lines that were parsed once (json_shape.h), and what was learned of each.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/json_shape.h"

namespace attrib::evidence {

struct JsonStream;

class JsonHeads {
 public:
  struct Known {
    JsonStream* stream = nullptr;
    bool may_have_label = false;  // The message may begin with a label that tells the rank.
  };
  // Null: not known. A pointer holds until the next add().
  [[nodiscard]] const Known* find(const JsonShape& shape) const;
  // Of more than kMost heads all are forgotten: such lines differ in something else each time.
  void add(const JsonShape& shape, const Known& known);

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 15U;
  static constexpr std::size_t kNear = 96;
  // All that is compared lies together: logs of many streams ask for another one each time.
  struct alignas(64) Entry {
    std::uint64_t hash = 0;
    Known known;
    std::uint32_t size = 0;
    std::uint32_t far = 0;  // Its text in far_, if it is longer than there is room here.
    std::array<char, kNear> near{};
  };
  struct Slot {
    std::uint32_t tag = 0;     // Of the hash.
    std::uint32_t number = 0;  // Of the entry, from 1; 0: free.
  };
  [[nodiscard]] bool holds(const Entry& entry, const JsonShape& shape) const;
  void put(std::uint64_t hash, std::uint32_t number);
  void grow();

  std::vector<Slot> table_;  // Open addressing; a power of two.
  std::vector<Entry> entries_;
  std::string far_;
};

}  // namespace attrib::evidence
