#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "evidence/heavy_list.h"

namespace attrib::evidence {

// Item `order[i]` moves to place `i`; but for one of each cycle they move once.
template <typename Item>
void put_in_order(std::vector<Item>* items, std::vector<std::size_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] == i) continue;
    auto first = std::move((*items)[i]);
    std::size_t to = i;
    for (std::size_t from = order[i]; from != i; from = order[to]) {
      (*items)[to] = std::move((*items)[from]);
      order[to] = to;
      to = from;
    }
    (*items)[to] = std::move(first);
    order[to] = to;
  }
}

template <typename Item>
void put_in_order(HeavyList<Item>* items, const std::vector<std::size_t>& order) {
  items->reorder(order);
}

// Sorts items that are costly to move: numbers are sorted, each item moves once. Equal items keep
// their order. `less` compares places in `items` as it was.
template <typename List, typename Less>
void sort_heavy_by(List* items, Less less) {
  std::vector<std::size_t> order(items->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::is_sorted(order.begin(), order.end(), less)) return;
  std::stable_sort(order.begin(), order.end(), less);
  put_in_order(items, order);
}

// The same with a `less` that compares items.
template <typename List, typename Less>
void sort_heavy(List* items, Less less) {
  sort_heavy_by(items,
                [&](std::size_t a, std::size_t b) { return less((*items)[a], (*items)[b]); });
}

}  // namespace attrib::evidence
