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

// What is stored of `metadata`; null: an empty object. At most kMaxMetadata bytes.
constexpr std::size_t kMaxMetadata = std::size_t{64} << 10U;
std::variant<std::string, Problem> metadata_of(const Json& metadata);

// Of the header; empty: none. At most kMaxKey bytes.
constexpr std::size_t kMaxKey = 256;
std::variant<std::string, Problem> idempotency_key(const http::RequestHead& head);

struct Page {
  std::size_t limit = 100;
  std::string after;
};
constexpr std::size_t kMaxPage = 1000;
std::variant<Page, Problem> page_of(const http::RequestHead& head);

}  // namespace attrib::service
