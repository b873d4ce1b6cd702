#include "evidence/number_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "evidence/cursor.h"

namespace attrib::evidence {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostDigits = 40;     // Of the mantissa; more are refused.
constexpr std::int64_t kMostExponent = 99;  // Far beyond the range either way.

// digits * 10^shift, saturating, truncated.
std::int64_t scaled(std::string_view digits, std::int64_t shift) {
  std::int64_t sum = 0;
  const std::int64_t length =
      static_cast<std::int64_t>(digits.size()) + shift;  // Digits of the result.
  for (std::int64_t i = 0; i < length; ++i) {
    const bool given = i < static_cast<std::int64_t>(digits.size());
    const int digit = given ? digits[static_cast<std::size_t>(i)] - '0' : 0;
    if (sum > (kMost - digit) / 10) return kMost;
    sum = sum * 10 + digit;
  }
  return sum;
}

}  // namespace

std::optional<std::int64_t> read_millionths(std::string_view text) {
  Cursor cursor(text);
  const bool minus = cursor.literal('-');
  if (!minus) cursor.literal('+');
  std::string digits(cursor.run(is_digit, kMostDigits));
  const std::size_t whole = digits.size();
  if (cursor.literal('.')) digits += cursor.run(is_digit, kMostDigits);
  if (digits.empty()) return std::nullopt;
  std::int64_t exponent = 0;
  if (cursor.literal('e') || cursor.literal('E')) {
    const bool down = cursor.literal('-');
    if (!down) cursor.literal('+');
    if (!cursor.digits(1, 4, &exponent)) return std::nullopt;
    exponent = std::min(exponent, kMostExponent);
    if (down) exponent = -exponent;
  }
  if (!cursor.done()) return std::nullopt;
  const auto fraction = static_cast<std::int64_t>(digits.size() - whole);
  const std::int64_t magnitude = scaled(digits, exponent + 6 - fraction);
  return minus ? -magnitude : magnitude;
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace attrib::evidence
