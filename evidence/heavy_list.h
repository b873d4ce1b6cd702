#pragma once

// A list of items that are costly to move: they stay where they are while it grows and when it is
// put in another order.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <boost/iterator/indirect_iterator.hpp>

namespace attrib::evidence {

template <typename Item>
class HeavyList {
  using Items = std::vector<std::unique_ptr<Item>>;  // In their order.

 public:
  using value_type = Item;
  using iterator = boost::indirect_iterator<typename Items::iterator, Item>;
  using const_iterator = boost::indirect_iterator<typename Items::const_iterator, const Item>;

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  Item& operator[](std::size_t i) { return *items_[i]; }
  const Item& operator[](std::size_t i) const { return *items_[i]; }
  Item& back() { return *items_.back(); }

  Item& push_back(Item item) { return *items_.emplace_back(std::make_unique<Item>(std::move(item))); }
  void pop_back() { items_.pop_back(); }
  void cut(std::size_t size) { items_.resize(size); }
  void clear() { items_.clear(); }

  // Item `order[i]` comes to be the one of number `i`.
  void reorder(const std::vector<std::size_t>& order) {
    Items ordered;
    ordered.reserve(order.size());
    for (const std::size_t i : order) ordered.push_back(std::move(items_[i]));
    items_ = std::move(ordered);
  }

  // Hands out all items from the first to the last, each gone behind it; none are left.
  template <typename Take>
  void drain(Take take) {
    for (std::unique_ptr<Item>& item : items_) {
      take(std::move(*item));
      item.reset();
    }
    clear();
  }

  iterator begin() { return iterator(items_.begin()); }
  iterator end() { return iterator(items_.end()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(items_.begin()); }
  [[nodiscard]] const_iterator end() const { return const_iterator(items_.end()); }

 private:
  Items items_;
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
