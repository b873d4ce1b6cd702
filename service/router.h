#pragma once

// Which route a request means. Routes are declared in routes.def.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "service/tokens.h"

namespace attrib::service {

enum class Route : std::uint8_t {
#define ATTRIB_ROUTE(id, method, pattern, scope, body) id,
#include "service/routes.def"
#undef ATTRIB_ROUTE
};

struct RouteInfo {
  Route route = Route::Healthz;
  std::string_view method;
  std::string_view pattern;  // For logs and metrics: "/v2/attributors/{id}".
  Scope scope = Scope::None;
  std::size_t body_bytes = 0;  // Of a body, at most.
};

struct Match {
  const RouteInfo* info = nullptr;  // Null: no such route.
  std::string id;                   // What stands for `{id}`.
  std::string allow;                // No such method here: those that there are, "GET, POST".
};

// A slash at the end of `path` makes no difference.
Match match_route(std::string_view method, std::string_view path);

}  // namespace attrib::service
