// Who may outlive whom: replies, clients, the server; and how it drains.

#include <doctest/doctest.h>

#include <string>

#include "http/test_support.h"

namespace attrib::http {
namespace {

using std::chrono::milliseconds;

// Keeps the replies for later.
class SlowHandler : public TestHandler {
 public:
  SlowHandler() {
    on_handle = [this](const Request& request, Reply reply) {
      if (request.head.path == "/now") return reply(Response{});
      const std::lock_guard lock(mutex);
      waiting.push_back(std::move(reply));
    };
  }
  std::vector<Reply> take(std::size_t count) {
    REQUIRE(eventually([&] {
      const std::lock_guard lock(mutex);
      return waiting.size() >= count;
    }));
    const std::lock_guard lock(mutex);
    return std::exchange(waiting, {});
  }
  std::vector<Reply> waiting;
};

}  // namespace

TEST_CASE("a reply may come later and from any thread, and only the first counts") {
  for (const unsigned threads : {1U, 2U}) {
    SlowHandler handler;
    ServerOptions options;
    options.threads = threads;
    const auto server = serve(handler, options);
    Client client(server->addresses()[0]);
    client.send(get("/a") + get("/now"));
    const auto replies = handler.take(1);
    std::thread([&] {
      replies[0](Response{201, "text/plain", "first", {}});
      replies[0](Response{202, "text/plain", "second", {}});
    }).join();
    CHECK(client.answer().body == "first");
    CHECK(client.answer().status == 200);
  }
}

TEST_CASE("a reply after the client has gone is harmless") {
  SlowHandler handler;
  const auto server = serve(handler);
  {
    Client client(server->addresses()[0]);
    client.send(post("/a", "x"));
    const auto replies = handler.take(1);
    client.close();
    std::this_thread::sleep_for(milliseconds(20));
    replies[0](Response{200, "text/plain", std::string(5'000'000, 'x'), {}});
  }
  CHECK(eventually([&] { return server->stats().connections == 0; }));
  Client next(server->addresses()[0]);
  CHECK(next.ask(get("/now")).status == 200);
}

TEST_CASE("a reply after the server was destroyed is harmless, and so is a dropped one") {
  SlowHandler handler;
  std::vector<Reply> replies;
  {
    const auto server = serve(handler);
    Client first(server->addresses()[0]);
    Client second(server->addresses()[0]);
    first.send(post("/a", "x"));
    second.send(post("/a", "x"));
    replies = handler.take(2);
  }
  replies[0](Response{});
  replies.clear();
}

TEST_CASE("a server may be destroyed in the middle of everything") {
  for (int round = 0; round < 20; ++round) {
    SlowHandler handler;
    ServerOptions options;
    options.threads = 1U + static_cast<unsigned>(round) % 3U;
    auto server = serve(handler, options);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(std::make_unique<Client>(server->addresses()[0]));
      clients.back()->send(i % 3 == 0   ? get("/now")
                           : i % 3 == 1 ? get("/a")
                                        : std::string("POST /x HTTP/1.1\r\nHost: t\r\nContent-Le"));
    }
    std::atomic<bool> stop{false};
    std::thread worker([&] {
      while (!stop) {
        std::vector<Reply> some;
        {
          const std::lock_guard lock(handler.mutex);
          some.swap(handler.waiting);
        }
        for (const Reply& reply : some) reply(Response{});
      }
    });
    if (round % 2 == 0) std::this_thread::sleep_for(milliseconds(round));
    server.reset();
    stop = true;
    worker.join();
    handler.waiting.clear();
  }
}

TEST_CASE("a server that was never started, or has drained, ends cleanly") {
  TestHandler handler;
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  auto opened = Server::open(options, &handler);
  REQUIRE(opened.ok());
  CHECK(opened.value()->drain(milliseconds(10)));
}

TEST_CASE("draining answers what has begun, closes the idle, and accepts nothing more") {
  for (const unsigned threads : {1U, 2U}) {
    SlowHandler handler;
    ServerOptions options;
    options.threads = threads;
    const auto server = serve(handler, options);
    Client idle(server->addresses()[0]);
    CHECK(idle.ask(get("/now")).status == 200);
    Client busy(server->addresses()[0]);
    busy.send(get("/a") + get("/never"));
    const auto replies = handler.take(1);
    Client half(server->addresses()[0]);
    half.send("POST /now HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\na");
    REQUIRE(eventually([&] { return handler.admitted == 3; }));
    bool all = false;
    std::thread drainer([&] { all = server->drain(milliseconds(10'000)); });
    CHECK(idle.at_end());
    half.send("bc");
    const auto last = half.answer();
    CHECK(last.status == 200);
    CHECK(last.head.find("Connection: close\r\n") != std::string::npos);
    const int refused = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(parse_listen(server->addresses()[0]).value().port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(refused, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0);
    ::close(refused);
    replies[0](Response{200, "text/plain", "late", {}});
    CHECK(busy.answer().body == "late");
    CHECK(busy.at_end());
    drainer.join();
    CHECK(all);
  }
}

TEST_CASE("draining gives up in time on a request that is never answered") {
  SlowHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  client.send(get("/a"));
  const auto replies = handler.take(1);
  CHECK_FALSE(server->drain(milliseconds(50)));
  replies[0](Response{});
  CHECK(server->drain(milliseconds(10'000)));
}

TEST_CASE("thousands of posts from many connections are all answered") {
  for (const unsigned threads : {1U, 2U}) {
    TestHandler handler;
    ServerOptions options;
    options.threads = threads;
    const auto server = serve(handler, options);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 100; ++i) clients.push_back(std::make_unique<Client>(server->addresses()[0]));
    const std::string request = post("/x", std::string(1000, 'x'));
    int good = 0;
    for (int round = 0; round < 20; ++round) {
      for (const auto& client : clients) client->send(request);
      for (const auto& client : clients) good += client->answer().status == 200 ? 1 : 0;
    }
    CHECK(good == 2000);
    CHECK(server->stats().accepted == 100);
  }
}

}  // namespace attrib::http
