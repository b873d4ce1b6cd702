#include "evidence/json_order.h"

#include <algorithm>

#include "evidence/words.h"

namespace attrib::evidence {
namespace {

Order order_of(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return order < 0 ? Order::Before : order > 0 ? Order::After : Order::Same;
}

}  // namespace

void WrittenTime::set(std::string_view text) {
  size_ = static_cast<std::uint32_t>(text.size());
  point_ = static_cast<std::uint32_t>(std::min(text.find('.'), text.size()));
  if (!text.empty() && text.back() == 'Z') {
    kind_ = Kind::Utc;
  } else {
    const bool is_unix = text.find_first_not_of("0123456789.") == std::string_view::npos;
    kind_ = is_unix ? Kind::Unix : Kind::Other;
  }
  if (text.size() > kNear) {
    far_ = text;
    return;
  }
  near_ = {};
  std::copy(text.begin(), text.end(), near_.begin());
}

Order order_of_times(const WrittenTime& a, const WrittenTime& b) {
  const bool alike = a.size_ == b.size_ && a.size_ > 0 && a.kind_ == b.kind_ &&
                     a.point_ == b.point_ && a.kind_ != WrittenTime::Kind::Other;
  if (!alike) return Order::Unknown;
  if (a.size_ > WrittenTime::kNear) return order_of(a.far_, b.far_);
  const std::string_view one(a.near_.data(), a.near_.size()), two(b.near_.data(), b.near_.size());
  for (std::size_t at = 0; at < WrittenTime::kNear; at += kWordBytes) {
    const std::uint64_t here = word_at(one, at), there = word_at(two, at);
    if (here == there) continue;
    return __builtin_bswap64(here) < __builtin_bswap64(there) ? Order::Before : Order::After;
  }
  return Order::Same;
}

Order order_of_numbers(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return Order::Unknown;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? Order::Before : Order::After;
  return order_of(a, b);
}

}  // namespace attrib::evidence
