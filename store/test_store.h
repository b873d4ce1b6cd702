#pragma once

// For the tests of this room: a folder that goes away, a clock that is set, and operations waited
// for.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "base/test_folder.h"
#include "store/store.h"

namespace attrib::store {

using Folder = TestFolder;

inline constexpr std::int64_t kSecond = 1'000'000'000;

struct Clock {
  std::shared_ptr<std::atomic<std::int64_t>> time =
      std::make_shared<std::atomic<std::int64_t>>(1000 * kSecond);
  void go(std::int64_t by) const { *time += by; }
  [[nodiscard]] std::function<std::int64_t()> now() const {
    return [time = time] { return time->load(); };
  }
};

inline std::unique_ptr<Store> opened(const std::string& path, StoreOptions options = {}) {
  auto store = Store::open(path, std::move(options));
  if (!store.ok()) FAIL(store.error().message);
  return std::move(store).value();
}

inline std::string refused(const std::string& path) {
  auto store = Store::open(path, {});
  return store.ok() ? "opened" : store.error().message;
}

// What an operation called back with.
template <typename T, typename Start>
Outcome<T> waited(Start&& start) {
  std::promise<Outcome<T>> promise;
  start([&promise](Outcome<T> outcome) { promise.set_value(std::move(outcome)); });
  return promise.get_future().get();
}

inline Outcome<Session> create(Store& store, NewSession session = {"default", "{}", "{}", ""}) {
  return waited<Session>(
      [&](Then<Session> then) { store.create(std::move(session), std::move(then)); });
}
inline Post post_of(const std::string& session, const std::string& content) {
  return {session, post_id("v2", content), "v2", content, 1, {}};
}
inline Outcome<Posted> append(Store& store, Post post) {
  return waited<Posted>([&](Then<Posted> then) { store.append(std::move(post), std::move(then)); });
}
inline Outcome<Posted> append(Store& store, const std::string& session,
                              const std::string& content) {
  return append(store, post_of(session, content));
}
inline Outcome<Done> erase(Store& store, const std::string& id) {
  return waited<Done>([&](Then<Done> then) { store.erase(id, std::move(then)); });
}
inline Outcome<std::uint64_t> expire(Store& store, std::uint64_t most) {
  return waited<std::uint64_t>(
      [&](Then<std::uint64_t> then) { store.expire(most, std::move(then)); });
}

template <typename T>
T good(Outcome<T> outcome) {
  if (const auto* failure = std::get_if<Failure>(&outcome)) FAIL(failure->message);
  return std::get<T>(std::move(outcome));
}
template <typename T>
Failure bad(const Outcome<T>& outcome) {
  REQUIRE(std::holds_alternative<Failure>(outcome));
  return std::get<Failure>(outcome);
}

// All contents of a session, each in a line; in order.
inline std::string all_contents(Store& store, const std::string& id) {
  std::string all;
  good(store.contents(id, [&](const PostInfo&, std::string content) { all += content + "\n"; }));
  return all;
}

// Bytes that zstd cannot make shorter, the same for the same seed.
inline std::string noise(std::size_t size, std::uint64_t seed) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(seed >> 56U);
  }
  return bytes;
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}
inline void spit(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace attrib::store
