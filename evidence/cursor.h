#pragma once

// A place in a text for hand-written readers of log prefixes: each step moves on and returns true,
// or stays and returns false.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attrib::evidence {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

  bool literal(char c) {
    if (done() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool literal(std::string_view s) {
    if (!rest().starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  bool skip(std::size_t n) {
    if (n > text_.size() - at_) return false;
    at_ += n;
    return true;
  }
  // At least `least` and at most `most` (18) digits; the next character may be a digit too.
  bool digits(std::size_t least, std::size_t most, std::int64_t* value) {
    std::int64_t sum = 0;
    std::size_t n = 0;
    while (n < most && at_ + n < text_.size() && is_digit(text_[at_ + n])) {
      sum = sum * 10 + (text_[at_ + n] - '0');
      ++n;
    }
    if (n < least) return false;
    at_ += n;
    *value = sum;
    return true;
  }
  // Blanks and tabs, none too.
  bool blanks() {
    while (!done() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return true;
  }
  // The longest run of characters for which `accept` holds, of at most `most`; empty moves nowhere.
  template <typename Accept>
  std::string_view run(Accept accept, std::size_t most) {
    std::size_t n = 0;
    while (n < most && at_ + n < text_.size() && accept(text_[at_ + n])) ++n;
    const std::string_view taken = text_.substr(at_, n);
    at_ += n;
    return taken;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace attrib::evidence
