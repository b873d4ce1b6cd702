#pragma once

// Times and numbers of NDJSON lines, compared as they are written.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "evidence/words.h"

namespace attrib::evidence {

enum class Order : std::uint8_t { Before, Same, After, Unknown };

// A time as written. Short ones, as nearly all are, are copied without asking for memory.
class WrittenTime {
 public:
  WrittenTime() = default;
  WrittenTime(const WrittenTime& other) { *this = other; }
  WrittenTime& operator=(const WrittenTime& other) {
    near_ = other.near_;
    size_ = other.size_;
    point_ = other.point_;
    kind_ = other.kind_;
    if (size_ == kFar) far_ = other.far_;
    return *this;
  }
  ~WrittenTime() = default;

  void set(std::string_view text);
  [[nodiscard]] std::string_view text() const {
    return size_ == kFar ? std::string_view(far_) : std::string_view(near_.data(), size_);
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Of times whose text shows which is the earlier: both in UTC or both Unix, written alike. Nobody
  // writes longer ones.
  friend Order order_of_times(const WrittenTime& a, const WrittenTime& b) {
    const bool alike = a.size_ == b.size_ && a.point_ == b.point_ && a.kind_ == b.kind_;
    if (!alike || a.kind_ == Kind::Other) return Order::Unknown;
    const std::string_view one(a.near_.data(), kNear), two(b.near_.data(), kNear);
    for (std::size_t at = 0; at < kNear; at += kWordBytes) {
      const std::uint64_t here = word_at(one, at), there = word_at(two, at);
      if (here != there)
        return __builtin_bswap64(here) < __builtin_bswap64(there) ? Order::Before : Order::After;
    }
    return Order::Same;
  }

 private:
  static constexpr std::size_t kNear = 40;
  static constexpr std::uint8_t kFar = kNear + 1;
  enum class Kind : std::uint8_t { Other, Utc, Unix };  // Other: not compared, or none.

  std::array<char, kNear> near_{};  // Zeros behind the text.
  std::uint8_t size_ = 0;
  std::uint8_t point_ = 0;  // Where its decimal point stands, or its size.
  Kind kind_ = Kind::Other;
  std::string far_;  // One that is longer.
};

// Digits without sign; empty: no number.
Order order_of_numbers(std::string_view a, std::string_view b);

}  // namespace attrib::evidence
