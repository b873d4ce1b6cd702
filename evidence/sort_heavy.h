#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace attrib::evidence {

// Item `order[i]` moves to place `i`.
template <typename Item>
void put_in_order(std::vector<Item>* items, const std::vector<std::size_t>& order) {
  std::vector<Item> sorted;
  sorted.reserve(items->size());
  for (const std::size_t i : order) sorted.push_back(std::move((*items)[i]));
  *items = std::move(sorted);
}

// Sorts items that are costly to move: numbers are sorted, each item moves once. Equal items keep
// their order. `less` compares places in `items` as it was.
template <typename Item, typename Less>
void sort_heavy_by(std::vector<Item>* items, Less less) {
  std::vector<std::size_t> order(items->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::is_sorted(order.begin(), order.end(), less)) return;
  std::stable_sort(order.begin(), order.end(), less);
  put_in_order(items, order);
}

// The same with a `less` that compares items.
template <typename Item, typename Less>
void sort_heavy(std::vector<Item>* items, Less less) {
  sort_heavy_by(items,
                [&](std::size_t a, std::size_t b) { return less((*items)[a], (*items)[b]); });
}

}  // namespace attrib::evidence
