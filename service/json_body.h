#pragma once

// Bodies and queries, read as what they must be.

#include <variant>

#include "http/message.h"
#include "service/json.h"
#include "service/problem.h"

namespace attrib::service {

// 415 unless the Content-Type is JSON, NDJSON or not given.
std::optional<Problem> wrong_media_type(const http::RequestHead& head);
// A JSON object: 400 if the body is no JSON, 422 if it is none.
std::variant<Json, Problem> json_body(const http::Request& request);

struct Page {
  std::size_t limit = 100;
  std::string after;
};
constexpr std::size_t kMaxPage = 1000;
std::variant<Page, Problem> page_of(const http::RequestHead& head);

}  // namespace attrib::service
