#include "service/json.h"

#include <algorithm>

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

bool crowded(std::string_view text) {
  constexpr std::ptrdiff_t kMost = 300'000;  // Each value but the first stands behind a comma.
  return std::count(text.begin(), text.end(), ',') > kMost;
}

}  // namespace attrib::service
