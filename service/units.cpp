#include "service/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace attrib::service {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

// The largest first.
constexpr std::array kBinary = {
    Unit{"TiB", std::uint64_t{1} << 40U}, Unit{"GiB", std::uint64_t{1} << 30U},
    Unit{"MiB", std::uint64_t{1} << 20U}, Unit{"KiB", std::uint64_t{1} << 10U}, Unit{"B", 1}};
constexpr std::array kDecimal = {Unit{"TB", 1'000'000'000'000}, Unit{"GB", 1'000'000'000},
                                 Unit{"MB", 1'000'000}, Unit{"kB", 1'000}};
constexpr std::array kTime = {Unit{"d", 86'400'000'000'000},
                              Unit{"h", 3'600'000'000'000},
                              Unit{"m", 60'000'000'000},
                              Unit{"s", 1'000'000'000},
                              Unit{"ms", 1'000'000},
                              Unit{"us", 1'000},
                              Unit{"ns", 1}};

// Takes the digits off the front of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return out;
}

std::optional<std::uint64_t> times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return number;
  for (const Unit& unit : kBinary) {
    if (text == unit.name) return times(*number, unit.size);
  }
  for (const Unit& unit : kDecimal) {
    if (text == unit.name) return times(*number, unit.size);
  }
  return std::nullopt;
}

std::string format_bytes(std::uint64_t bytes) {
  for (const Unit& unit : kBinary) {
    if (bytes >= unit.size && bytes % unit.size == 0) {
      return fmt::format("{}{}", bytes / unit.size, unit.name);
    }
  }
  return fmt::format("{}B", bytes);
}

std::optional<std::uint64_t> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    const std::string_view name =
        text.substr(0, std::min(text.find_first_of("0123456789"), text.size()));
    text.remove_prefix(name.size());
    std::optional<std::uint64_t> part;
    for (const Unit& unit : kTime) {
      if (name == unit.name) part = times(*number, unit.size);
    }
    if (!part || __builtin_add_overflow(sum, *part, &sum)) return std::nullopt;
  }
  return sum;
}

std::string format_duration(std::uint64_t nanoseconds) {
  std::string out;
  for (const Unit& unit : kTime) {
    if (nanoseconds >= unit.size) out += fmt::format("{}{}", nanoseconds / unit.size, unit.name);
    nanoseconds %= unit.size;
  }
  return out.empty() ? "0s" : out;
}

}  // namespace attrib::service
