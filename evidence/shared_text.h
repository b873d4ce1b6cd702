#pragma once

// A text that many observations have alike (their file, their pod): copies share it, and one that is
// empty costs nothing. 8 bytes; it never changes. Copies may be made and dropped on any thread.

#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace attrib::evidence {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text) { assign(text); }    // NOLINT(google-explicit-constructor)
  SharedText(const std::string& text) { assign(text); }  // NOLINT(google-explicit-constructor)
  SharedText(const char* text) { assign(text); }         // NOLINT(google-explicit-constructor)
  SharedText(const SharedText& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedText& operator=(const SharedText& other) {
    SharedText copy(other);
    std::swap(block_, copy.block_);
    return *this;
  }
  SharedText& operator=(SharedText&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedText() {
    if (block_ != nullptr) drop();
  }

  [[nodiscard]] bool empty() const { return block_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return view().size(); }
  [[nodiscard]] std::string_view view() const {
    if (block_ == nullptr) return {};
    return {reinterpret_cast<const char*>(block_ + 1), block_->size};
  }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.block_ == b.block_ || a.view() == b.view();
  }
  template <typename Text>
    requires(std::convertible_to<const Text&, std::string_view> && !std::same_as<Text, SharedText>)
  friend bool operator==(const SharedText& a, const Text& b) {
    return a.view() == std::string_view(b);
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    if (a.block_ == b.block_) return std::strong_ordering::equal;
    return a.view() <=> b.view();
  }
  friend std::string operator+(std::string a, const SharedText& b) { return a += b.view(); }

 private:
  struct Block {  // The text lies behind it.
    std::atomic<std::uint32_t> owners{1};
    std::uint32_t size = 0;
  };
  void assign(std::string_view text);
  void drop() noexcept;

  Block* block_ = nullptr;  // Null: empty.
};

}  // namespace attrib::evidence
