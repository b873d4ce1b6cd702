#include "service/problem.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "service/json.h"

namespace attrib::service {
namespace {

std::string_view title(unsigned status) {
  switch (status) {
    case 400:
      return "Bad request";
    case 401:
      return "Token needed";
    case 403:
      return "Not allowed";
    case 404:
      return "Not found";
    case 405:
      return "Method not allowed";
    case 406:
      return "Not acceptable";
    case 408:
      return "Request too slow";
    case 409:
      return "Contradiction";
    case 413:
      return "Too large";
    case 415:
      return "Unsupported media type";
    case 422:
      return "Not understood";
    case 429:
      return "Too many requests";
    case 431:
      return "Head too large";
    case 503:
      return "Not available";
    default:
      return status < 500 ? "Bad request" : "Internal error";
  }
}

}  // namespace

http::Response to_response(const Problem& problem) {
  Json body;
  body["type"] = "about:blank";
  body["title"] = title(problem.status);
  body["status"] = problem.status;
  body["detail"] = problem.detail;
  if (!problem.field.empty()) body["field"] = problem.field;
  if (problem.line) body["line"] = *problem.line;
  if (!problem.problems.empty()) body["problems"] = problem.problems;
  http::Response out;
  out.status = problem.status;
  out.content_type = "application/problem+json";
  out.body = dumped(body);
  out.headers = problem.headers;
  out.reason = problem.quotes ? std::string(title(problem.status)) : problem.detail;
  if (problem.quotes && problem.line) out.reason += fmt::format(": line {} of the body", *problem.line);
  return out;
}

Problem busy(std::string detail) {
  Problem out{429, std::move(detail)};
  out.headers.emplace_back("Retry-After", "1");
  return out;
}

Problem from_store(const store::Failure& failure) {
  switch (failure.kind) {
    case store::FailureKind::NotFound:
      return {404, "there is no such attributor, or it has expired"};
    case store::FailureKind::Conflict:
      return about_text(409, failure.message);
    case store::FailureKind::TooLarge:
      return {413, failure.message};
    case store::FailureKind::Full: {
      Problem out{429, failure.message};
      out.headers.emplace_back("Retry-After", "60");
      return out;
    }
    case store::FailureKind::Busy:
      return busy("too much is waiting to be stored");
    case store::FailureKind::Broken:
      break;
  }
  return {500, "the store failed"};
}

Problem about_text(unsigned status, std::string text) {
  Problem out{status, std::move(text)};
  out.quotes = true;
  const std::string_view all = out.detail;
  constexpr std::string_view kField = "field `";
  if (const std::size_t at = all.find(kField); at != std::string_view::npos) {
    const std::size_t begin = at + kField.size();
    const std::size_t end = all.find('`', begin);
    if (end != std::string_view::npos) out.field = all.substr(begin, end - begin);
  }
  constexpr std::string_view kBody = "body:";
  if (all.starts_with(kBody)) {
    std::uint64_t line = 0;
    const char* const begin = all.data() + kBody.size();
    const auto read = std::from_chars(begin, all.data() + all.size(), line);
    if (read.ptr != begin) out.line = line;
  }
  return out;
}

}  // namespace attrib::service
