// Requests and answers over real sockets.

#include <doctest/doctest.h>

#include <string>

#include "http/test_support.h"

namespace attrib::http {
namespace {

// Some containers have no IPv6, not even on loopback.
bool has_ipv6() {
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_addr = in6addr_loopback;
  const bool bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
  ::close(fd);
  return bound;
}

}  // namespace

TEST_CASE("requests follow each other on one connection, also when sent all at once") {
  for (const unsigned threads : {1U, 3U}) {
    TestHandler handler;
    ServerOptions options;
    options.threads = threads;
    const auto server = serve(handler, options);
    Client client(server->addresses()[0]);
    CHECK(client.ask(get("/a")).body == "GET /a ");
    const auto answer = client.ask(post("/b", "xyz"));
    CHECK(answer.body == "POST /b xyz");
    CHECK(answer.head.find("Connection: keep-alive\r\n") != std::string::npos);
    CHECK(answer.head.find("Date: ") != std::string::npos);
    std::string all;
    for (int i = 0; i < 300; ++i)
      all += i % 2 == 0 ? get("/" + std::to_string(i)) : post("/" + std::to_string(i), "body");
    client.send(all);
    for (int i = 0; i < 300; ++i) {
      CHECK(client.answer().body ==
            (i % 2 == 0 ? "GET /" + std::to_string(i) + " " : "POST /" + std::to_string(i) + " body"));
    }
    CHECK(server->stats().accepted == 1);
    CHECK(server->stats().connections == 1);
  }
}

TEST_CASE("a request may come a byte at a time") {
  TestHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  for (const char c :
       "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + get("/y")) {
    REQUIRE(client.send(std::string_view(&c, 1)));
  }
  CHECK(client.answer().body == "POST /x abc");
  CHECK(client.answer().body == "GET /y ");
}

TEST_CASE("Connection: close and HTTP/1.0 end the connection after the answer") {
  TestHandler handler;
  const auto server = serve(handler);
  for (const std::string& request : {get("/", "Connection: close\r\n"), std::string("GET / HTTP/1.0\r\n\r\n")}) {
    Client client(server->addresses()[0]);
    const auto answer = client.ask(request);
    CHECK(answer.status == 200);
    CHECK(answer.head.find("Connection: close\r\n") != std::string::npos);
    CHECK(client.at_end());
  }
  Client old(server->addresses()[0]);
  CHECK(old.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").status == 200);
  CHECK(old.ask("GET / HTTP/1.0\r\n\r\n").status == 200);
  CHECK(old.at_end());
}

TEST_CASE("a client that shuts its side after the request gets the answer") {
  TestHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  client.send(post("/", "x"));
  client.half_close();
  CHECK(client.answer().body == "POST / x");
  CHECK(client.at_end());
}

TEST_CASE("HEAD is answered with the length and without the body") {
  TestHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  const auto answer = client.ask("HEAD /x HTTP/1.1\r\nHost: t\r\n\r\n", true);
  CHECK(answer.head.find("Content-Length: 8\r\n") != std::string::npos);
  CHECK(client.ask(get("/y")).body == "GET /y ");
}

TEST_CASE("100 Continue comes after admission and before the body") {
  TestHandler handler;
  handler.on_admit = [](const RequestHead& head) {
    if (head.path == "/no") return Admission{Response{401, "text/plain", "no", {}}, 0};
    return Admission{std::nullopt, 10};
  };
  const auto server = serve(handler);
  const std::string fields = " HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: ";
  Client yes(server->addresses()[0]);
  CHECK(yes.ask("POST /yes" + fields + "3\r\n\r\n").status == 100);
  CHECK(yes.ask("abc").body == "POST /yes abc");
  Client no(server->addresses()[0]);
  CHECK(no.ask("POST /no" + fields + "3\r\n\r\n").status == 401);
  CHECK(no.at_end());
  Client long_one(server->addresses()[0]);
  CHECK(long_one.ask("POST /yes" + fields + "11\r\n\r\n").status == 413);
  CHECK(handler.handled == 1);
}

TEST_CASE("admission sees the head before any byte of the body, and may end the request") {
  TestHandler handler;
  std::string peer;
  handler.on_admit = [&](const RequestHead& head) {
    peer = head.peer;
    CHECK_FALSE(head.secure);
    return Admission{Response{403, "text/plain", "no", {{"X-Why", "so"}}}, 0};
  };
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  const auto answer = client.ask("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n");
  CHECK(answer.status == 403);
  CHECK(answer.head.find("X-Why: so\r\n") != std::string::npos);
  CHECK(client.at_end());
  CHECK(peer == "127.0.0.1");
  Client bodyless(server->addresses()[0]);
  CHECK(bodyless.ask(get("/")).status == 403);
  CHECK(bodyless.ask(get("/")).status == 403);  // Nothing was left unread: the connection goes on.
  CHECK(handler.handled == 0);
}

TEST_CASE("requests that are none are answered with 400, also on a connection that was good before") {
  TestHandler handler;
  const auto server = serve(handler);
  for (const std::string& bad :
       {std::string("GET / HTTP/1.1\n\n"), std::string("\x16\x03\x01\x02\x00", 5),
        std::string("GET /%00 HTTP/1.1\r\nHost: t\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}) {
    Client client(server->addresses()[0]);
    CHECK(client.ask(get("/")).status == 200);
    CHECK(client.ask(bad + get("/smuggled")).status == 400);
    CHECK(client.at_end());
  }
  Client long_head(server->addresses()[0]);
  CHECK(long_head.ask("GET / HTTP/1.1\r\nA: " + std::string(100'000, 'x')).status == 431);
  CHECK(long_head.at_end());
  const std::lock_guard lock(handler.mutex);
  for (const auto& answered : handler.log) CHECK(answered.path != "/smuggled");
}

TEST_CASE("compressed bodies reach the handler as what they stand for") {
  TestHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  CHECK(client.ask(post("/", deflated("hello"), "Content-Encoding: gzip\r\n")).body == "POST / hello");
  CHECK(client.ask(post("/", deflated("hello", 15), "Content-Encoding: deflate\r\n")).body == "POST / hello");
  CHECK(client.ask(post("/", "hello", "Content-Encoding: gzip\r\n")).status == 400);
  Client other(server->addresses()[0]);
  CHECK(other.ask(post("/", "hello", "Content-Encoding: zstd\r\n")).status == 415);
}

TEST_CASE("exceptions of the handler become 500 and end nothing") {
  TestHandler handler;
  handler.on_admit = [](const RequestHead& head) {
    if (head.path == "/admit") throw std::runtime_error("secret");
    return Admission{std::nullopt, 10};
  };
  handler.on_handle = [](const Request& request, const Reply& reply) {
    if (request.head.path == "/handle") throw 17;
    if (request.head.path == "/forget") return;
    reply(Response{});
  };
  const auto server = serve(handler);
  for (const char* path : {"/admit", "/handle", "/forget"}) {
    Client client(server->addresses()[0]);
    const auto answer = client.ask(get(path));
    CHECK(answer.status == 500);
    CHECK(answer.body.find("secret") == std::string::npos);
    Client next(server->addresses()[0]);
    CHECK(next.ask(get("/")).status == 200);
  }
}

TEST_CASE("what was answered is told, with its bytes") {
  TestHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  const std::string request = post("/x", "abc");
  const auto answer = client.ask(request);
  client.ask("secret\r\n\r\n");
  REQUIRE(eventually([&] {
    const std::lock_guard lock(handler.mutex);
    return handler.log.size() == 2;
  }));
  CHECK(handler.log[0].path == "/x");
  CHECK(handler.log[0].status == 200);
  CHECK(handler.log[0].bytes_in == request.size());
  CHECK(handler.log[0].bytes_out == answer.head.size() + answer.body.size());
  CHECK(handler.log[1].status == 400);
  CHECK(handler.log[0].reason.empty());
  CHECK_FALSE(handler.log[1].reason.empty());
  CHECK(handler.log[1].reason.find("secret") == std::string::npos);
}

TEST_CASE("an answer of many megabytes arrives whole, and a client that does not read holds up nobody") {
  TestHandler handler;
  const std::string large(20'000'000, 'z');
  handler.on_handle = [&](const Request& request, const Reply& reply) {
    reply(Response{200, "text/plain", request.head.path == "/large" ? large : "small", {}});
  };
  const auto server = serve(handler);
  Client lazy(server->addresses()[0], 4096);
  lazy.send(get("/large") + get("/small"));
  Client other(server->addresses()[0]);
  CHECK(other.ask(get("/small")).body == "small");
  CHECK(lazy.answer().body == large);
  CHECK(lazy.answer().body == "small");
}

TEST_CASE("the server listens on IPv4 and IPv6, and says what is wrong with an address") {
  TestHandler handler;
  ServerOptions options;
  options.listen = {"127.0.0.1:0", "localhost:0"};
  if (has_ipv6()) options.listen.emplace_back("[::1]:0");
  const auto server = serve(handler, options);
  REQUIRE(server->addresses().size() == options.listen.size());
  for (const std::string& address : server->addresses()) {
    Client client(address);
    CHECK(client.ask(get("/")).status == 200);
  }
  options.listen = {server->addresses()[0]};
  const auto taken = Server::open(options, &handler);
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().message == "cannot listen on `" + server->addresses()[0] + "`: Address already in use");
  options.listen = {"example.org:80"};
  CHECK_FALSE(Server::open(options, &handler).ok());
}

}  // namespace attrib::http
