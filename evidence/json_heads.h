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
  static std::uint64_t hash_of(const JsonShape& shape);
  // Null: not known. A pointer holds until the next add(). `hash`: of the shape.
  [[nodiscard]] const Known* find(const JsonShape& shape, std::uint64_t hash) const;
  [[nodiscard]] const Known* find(const JsonShape& shape) const { return find(shape, hash_of(shape)); }
  // Brings what find() will look at into the processor's cache, in two steps for some heads at a time.
  void fetch_slot(std::uint64_t hash) const;
  void fetch_entry(std::uint64_t hash) const;
  // Of more than kMost heads all are forgotten: such lines differ in something else each time.
  void add(const JsonShape& shape, const Known& known);

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 15U;
  static constexpr std::size_t kNear = 88;
  // All that is compared lies together: logs of many streams ask for another one each time.
  struct alignas(64) Entry {
    std::uint64_t hash = 0;
    Known known;
    std::array<std::uint32_t, 3> sizes{};  // Of its pieces.
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
