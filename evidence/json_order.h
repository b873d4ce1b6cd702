#pragma once

// Times and numbers of NDJSON lines, compared as they are written.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

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
    if (size_ > kNear) far_ = other.far_;
    return *this;
  }
  ~WrittenTime() = default;
  void set(std::string_view text);
  [[nodiscard]] std::string_view text() const {
    return size_ <= kNear ? std::string_view(near_.data(), size_) : std::string_view(far_);
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Of times whose text shows which is the earlier: both in UTC or both Unix, written alike.
  friend Order order_of_times(const WrittenTime& a, const WrittenTime& b);

 private:
  static constexpr std::size_t kNear = 40;
  enum class Kind : std::uint8_t { Other, Utc, Unix };

  std::array<char, kNear> near_{};  // Zeros behind the text.
  std::uint32_t size_ = 0;
  std::uint32_t point_ = 0;  // Where its decimal point stands, or its size.
  Kind kind_ = Kind::Other;
  std::string far_;  // One that is longer.
};

// Digits without sign; empty: no number.
Order order_of_numbers(std::string_view a, std::string_view b);

}  // namespace attrib::evidence
