#pragma once

// Look-ups in a table by its most telling key column, so that a table of a thousand rows costs a
// million events little.

#include <cstdint>
#include <map>
#include <vector>

#include "model/table.h"

namespace attrib::vm {

class TableIndex {
 public:
  // The index is made by the first look-up: a run uses few of a library's tables.
  explicit TableIndex(const model::Table& table) : table_(table) {}

  // As model::find_row: index into rows, or none for the default row.
  [[nodiscard]] std::optional<std::uint32_t> find(const std::vector<model::Constant>& keys);

 private:
  void build();
  [[nodiscard]] bool accepts_all(std::uint32_t row, const std::vector<model::Constant>& keys) const;

  const model::Table& table_;
  bool built_ = false;
  std::size_t column_ = 0;
  std::map<model::Constant, std::vector<std::uint32_t>> by_value_;  // Rows in order.
  std::vector<std::uint32_t> others_;  // Rows whose cell in the column is not a value or a set.
};

}  // namespace attrib::vm
