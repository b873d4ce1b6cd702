// What a client can and cannot make the server hold: bytes, time, connections.

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <ctime>
#include <fstream>
#include <string>

#include "http/test_support.h"

namespace attrib::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBodyLimit = std::size_t{16} << 20U;

// A sanitizer keeps freed memory for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMostGrowth = std::size_t{1} << 30U;
#else
constexpr std::size_t kMostGrowth = std::size_t{64} << 20U;
#endif

// The most memory the process has held since the last call of forget_peak(), or ever where that cannot be forgotten.
std::size_t peak_bytes() {
  std::ifstream in("/proc/self/status");
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("VmHWM:")) return std::strtoul(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Raises the limit of descriptors as far as it goes; true if `wanted` may be open.
bool allow_descriptors(rlim_t wanted) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = std::min(limit.rlim_max, wanted);
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur >= wanted;
}

TestHandler& admitting(TestHandler& handler, std::size_t limit) {
  handler.on_admit = [limit](const RequestHead&) { return Admission{std::nullopt, limit}; };
  return handler;
}

}  // namespace

TEST_CASE("a refusal reaches a client that is still sending its body") {
  TestHandler handler;
  const auto server = serve(admitting(handler, 1000));
  const std::string piece(1 << 16, 'x');
  for (const bool chunked : {false, true}) {
    Client client(server->addresses()[0]);
    client.send(chunked ? "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                        : "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 33554432\r\n\r\n");
    for (int i = 0; i < 512; ++i) {
      if (chunked) REQUIRE(client.send("10000\r\n"));
      REQUIRE(client.send(piece));
      if (chunked) REQUIRE(client.send("\r\n"));
    }
    CHECK(client.answer().status == 413);
    CHECK(client.at_end());
  }
  CHECK(handler.handled == 0);
}

TEST_CASE("who sends too much is told how much is taken, and what sets it") {
  TestHandler handler;
  handler.on_admit = [](const RequestHead&) { return Admission{std::nullopt, 1000, "setting limits.body"}; };
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  const auto answer = client.ask(post("/", std::string(1001, 'x')));
  CHECK(answer.status == 413);
  CHECK(answer.body.find("more than 1000 bytes") != std::string::npos);
  CHECK(answer.body.find("(setting limits.body)") != std::string::npos);
}

TEST_CASE("huge, exploding and endless bodies are refused and cost little memory") {
  TestHandler handler;
  const auto server = serve(admitting(handler, kBodyLimit));
  const std::string zeros(1 << 20, '\0');
  std::string bomb;  // 200 kB that stand for 200 MB.
  {
    const std::string megabytes = deflated(std::string(50 << 20, '\0'));
    for (int i = 0; i < 4; ++i) bomb += megabytes;
  }
  CHECK(bomb.size() < 250'000);
  forget_peak();
  const std::size_t before = peak_bytes();
  SUBCASE("a body of 1 GB, by its length") {
    Client client(server->addresses()[0]);
    CHECK(client.ask("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1073741824\r\n\r\n").status == 413);
    for (int i = 0; i < 1024 && client.send(zeros); ++i) {
    }
  }
  SUBCASE("200 kB of gzip that are 200 MB") {
    Client client(server->addresses()[0]);
    CHECK(client.ask(post("/", bomb, "Content-Encoding: gzip\r\n")).status == 413);
  }
  SUBCASE("chunks without end") {
    Client client(server->addresses()[0]);
    client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
    int sent = 0;
    while (sent < 1024 && client.send("100000\r\n") && client.send(zeros) && client.send("\r\n")) ++sent;
    CHECK(sent < 200);  // 16 MB of body and 64 MB thrown away, beside what sockets hold.
  }
  CHECK(peak_bytes() < before + kMostGrowth);
  CHECK(handler.handled == 0);
  CHECK(eventually([&] { return server->stats().body_bytes == 0; }));
}

TEST_CASE("bodies in flight share one budget, counted as they come") {
  TestHandler handler;
  ServerOptions options;
  options.body_budget = 1'000'000;
  std::vector<Reply> waiting;
  std::mutex mutex;
  handler.on_handle = [&](const Request&, Reply reply) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(reply));
  };
  const auto server = serve(admitting(handler, 900'000), options);
  Client declares(server->addresses()[0]);  // Has sent nothing of it yet: costs nothing.
  declares.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 900000\r\n\r\n");
  Client first(server->addresses()[0]);
  first.send(post("/", std::string(800'000, 'x')));
  REQUIRE(eventually([&] { return handler.handled == 1; }));
  CHECK(server->stats().body_bytes == 800'000);
  Client second(server->addresses()[0]);
  const auto refused = second.ask(post("/", std::string(300'000, 'x')));
  CHECK(refused.status == 429);
  CHECK(refused.head.find("Retry-After: 1\r\n") != std::string::npos);
  {
    const std::lock_guard lock(mutex);
    waiting[0](Response{});
  }
  CHECK(first.answer().status == 200);
  CHECK(server->stats().body_bytes == 0);
  Client third(server->addresses()[0]);
  third.send(post("/", std::string(300'000, 'x')));
  CHECK(eventually([&] { return handler.handled == 2; }));
}

TEST_CASE("long answers that nobody reads are bounded too") {
  TestHandler handler;
  ServerOptions options;
  options.body_budget = 10'000'000;
  handler.on_handle = [](const Request& request, const Reply& reply) {
    reply(Response{200, "text/plain", std::string(request.head.path == "/large" ? 30'000'000 : 1000, 'x'), {}});
  };
  const auto server = serve(handler, options);
  Client lazy(server->addresses()[0], 4096);
  lazy.send(get("/large"));  // Longer than the budget, but alone.
  REQUIRE(eventually([&] { return handler.handled == 1; }));
  Client other(server->addresses()[0]);
  CHECK(other.ask(get("/large")).status == 429);
  CHECK(other.ask(get("/small")).status == 200);
  CHECK(lazy.answer().body.size() == 30'000'000);
  REQUIRE(eventually([&] {
    const std::lock_guard lock(handler.mutex);
    return handler.log.size() == 3;
  }));
  CHECK(other.ask(get("/large")).body.size() == 30'000'000);
}

TEST_CASE("slow heads and bodies are ended with 408, idle connections without a word") {
  TestHandler handler;
  ServerOptions options;
  options.head_time = milliseconds(150);
  options.body_time = milliseconds(150);
  options.idle_time = milliseconds(150);
  const auto server = serve(handler, options);
  Client idle(server->addresses()[0]);
  Client blank(server->addresses()[0]);
  blank.send("\r\n");
  Client used(server->addresses()[0]);
  CHECK(used.ask(get("/")).status == 200);
  Client head(server->addresses()[0]);
  head.send("GET / HT");
  Client body(server->addresses()[0]);
  body.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
  CHECK(head.answer().status == 408);
  CHECK(head.at_end());
  CHECK(body.answer().status == 408);
  CHECK(body.at_end());
  CHECK(idle.at_end());
  CHECK(blank.at_end());
  CHECK(used.at_end());
  // Bytes that drip in do not move the deadline.
  Client drip(server->addresses()[0]);
  drip.send("GET /");
  for (int i = 0; i < 300 && drip.send("x"); ++i) std::this_thread::sleep_for(milliseconds(5));
  CHECK(drip.answer().status == 408);
}

TEST_CASE("a body that ends early is answered with 400") {
  TestHandler handler;
  const auto server = serve(handler);
  Client client(server->addresses()[0]);
  client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
  client.half_close();
  CHECK(client.answer().status == 400);
  CHECK(handler.handled == 0);
}

TEST_CASE("a client that does not read its answer is cut off") {
  TestHandler handler;
  handler.on_handle = [](const Request&, const Reply& reply) {
    reply(Response{200, "text/plain", std::string(50'000'000, 'x'), {}});
  };
  ServerOptions options;
  options.write_time = milliseconds(200);
  const auto server = serve(handler, options);
  Client client(server->addresses()[0], 4096);
  client.send(get("/"));
  CHECK(eventually([&] { return handler.handled == 1 && server->stats().connections == 0; }));
  CHECK(client.answer().body.empty());
}

TEST_CASE("connections past the limit are told so and closed") {
  TestHandler handler;
  ServerOptions options;
  options.connections = 2;
  const auto server = serve(handler, options);
  Client first(server->addresses()[0]);
  CHECK(first.ask(get("/")).status == 200);
  {
    Client second(server->addresses()[0]);
    CHECK(second.ask(get("/")).status == 200);
    Client third(server->addresses()[0]);
    const auto answer = third.ask(get("/"));
    CHECK(answer.status == 503);
    CHECK(answer.head.find("Retry-After: 1\r\n") != std::string::npos);
    CHECK(third.at_end());
    CHECK(first.ask(get("/")).status == 200);
  }
  CHECK(eventually([&] { return server->stats().connections == 1; }));
  Client fourth(server->addresses()[0]);
  CHECK(fourth.ask(get("/")).status == 200);
  CHECK(server->stats().refused == 1);
  CHECK(server->stats().accepted == 3);
  // A flood at the door is not piled up.
  Client fifth(server->addresses()[0]);
  std::vector<std::unique_ptr<Client>> flood;
  for (int i = 0; i < 300; ++i) flood.push_back(std::make_unique<Client>(server->addresses()[0]));
  REQUIRE(eventually([&] { return server->stats().refused == 302; }));
  CHECK(server->stats().connections <= 2 + 128);
  CHECK(fourth.ask(get("/")).status == 200);
}

TEST_CASE("hundreds of clients that drip leave the others undisturbed") {
  if (!allow_descriptors(1200)) return;
  TestHandler handler;
  const auto server = serve(handler);
  const std::string head =
      "POST /slow HTTP/1.1\r\nHost: t\r\nX-Fill: " + std::string(500, 'x') + "\r\nContent-Length: 500\r\n\r\n";
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(std::make_unique<Client>(server->addresses()[0]));
    if (i % 2 == 0) slow.back()->send(head);
  }
  std::vector<std::unique_ptr<Client>> quick;
  for (int i = 0; i < 200; ++i) quick.push_back(std::make_unique<Client>(server->addresses()[0]));
  int answered = 0;
  for (std::size_t round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < slow.size(); ++i)
      slow[i]->send(std::string_view(head).substr(i % 2 == 0 ? 60 + round : round, 1));
    for (const auto& client : quick) client->send(post("/quick", "body"));
    for (const auto& client : quick) answered += client->answer().body == "POST /quick body" ? 1 : 0;
  }
  CHECK(answered == 1000);
  CHECK(server->stats().connections == 500);
}

TEST_CASE("without descriptors the server waits for some instead of spinning") {
  TestHandler handler;
  const auto server = serve(handler);
  Client before(server->addresses()[0]);
  CHECK(before.ask(get("/")).status == 200);
  // The client of the test needs one, so the limit falls after its socket is open and before the server's is.
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::close(probe);
  rlimit low = limit;
  low.rlim_cur = static_cast<rlim_t>(probe) + 1;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
  Client waits(server->addresses()[0]);
  waits.send(get("/"));
  const std::clock_t cpu = std::clock();
  std::this_thread::sleep_for(milliseconds(500));
  const double spent = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  CHECK(before.ask(get("/")).status == 200);
  CHECK(server->stats().accepted == 1);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(waits.answer().status == 200);
  CHECK(spent < 0.25);
}

}  // namespace attrib::http
