#pragma once

// For the tests of this room: a handler made of lambdas, a client of raw bytes, and a deflater.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "http/address.h"
#include "http/server.h"

namespace attrib::http {

// Echoes "METHOD PATH BODY" unless told otherwise.
class TestHandler : public Handler {
 public:
  std::function<Admission(const RequestHead&)> on_admit = [](const RequestHead&) {
    return Admission{std::nullopt, std::size_t{1} << 20U};
  };
  std::function<void(Request, Reply)> on_handle = [](Request request, const Reply& reply) {
    reply(Response{200, "text/plain", request.head.method + " " + request.head.path + " " + request.body, {}});
  };

  Admission admit(const RequestHead& head) override {
    ++admitted;
    return on_admit(head);
  }
  void handle(Request request, Reply reply) override {
    ++handled;
    on_handle(std::move(request), std::move(reply));
  }
  Response refuse(unsigned status, const std::string& detail) override {
    return Response{status, "text/plain", "refused: " + detail, {}};
  }
  void answered(const RequestHead* head, unsigned status, std::size_t bytes_in, std::size_t bytes_out,
                std::chrono::nanoseconds /*took*/, std::string_view reason) override {
    const std::lock_guard lock(mutex);
    log.push_back({head ? head->path : "", status, bytes_in, bytes_out, std::string(reason)});
  }

  struct Answered {
    std::string path;
    unsigned status;
    std::size_t bytes_in;
    std::size_t bytes_out;
    std::string reason;
  };
  std::atomic<int> admitted{0};
  std::atomic<int> handled{0};
  std::mutex mutex;
  std::vector<Answered> log;
};

inline std::unique_ptr<Server> serve(Handler& handler, ServerOptions options = {}) {
  if (options.listen.empty()) options.listen = {"127.0.0.1:0"};
  auto server = Server::open(std::move(options), &handler);
  REQUIRE_MESSAGE(server.ok(), (server.ok() ? "" : server.error().message));
  auto result = std::move(server).value();
  result->start();
  return result;
}

// Waits until `holds` does; false after ten seconds.
inline bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Client {
 public:
  explicit Client(const std::string& listen, int receive_buffer = 0) {
    const ListenAddress address = parse_listen(listen).value();
    const bool v6 = address.host.find(':') != std::string::npos;
    fd_ = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int one = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval patience{15, 0};  // A hanging server fails the test instead of hanging it.
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    int code = -1;
    if (v6) {
      sockaddr_in6 to{};
      to.sin6_family = AF_INET6;
      to.sin6_port = htons(address.port);
      ::inet_pton(AF_INET6, address.host.c_str(), &to.sin6_addr);
      code = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    } else {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(address.port);
      ::inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
      code = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
    REQUIRE(code == 0);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(); }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void half_close() const { ::shutdown(fd_, SHUT_WR); }
  [[nodiscard]] int fd() const { return fd_; }

  // False if the server does not take it any more.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // One response: its head, and the body that Content-Length tells of ("" for a HEAD request).
  struct Answer {
    int status = 0;  // 0: the connection ended first.
    std::string head;
    std::string body;
  };
  Answer answer(bool to_head_request = false) {
    Answer result;
    std::size_t end = std::string::npos;
    while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return result;
    }
    result.head = in_.substr(0, end + 4);
    in_.erase(0, end + 4);
    std::from_chars(result.head.data() + 9, result.head.data() + 12, result.status);
    const std::size_t field = result.head.find("Content-Length: ");
    if (field == std::string::npos || to_head_request) return result;
    const std::size_t length = std::strtoul(result.head.c_str() + field + 16, nullptr, 10);
    while (in_.size() < length) {
      if (!receive()) return Answer{};
    }
    result.body = in_.substr(0, length);
    in_.erase(0, length);
    return result;
  }
  Answer ask(std::string_view bytes, bool head_request = false) {
    send(bytes);
    return answer(head_request);
  }
  // Whether the server has closed, in good order, and nothing more came.
  bool at_end() { return in_.empty() && !receive() && in_.empty() && !reset_; }

 private:
  bool receive() {
    char piece[65536];
    const ssize_t size = ::recv(fd_, piece, sizeof piece, 0);
    if (size < 0) reset_ = true;
    if (size <= 0) return false;
    in_.append(piece, static_cast<std::size_t>(size));
    return true;
  }

  int fd_ = -1;
  bool reset_ = false;
  std::string in_;
};

inline std::string get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + std::string(fields) + "\r\n";
}

inline std::string post(std::string_view path, std::string_view body, std::string_view fields = "") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// `window` as zlib's: 31 gzip, 15 zlib, -15 bare.
inline std::string deflated(std::string_view text, int window = 31) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace attrib::http
