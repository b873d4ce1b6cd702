#pragma once

// The heads of lines that were parsed once (json_shape.h), and what was learned of each.

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
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t at = 0, size = 0;  // In texts_; of size 0: free.
    Known known;
  };
  [[nodiscard]] bool holds(const Entry& entry, const JsonShape& shape) const;
  void put(const Entry& entry);
  void grow();

  std::vector<Entry> table_;  // Open addressing; a power of two.
  std::size_t count_ = 0;
  std::string texts_;
};

}  // namespace attrib::evidence
