#pragma once

// A list of items that are costly to move: they stay where they are while it grows and when it is
// put in another order. 8 bytes an item beside it.

#include <bit>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace attrib::evidence {

template <typename Item>
class HeavyList {
  template <typename List, typename Of>
  class At;

 public:
  using value_type = Item;
  using iterator = At<HeavyList, Item>;
  using const_iterator = At<const HeavyList, const Item>;

  HeavyList() = default;
  HeavyList(HeavyList&& other) noexcept { swap(other); }
  HeavyList& operator=(HeavyList&& other) noexcept {
    swap(other);
    return *this;
  }
  HeavyList(const HeavyList&) = delete;
  HeavyList& operator=(const HeavyList&) = delete;
  ~HeavyList() { clear(); }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  Item& operator[](std::size_t i) { return *items_[i]; }
  const Item& operator[](std::size_t i) const { return *items_[i]; }
  Item& back() { return *items_.back(); }

  Item& push_back(Item item) {
    static_assert(std::is_nothrow_move_constructible_v<Item>);
    const auto [chunk, at] = split(places_);
    if (chunk == chunks_.size())
      chunks_.emplace_back(static_cast<Item*>(::operator new(size_of(chunk) * sizeof(Item))));
    Item* const out = chunks_[chunk].get() + at;
    items_.push_back(out);
    new (out) Item(std::move(item));
    ++places_;
    return *out;
  }
  void pop_back() {
    Item* const last = items_.back();
    items_.pop_back();
    std::destroy_at(last);
    if (last == place(places_ - 1)) --places_;  // Else it goes with all others.
  }
  void cut(std::size_t size) {
    while (items_.size() > size) pop_back();
  }
  void clear() {
    for (Item* const item : items_) std::destroy_at(item);
    items_.clear();
    chunks_.clear();
    places_ = 0;
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

  iterator begin() { return {this, 0}; }
  iterator end() { return {this, size()}; }
  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, size()}; }

 private:
  // Chunks double up to the largest, so that short lists are small.
  static constexpr std::size_t kFirst = 64, kDoublings = 8, kLargest = kFirst << kDoublings;

  static std::size_t size_of(std::size_t chunk) {
    return chunk == 0 ? kFirst : chunk <= kDoublings ? kFirst << (chunk - 1) : kLargest;
  }
  static std::pair<std::size_t, std::size_t> split(std::size_t i) {
    if (i >= kLargest) return {kDoublings + i / kLargest, i % kLargest};
    const auto chunk = static_cast<std::size_t>(std::bit_width(i / kFirst));
    return {chunk, chunk == 0 ? i : i - (kFirst << (chunk - 1))};
  }
  [[nodiscard]] Item* place(std::size_t i) const {
    const auto [chunk, at] = split(i);
    return chunks_[chunk].get() + at;
  }

  template <typename List, typename Of>
  class At {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = Of*;
    using reference = Of&;

    At() = default;
    At(List* list, std::size_t i) : list_(list), i_(i) {}
    Of& operator*() const { return (*list_)[i_]; }
    Of* operator->() const { return &(*list_)[i_]; }
    Of& operator[](difference_type by) const { return *(*this + by); }
    At& operator+=(difference_type by) {
      i_ = static_cast<std::size_t>(static_cast<difference_type>(i_) + by);
      return *this;
    }
    At& operator-=(difference_type by) { return *this += -by; }
    At& operator++() { return *this += 1; }
    At& operator--() { return *this += -1; }
    At operator++(int) { return std::exchange(*this, *this + 1); }
    At operator--(int) { return std::exchange(*this, *this - 1); }
    friend At operator+(At at, difference_type by) { return at += by; }
    friend At operator+(difference_type by, At at) { return at += by; }
    friend At operator-(At at, difference_type by) { return at -= by; }
    friend difference_type operator-(const At& a, const At& b) {
      return static_cast<difference_type>(a.i_) - static_cast<difference_type>(b.i_);
    }
    friend bool operator==(const At& a, const At& b) { return a.i_ == b.i_; }
    friend auto operator<=>(const At& a, const At& b) { return a.i_ <=> b.i_; }

   private:
    List* list_ = nullptr;
    std::size_t i_ = 0;
  };

  struct GiveBack {
    void operator()(Item* chunk) const { ::operator delete(chunk); }
  };
  void swap(HeavyList& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(chunks_, other.chunks_);
    std::swap(places_, other.places_);
  }

  std::vector<Item*> items_;  // In their order.
  std::vector<std::unique_ptr<Item, GiveBack>> chunks_;
  std::size_t places_ = 0;    // Of the chunks that were given to items.
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
