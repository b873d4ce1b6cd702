#pragma once

// A list of items that are costly to move: they stay where they are while it grows and when it is
// put in another order. 8 bytes an item beside it.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <boost/iterator/indirect_iterator.hpp>

namespace attrib::evidence {

template <typename Item>
class HeavyList {
 public:
  using value_type = Item;
  using iterator = boost::indirect_iterator<typename std::vector<Item*>::iterator>;
  using const_iterator = boost::indirect_iterator<typename std::vector<Item*>::const_iterator, const Item>;

  HeavyList() = default;
  HeavyList(HeavyList&& other) noexcept
      : items_(std::exchange(other.items_, {})), chunks_(std::exchange(other.chunks_, {})) {}
  HeavyList& operator=(HeavyList&& other) noexcept {
    items_ = std::exchange(other.items_, {});
    chunks_ = std::exchange(other.chunks_, {});
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  Item& operator[](std::size_t i) { return *items_[i]; }
  const Item& operator[](std::size_t i) const { return *items_[i]; }
  Item& back() { return *items_.back(); }

  Item& push_back(Item item) {
    if (chunks_.empty() || chunks_.back().size() == chunks_.back().capacity())
      chunks_.emplace_back().reserve(std::clamp(items_.size(), kFirst, kLargest));
    Item& out = chunks_.back().emplace_back(std::move(item));
    items_.push_back(&out);
    return out;
  }
  void pop_back() {
    std::vector<Item>& chunk = chunks_.back();
    Item* const last = items_.back();
    items_.pop_back();
    if (last != &chunk.back()) return;  // It goes with all others.
    chunk.pop_back();
    if (chunk.empty()) chunks_.pop_back();
  }
  void cut(std::size_t size) {
    while (items_.size() > size) pop_back();
  }
  void clear() {
    items_.clear();
    chunks_.clear();
  }

  // Item `order[i]` comes to be the one of number `i`.
  void reorder(const std::vector<std::size_t>& order) {
    std::vector<Item*> ordered;
    ordered.reserve(order.size());
    for (const std::size_t i : order) ordered.push_back(items_[i]);
    items_ = std::move(ordered);
  }

  // Hands out all items from the first to the last; none are left.
  template <typename Take>
  void drain(Take take) {
    for (Item* const item : items_) take(std::move(*item));
    clear();
  }

  iterator begin() { return iterator(items_.begin()); }
  iterator end() { return iterator(items_.end()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(items_.begin()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(items_.end()); }

 private:
  // Chunks grow with the list, so that short lists are small.
  static constexpr std::size_t kFirst = 64, kLargest = 16'384;

  std::vector<Item*> items_;                // In their order.
  std::vector<std::vector<Item>> chunks_;  // None grows past what it was made for.
};

// Part of a list.
template <typename Item>
class HeavySpan {
 public:
  HeavySpan(HeavyList<Item>* list, std::size_t first, std::size_t last)
      : begin_(list->begin() + static_cast<std::ptrdiff_t>(first)), size_(last - first) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  Item& operator[](std::size_t i) const { return begin_[static_cast<std::ptrdiff_t>(i)]; }
  [[nodiscard]] typename HeavyList<Item>::iterator begin() const { return begin_; }
  [[nodiscard]] typename HeavyList<Item>::iterator end() const {
    return begin_ + static_cast<std::ptrdiff_t>(size_);
  }

 private:
  typename HeavyList<Item>::iterator begin_;
  std::size_t size_;
};

}  // namespace attrib::evidence
