#include "service/router.h"

#include <array>
#include <limits>
#include <optional>

namespace attrib::service {
namespace {

constexpr std::size_t kNone = 0;
constexpr std::size_t kHeader = std::size_t{8}
                                << 20U;  // It is held several times while it is read.
constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

constexpr std::array kRoutes = {
#define ATTRIB_ROUTE(id, method, pattern, scope, body) \
  RouteInfo{Route::id, method, pattern, Scope::scope, k##body},
#include "service/routes.def"
#undef ATTRIB_ROUTE
};

constexpr std::string_view kId = "{id}";

// What stands for `{id}`, or empty; none: `path` is not of the pattern.
std::optional<std::string_view> fits(std::string_view pattern, std::string_view path) {
  const std::size_t at = pattern.find(kId);
  if (at == std::string_view::npos)
    return pattern == path ? std::optional(std::string_view()) : std::nullopt;
  const std::string_view before = pattern.substr(0, at);
  const std::string_view after = pattern.substr(at + kId.size());
  if (!path.starts_with(before) || path.size() <= before.size() + after.size()) return std::nullopt;
  path.remove_prefix(before.size());
  if (!path.ends_with(after)) return std::nullopt;
  path.remove_suffix(after.size());
  if (path.find('/') != std::string_view::npos) return std::nullopt;
  return path;
}

}  // namespace

Match match_route(std::string_view method, std::string_view path) {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  Match out;
  for (const RouteInfo& each : kRoutes) {
    const auto id = fits(each.pattern, path);
    if (!id) continue;
    // The server leaves the body of an answer to HEAD out.
    if (each.method == method || (method == "HEAD" && each.method == "GET")) {
      out.info = &each;
      out.id = *id;
      return out;
    }
    out.allow += out.allow.empty() ? "" : ", ";
    out.allow += each.method;
    if (each.method == "GET") out.allow += ", HEAD";
  }
  return out;
}

}  // namespace attrib::service
