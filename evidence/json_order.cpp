#include "evidence/json_order.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace attrib::evidence {

void WrittenTime::set(std::string_view text) {
  kind_ = Kind::Other;
  if (text.size() > kNear) {
    size_ = kFar;
    far_ = text;
    return;
  }
  size_ = static_cast<std::uint8_t>(text.size());
  near_ = {};
  constexpr std::size_t kHalf = 16;
  if (text.size() > kHalf && text.size() <= 2 * kHalf) {  // Mostly, and without a call.
    std::memcpy(near_.data(), text.data(), kHalf);
    std::memcpy(near_.data() + text.size() - kHalf, text.data() + text.size() - kHalf, kHalf);
  } else {
    std::copy(text.begin(), text.end(), near_.begin());
  }
  point_ = size_;
  const std::string_view near(near_.data(), kNear);
  for (std::size_t at = 0; at < size_; at += kWordBytes) {
    const std::uint64_t points = bytes_that_are(word_at(near, at), '.');
    if (points == 0) continue;
    point_ = static_cast<std::uint8_t>(at + static_cast<unsigned>(std::countr_zero(points)) / 8);
    break;
  }
  if (text.empty()) return;
  if (text.back() == 'Z') {
    kind_ = Kind::Utc;
  } else if (text.find_first_not_of("0123456789.") == std::string_view::npos) {
    kind_ = Kind::Unix;
  }
}

Order order_of_numbers(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return Order::Unknown;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? Order::Before : Order::After;
  const int order = a.compare(b);
  return order < 0 ? Order::Before : order > 0 ? Order::After : Order::Same;
}

}  // namespace attrib::evidence
