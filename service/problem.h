#pragma once

// What went wrong with a request, as RFC 9457 says it (application/problem+json).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/message.h"
#include "store/store.h"

namespace attrib::service {

struct Problem {
  unsigned status = 500;
  std::string detail;                                // One sentence about this request.
  std::string field = {};                            // Where known: "workload.start".
  std::optional<std::uint64_t> line = std::nullopt;  // Of the body, where known.
  std::vector<std::string> problems = {};            // What was wrong with each observation.
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool quotes = false;  // The detail may quote the body: it is for its client alone, not for the log.
};

http::Response to_response(const Problem& problem);

// Come again in a second.
Problem busy(std::string detail);
// What a failure of the store means to a client: what SQLite says is for the log alone.
Problem from_store(const store::Failure& failure);
// A problem of the readers of evidence, whose text may quote it. One that begins with "field `NAME`" or "...:LINE:" says so apart, too.
Problem about_text(unsigned status, std::string text);

}  // namespace attrib::service
