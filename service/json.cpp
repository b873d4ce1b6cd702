#include "service/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "evidence/json_scan.h"
#include "evidence/read.h"

namespace attrib::service {

std::string compact(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dumped(const Json& value) { return compact(value) + "\n"; }

std::optional<Json> parsed(std::string_view text) {
  // The library's parser recurses, and so do the destructors of what it makes.
  std::size_t depth = 0;
  evidence::JsonScanner scan(text);
  if (!scan.value(&depth) || !scan.done() || depth > evidence::kMaxDepth) return std::nullopt;
  Json out = Json::parse(text, nullptr, false);
  if (out.is_discarded()) return std::nullopt;
  return out;
}

namespace {

// The first byte that is no part of a character, or the end.
std::size_t first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    constexpr std::size_t kPiece = 4096;
    std::size_t end = std::min(at + kPiece, text.size());
    while (end < text.size() && end > at + 1 &&
           (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
      --end;
    const std::string_view piece = text.substr(at, end - at);
    const std::string escaped = escape_invalid_utf8(piece);
    if (escaped != piece) {
      const auto differs = std::mismatch(piece.begin(), piece.end(), escaped.begin(), escaped.end());
      return at + static_cast<std::size_t>(differs.first - piece.begin());
    }
    at = end;
  }
  return text.size();
}

}  // namespace

std::string why_not_parsed(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "it is empty";
  const std::size_t odd = first_not_utf8(text);
  if (odd < text.size()) return fmt::format("byte {} is not UTF-8", odd + 1);
  std::size_t depth = 0;
  evidence::JsonScanner scan(text);
  if (!scan.value(&depth)) {
    const evidence::ScanError& error = scan.error();
    return fmt::format("{} at byte {}: expected {}", error.torn ? "it ends" : "not JSON", error.at + 1,
                       error.expected);
  }
  if (depth > evidence::kMaxDepth) return evidence::too_deep(depth);
  if (!scan.done()) return fmt::format("not JSON at byte {}: expected its end", scan.at() + 1);
  try {
    const Json ignored = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fmt::format("not JSON at byte {}", error.byte);
  } catch (const Json::exception&) {
    return "a number in it is larger than 1.8e308";
  }
  return "not understood";
}

bool crowded(std::string_view text) {
  constexpr std::ptrdiff_t kMost = 300'000;  // Each value but the first stands behind a comma.
  return std::count(text.begin(), text.end(), ',') > kMost;
}

}  // namespace attrib::service
