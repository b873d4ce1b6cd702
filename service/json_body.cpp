#include "service/json_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace attrib::service {

std::optional<Problem> wrong_media_type(const http::RequestHead& head) {
  constexpr std::array<std::string_view, 6> kTypes = {
      "",
      "application/json",
      "application/x-ndjson",
      "application/ndjson",
      "application/jsonl",
      "application/merge-patch+json",
  };
  std::string type(head.header("content-type"));
  type.resize(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end()) return std::nullopt;
  return Problem{415, "Content-Type: expected application/json or application/x-ndjson"};
}

std::variant<Json, Problem> json_body(const http::Request& request) {
  if (auto problem = wrong_media_type(request.head)) return *std::move(problem);
  if (crowded(request.body)) return Problem{413, "the body holds more than 300,000 values"};
  auto body = parsed(request.body);
  if (!body) return Problem{400, "the body cannot be read: " + why_not_parsed(request.body)};
  if (!body->is_object()) return Problem{422, "the body: expected a JSON object"};
  return *std::move(body);
}

std::variant<std::string, Problem> metadata_of(const Json& metadata) {
  if (metadata.is_null()) return std::string("{}");
  if (!metadata.is_object())
    return Problem{422, "field `metadata`: expected an object", "metadata"};
  std::string out = compact(metadata);
  if (out.size() > kMaxMetadata)
    return Problem{422, fmt::format("field `metadata`: expected at most {} bytes", kMaxMetadata),
                   "metadata"};
  return out;
}

std::variant<std::string, Problem> idempotency_key(const http::RequestHead& head) {
  const std::string_view key = head.header("idempotency-key");
  if (key.size() > kMaxKey)
    return Problem{400, fmt::format("Idempotency-Key: expected at most {} bytes", kMaxKey)};
  return std::string(key);
}

std::variant<Page, Problem> page_of(const http::RequestHead& head) {
  Page out;
  if (const auto after = head.query.find("after"); after != head.query.end())
    out.after = after->second;
  const auto limit = head.query.find("limit");
  if (limit == head.query.end()) return out;
  const std::string& text = limit->second;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out.limit);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || out.limit < 1 ||
      out.limit > kMaxPage)
    return Problem{422, fmt::format("query `limit`: expected a number from 1 to {}", kMaxPage),
                   "limit"};
  return out;
}

}  // namespace attrib::service
