#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <thread>

#include "store/test_store.h"

namespace attrib::store {

namespace {

constexpr int kKills = 25;
constexpr std::size_t kIdSize = 32;

std::string content_of(std::uint64_t number) {
  return std::to_string(number) + " " + noise(number % 7 == 0 ? 20'000 : 100, number);
}

// Appends new posts, and now and then one again, until it is killed. Each acknowledged id goes down
// the pipe.
[[noreturn]] void append_for_ever(const std::string& path, const std::string& session,
                                  std::uint64_t first, int pipe) {
  auto store = Store::open(path, {});
  if (!store.ok()) ::_exit(2);
  std::atomic<int> waiting = 0;
  for (std::uint64_t number = first;; ++number) {
    for (const std::uint64_t each : {number, number - number % 5}) {
      while (waiting > 200) std::this_thread::yield();
      ++waiting;
      const Post post = post_of(session, content_of(each));
      store.value()->append(post, [&waiting, pipe, id = post.id](const Outcome<Posted>& outcome) {
        --waiting;
        if (!std::holds_alternative<Posted>(outcome)) ::_exit(3);
        if (::write(pipe, id.data(), id.size()) != static_cast<ssize_t>(id.size())) ::_exit(4);
      });
    }
  }
}

// What came down the pipe until the child was killed, `after` its first acknowledgement.
std::string killed(::pid_t child, int pipe, std::chrono::microseconds after) {
  std::string all;
  std::array<char, 65536> piece{};
  auto deadline = std::chrono::steady_clock::time_point::max();
  for (;;) {
    pollfd ready{pipe, POLLIN, 0};
    ::poll(&ready, 1, 1);
    if (ready.revents != 0) {
      const ssize_t size = ::read(pipe, piece.data(), piece.size());
      if (size <= 0) return all;  // It is dead, and all is read.
      if (all.empty()) deadline = std::chrono::steady_clock::now() + after;
      all.append(piece.data(), static_cast<std::size_t>(size));
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      ::kill(child, SIGKILL);
      deadline = std::chrono::steady_clock::time_point::max();
    }
  }
}

}  // namespace

TEST_CASE("killed at any moment, a store has everything that it acknowledged, once") {
  const unsigned seed = std::random_device{}();
  MESSAGE("seed ", seed);
  std::mt19937 random(seed);
  const Folder folder;
  const std::string path = folder / "a.db";
  const std::string session = good(create(*opened(path))).id;
  std::map<std::string, int> acknowledged;  // Id, how often.
  std::uint64_t first = 0;
  for (int round = 0; round < kKills; ++round) {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    const ::pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      append_for_ever(path, session, first, pipe[1]);
    }
    ::close(pipe[1]);
    const std::string ids = killed(child, pipe[0], std::chrono::microseconds(random() % 40'000));
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(WTERMSIG(status) == SIGKILL);
    REQUIRE(ids.size() % kIdSize == 0);
    for (std::size_t at = 0; at < ids.size(); at += kIdSize)
      ++acknowledged[ids.substr(at, kIdSize)];
    first += 10'000;
  }

  const auto store = opened(path);
  std::map<std::string, int> found;
  std::uint64_t bytes = 0;
  const Session as_of =
      good(store->contents(session, [&](const PostInfo& info, const std::string& content) {
        ++found[info.id];
        bytes += content.size();
        CHECK(info.id == post_id("v2", content));
        CHECK(content == content_of(std::stoull(content)));
      }));
  std::uint64_t lost = 0, twice = 0;
  for (const auto& [id, times] : acknowledged) lost += found.count(id) == 0 ? 1U : 0U;
  for (const auto& [id, times] : found) twice += times > 1 ? 1U : 0U;
  MESSAGE(kKills, " kills: ", acknowledged.size(), " acknowledged, ", found.size(), " found, ",
          lost, " lost, ", twice, " twice");
  CHECK(acknowledged.size() > kKills);
  CHECK(lost == 0);
  CHECK(twice == 0);
  CHECK(as_of.posts == found.size());
  CHECK(as_of.revision == found.size());
  CHECK(as_of.bytes == bytes);
}

}  // namespace attrib::store
