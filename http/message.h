#pragma once

// Requests and responses as values. Nothing here knows what the bodies mean.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attrib::http {

// What is known before the first byte of the body.
struct RequestHead {
  std::string method;                          // "GET"
  std::string path;                            // Percent-decoded, without query; begins with '/'.
  std::map<std::string, std::string> query;    // Decoded; of a name given twice the last.
  std::map<std::string, std::string> headers;  // Names in lower case; repeated ones joined by ", ".
  std::optional<std::size_t> length;           // Content-Length, of the bytes on the wire.
  std::string peer;                            // Address of the client, without port.
  bool secure = false;                         // Came through TLS.

  // Empty if there is none. `name` in lower case.
  [[nodiscard]] std::string_view header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct Request {
  RequestHead head;
  std::string body;  // Decompressed (Content-Encoding gzip or deflate), within the limit that `admit` chose.
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // Beside Content-Type, Content-Length, Connection.
  std::string reason = {};  // Not sent: for Handler::answered, hence logs. Nothing that a client wrote.
};

// Answers a request. To be called exactly once, from any thread (one that is dropped without is answered with 500);
// what it captured outlives the connection and the server, so a client that went away costs nothing but the answer.
using Reply = std::function<void(Response)>;

}  // namespace attrib::http
