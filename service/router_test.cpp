#include "service/router.h"

#include <doctest/doctest.h>

namespace attrib::service {
namespace {

TEST_CASE("a route is found by method and pattern") {
  const Match one = match_route("GET", "/v2/attributors/0a/attribution");
  REQUIRE(one.info != nullptr);
  CHECK(one.info->route == Route::GetAttribution);
  CHECK(one.info->pattern == "/v2/attributors/{id}/attribution");
  CHECK(one.id == "0a");
  REQUIRE(match_route("POST", "/latest/attributor/").info != nullptr);
  CHECK(match_route("POST", "/latest/attributor/").info->route == Route::V1Create);
  CHECK(match_route("GET", "/v2/attributors/0a").id == "0a");
}

TEST_CASE("a route says how long its body may be") {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  CHECK(match_route("GET", "/v2/attributors").info->body_bytes == 0);
  CHECK(match_route("POST", "/v2/attributors").info->body_bytes == 8 * kMiB);
  CHECK(match_route("PATCH", "/v2/attributors/a").info->body_bytes == 8 * kMiB);
  CHECK(match_route("POST", "/latest/attributor").info->body_bytes == 8 * kMiB);
  CHECK(match_route("POST", "/v2/attributors/a/observations").info->body_bytes > 1024 * kMiB);
}

TEST_CASE("what is no route is none, and another method says which there are") {
  for (const char* path :
       {"", "/", "//", "/v2", "/v2/attributors//attribution", "/v2/attributors/a/b",
        "/v2/attributors/a/attribution/x", "/latest", "/attributor"}) {
    const Match match = match_route("GET", path);
    CHECK_MESSAGE(match.info == nullptr, path);
    CHECK_MESSAGE(match.allow.empty(), path);
  }
  CHECK(match_route("PUT", "/v2/attributors/a").allow == "GET, HEAD, PATCH, DELETE");
  CHECK(match_route("get", "/healthz").allow == "GET, HEAD");
  CHECK(match_route("HEAD", "/healthz").info == match_route("GET", "/healthz").info);
  CHECK(match_route("HEAD", "/v2/attributors/a/attribution").info != nullptr);
  CHECK(match_route("HEAD", "/v2/attribute").info == nullptr);
}

}  // namespace
}  // namespace attrib::service
