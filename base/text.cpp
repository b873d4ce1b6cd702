#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace attrib {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

// Length of the valid UTF-8 sequence at the front of `s` (Unicode table 3-7), or 0.
std::size_t utf8_sequence(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t size = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) size = 2;
  else if (lead >= 0xE0 && lead <= 0xEF) size = 3;
  else if (lead >= 0xF0 && lead <= 0xF4) size = 4;
  else return 0;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (s.size() < size) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return size;
}

// How many bytes at the front are ASCII.
std::size_t ascii_prefix(std::string_view s) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof(word) <= s.size(); at += sizeof(word)) {
    std::memcpy(&word, s.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (at < s.size() && static_cast<unsigned char>(s[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongestCompared = 100;
  if (name.empty() || name.size() > kLongestCompared) return std::nullopt;
  const std::size_t limit = name.size() <= 3 ? 1 : name.size() <= 6 ? 2 : 3;
  std::optional<std::string> best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestCompared) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string escape_invalid_utf8(std::string_view bytes, std::size_t* escaped) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t plain = ascii_prefix(bytes);
    out.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    if (bytes.empty()) break;
    const std::size_t size = utf8_sequence(bytes);
    if (size == 0) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(bytes[0]));
      if (escaped != nullptr) ++*escaped;
    } else {
      out.append(bytes.substr(0, size));
    }
    bytes.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::string human_duration(long long nanoseconds) {
  if (nanoseconds < 0) return "-" + human_duration(nanoseconds == INT64_MIN ? INT64_MAX : -nanoseconds);
  const long long ms = nanoseconds / 1'000'000;
  if (ms < 1000) return fmt::format("{}ms", ms);
  if (ms < 10'000 && ms % 1000 != 0) return fmt::format("{}.{}s", ms / 1000, ms % 1000 / 100);
  const long long s = ms / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return s % 60 == 0 ? fmt::format("{}m", s / 60) : fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86400) return s / 60 % 60 == 0 ? fmt::format("{}h", s / 3600) : fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return s / 3600 % 24 == 0 ? fmt::format("{}d", s / 86400) : fmt::format("{}d{:02}h", s / 86400, s / 3600 % 24);
}

}  // namespace attrib
