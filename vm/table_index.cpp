#include "vm/table_index.h"

#include <algorithm>

namespace attrib::vm {

using model::Constant;
using model::KeyCell;

namespace {

bool is_exact(const KeyCell& cell) {
  return cell.kind == KeyCell::Kind::Value || cell.kind == KeyCell::Kind::Set;
}

std::size_t most_exact_column(const model::Table& table) {
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t c = 0; c < table.keys.size(); ++c) {
    const auto exact = static_cast<std::size_t>(
        std::count_if(table.rows.begin(), table.rows.end(),
                      [&](const model::TableRow& row) { return is_exact(row.keys[c]); }));
    if (exact > most) {
      most = exact;
      best = c;
    }
  }
  return best;
}

}  // namespace

void TableIndex::build() {
  built_ = true;
  column_ = most_exact_column(table_);
  for (std::uint32_t r = 0; r < table_.rows.size(); ++r) {
    if (table_.keys.empty() || !is_exact(table_.rows[r].keys[column_])) {
      others_.push_back(r);
      continue;
    }
    for (const Constant& value : table_.rows[r].keys[column_].values) {
      auto& rows = by_value_[value];
      if (rows.empty() || rows.back() != r) rows.push_back(r);
    }
  }
}

bool TableIndex::accepts_all(std::uint32_t row, const std::vector<Constant>& keys) const {
  for (std::size_t c = 0; c < keys.size(); ++c) {
    if (!model::accepts(table_.rows[row].keys[c], keys[c])) return false;
  }
  return true;
}

std::optional<std::uint32_t> TableIndex::find(const std::vector<Constant>& keys) {
  if (!built_) build();
  static const std::vector<std::uint32_t> kEmpty;
  const std::vector<std::uint32_t>* exact = &kEmpty;
  if (!keys.empty()) {
    const auto it = by_value_.find(keys[column_]);
    if (it != by_value_.end()) exact = &it->second;
  }
  // Both lists are in row order, and the first row that accepts is the answer.
  auto a = exact->begin();
  auto b = others_.begin();
  while (a != exact->end() || b != others_.end()) {
    const bool take_a = b == others_.end() || (a != exact->end() && *a < *b);
    const std::uint32_t row = take_a ? *a++ : *b++;
    if (accepts_all(row, keys)) return row;
  }
  return std::nullopt;
}

}  // namespace attrib::vm
