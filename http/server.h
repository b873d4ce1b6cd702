#pragma once

// An HTTP/1.1 server over Boost.Asio and Beast on a few threads: a slow client costs a small buffer,
// never a thread. It bounds what a client can make it hold, in counted bytes:
//
//   * a head of at most 16 KiB;
//   * a body of at most the bytes that the handler admits, on the wire and once more decompressed,
//     whatever Content-Length says and however it is chunked (else 413);
//   * all bodies in flight together, each until it is answered, at most `body_budget` bytes (else 429 with
//   Retry-After);
//   * answers of more than 64 KiB that wait for their clients to read them: as much again (else 429 instead of the
//   answer;
//     one that is longer than all of it goes out when it is alone);
//   * `connections` at once (else 503 and closed); each has `head_time` for a request's head, `body_time` for its
//     body, `idle_time` between requests, `write_time` for reading the answer.
//
// A refused body is not read on: the connection is answered and closed (after a short while in which what the client
// still sends is thrown away, so that it sees the answer and not a reset).

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace attrib::http {

// What the handler says to a head: the response that ends it, or how long its body may be.
struct Admission {
  std::optional<Response> refusal;
  std::size_t body_limit = 0;
  std::string limit_name = {};  // What a 413 calls that limit: "setting limits.body".
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Called on a server thread when a head is in; must not block.
  virtual Admission admit(const RequestHead& head) = 0;
  // Called on a server thread when the body is in; must not block. Answers by `reply`, now or later.
  virtual void handle(Request request, Reply reply) = 0;
  // The server refused by itself (400, 408, 413, 415, 429, 431, 500, 503): the body and type of the answer. `detail` is
  // one sentence.
  virtual Response refuse(unsigned status, const std::string& detail) = 0;
  // A request is answered: for logs and metrics. `head` is null if none was understood; `reason` is the response's.
  virtual void answered(const RequestHead* head, unsigned status, std::size_t bytes_in, std::size_t bytes_out,
                        std::chrono::nanoseconds took, std::string_view reason) = 0;
};

struct TlsFiles {
  std::string certificate;  // PEM, with its chain.
  std::string key;          // PEM.
};

// From when until when a certificate is valid, in seconds since 1970.
struct Validity {
  std::int64_t from = 0, until = 0;
};

struct ServerOptions {
  std::vector<std::string> listen;  // "127.0.0.1:8000", "[::1]:8000", "localhost:0" (127.0.0.1, any free port)
  std::optional<TlsFiles> tls;      // TLS 1.2 and later.
  unsigned threads = 1;
  std::size_t body_budget = std::size_t{64} << 20U;
  std::size_t connections = 4096;
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds idle_time{60'000};
  std::chrono::milliseconds write_time{60'000};
};

struct ServerStats {
  std::uint64_t connections = 0;  // Open now.
  std::uint64_t accepted = 0;     // Since the start.
  std::uint64_t refused = 0;      // Turned away at the door.
  std::uint64_t body_bytes = 0;   // Held now for bodies in flight.
};

class Server {
 public:
  // Binds and listens; nothing is accepted before start(). `handler` must outlive the server.
  static Result<std::unique_ptr<Server>> open(ServerOptions options, Handler* handler);
  virtual ~Server() = default;  // Stops at once.

  virtual void start() = 0;
  // Where it listens, ports filled in.
  [[nodiscard]] virtual std::vector<std::string> addresses() const = 0;
  // Reads certificate and key again; connections that are open keep theirs. On an Error the old ones stay.
  virtual Status reload_tls() = 0;
  // Of the certificate that new connections get (not of its chain); nothing without TLS. Any thread.
  [[nodiscard]] virtual std::optional<Validity> certificate() const = 0;
  // Accepts nothing more, closes idle connections, and waits until all requests that have begun are answered, at most
  // `most`. True: all were.
  virtual bool drain(std::chrono::milliseconds most) = 0;
  [[nodiscard]] virtual ServerStats stats() const = 0;
};

// "127.0.0.1:8000" is loopback, "0.0.0.0:8000" and names are not (but "localhost" is).
bool is_loopback(const std::string& listen);

}  // namespace attrib::http
