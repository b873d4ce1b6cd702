#pragma once

// A text that many observations have alike (their file, their pod): copies share it, and one that is
// empty costs nothing. 8 bytes; it never changes. Copies may be made and dropped on any thread.

#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

namespace attrib::evidence {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text) : text_(text.empty() ? nullptr : new Text(text)) {}  // NOLINT(google-explicit-constructor)
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}            // NOLINT(google-explicit-constructor)
  SharedText(const char* text) : SharedText(std::string_view(text)) {}                   // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return view().size(); }
  [[nodiscard]] std::string_view view() const { return text_ ? std::string_view(text_->text) : std::string_view(); }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.view() == b.view();
  }
  template <typename Other>
    requires(std::convertible_to<const Other&, std::string_view> && !std::same_as<Other, SharedText>)
  friend bool operator==(const SharedText& a, const Other& b) {
    return a.view() == std::string_view(b);
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    if (a.text_ == b.text_) return std::strong_ordering::equal;
    return a.view() <=> b.view();
  }
  friend std::string operator+(std::string a, const SharedText& b) { return a += b.view(); }

 private:
  struct Text : boost::intrusive_ref_counter<Text> {
    explicit Text(std::string_view of) : text(of) {}
    const std::string text;
  };

  boost::intrusive_ptr<const Text> text_;  // Null: the empty text.
};

}  // namespace attrib::evidence
