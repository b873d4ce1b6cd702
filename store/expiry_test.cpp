#include <thread>

#include "store/test_store.h"

namespace attrib::store {

namespace {

constexpr std::int64_t kIdle = 3600 * kSecond;

StoreOptions options_of(const Clock& clock) {
  StoreOptions options;
  options.idle_time = kIdle;
  options.now = clock.now();
  return options;
}

}  // namespace

TEST_CASE("a session that was idle too long is not found, erased or not") {
  const Folder folder;
  const Clock clock;
  const auto store = opened(folder / "a.db", options_of(clock));
  const std::string id = good(create(*store, {"default", "{}", "{}", "key"})).id;
  good(append(*store, id, "x"));
  clock.go(kIdle);  // Not more than the idle time.
  CHECK(good(store->session(id)).posts == 1);
  clock.go(1);
  const auto gone = [&] {
    CHECK(bad(store->session(id)).kind == FailureKind::NotFound);
    CHECK(bad(store->posts(id, "", 9)).kind == FailureKind::NotFound);
    CHECK(bad(store->contents(id, [](const PostInfo&, const std::string&) {})).kind ==
          FailureKind::NotFound);
    CHECK(bad(append(*store, id, "x")).kind == FailureKind::NotFound);
    CHECK(bad(append(*store, id, "y")).kind == FailureKind::NotFound);
    CHECK(bad(erase(*store, id)).kind == FailureKind::NotFound);
    CHECK(bad(waited<Session>([&](Then<Session> then) {
            store->change_header(
                id, [](const std::string&) -> Result<std::string> { return std::string("[]"); },
                std::move(then));
          })).kind == FailureKind::NotFound);
    CHECK(good(store->sessions(0, 9)).empty());
  };
  gone();
  store->touch(id);  // Comes too late.
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  gone();
  CHECK(store->stats().sessions == 1);
  CHECK(good(expire(*store, 10)) == 1);
  CHECK(store->stats().sessions == 0);
  CHECK(store->stats().posts == 0);
  CHECK(store->stats().expired == 1);
  gone();
}

TEST_CASE("the key of an expired session is free") {
  const Folder folder;
  const Clock clock;
  const auto store = opened(folder / "a.db", options_of(clock));
  const std::string id = good(create(*store, {"default", "{}", "{}", "key"})).id;
  clock.go(kIdle + 1);
  const std::string next = good(create(*store, {"default", "{}", "{}", "key"})).id;
  CHECK(next != id);
  CHECK(good(create(*store, {"default", "{}", "{}", "key"})).id == next);
  CHECK(store->stats().sessions == 1);
}

TEST_CASE("writing, a copy, a repeated create and reading keep a session alive") {
  const Folder folder;
  const Clock clock;
  const auto store = opened(folder / "a.db", options_of(clock));
  const std::string id = good(create(*store, {"default", "{}", "{}", "key"})).id;
  const auto nearly = [&] { clock.go(kIdle - kSecond); };
  nearly();
  good(append(*store, id, "x"));
  nearly();
  CHECK(good(append(*store, id, "x")).copy);
  nearly();
  CHECK(good(create(*store, {"default", "{}", "{}", "key"})).id == id);
  nearly();
  store->touch(id);
  for (int at = 0; at < 500 && good(store->session(id)).used < clock.now()(); ++at)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  nearly();
  CHECK(good(store->session(id)).id == id);
}

TEST_CASE("reads are noted at most once a minute, and are not revisions") {
  const Folder folder;
  const Clock clock;
  const auto store = opened(folder / "a.db", options_of(clock));
  const Session made = good(create(*store));
  clock.go(59 * kSecond);
  store->touch(made.id);
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  CHECK(good(store->session(made.id)).used == made.used);
  clock.go(3600 * kSecond - 59 * kSecond);
  const std::uint64_t commits = store->stats().commits;
  for (int at = 0; at < 1000; ++at) store->touch(made.id);
  for (int at = 0; at < 500 && good(store->session(made.id)).used == made.used; ++at)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(good(store->session(made.id)).used == clock.now()());
  CHECK(good(store->session(made.id)).revision == 0);
  CHECK(store->stats().commits <= commits + 1);
}

TEST_CASE("expiry takes the oldest first, and so many as it was told") {
  const Folder folder;
  const Clock clock;
  const auto store = opened(folder / "a.db", options_of(clock));
  std::vector<std::string> made;
  for (int at = 0; at < 5; ++at) {
    made.push_back(good(create(*store)).id);
    clock.go(kSecond);
  }
  CHECK(good(expire(*store, 10)) == 0);
  clock.go(kIdle - 2 * kSecond);  // The first three have been idle too long.
  CHECK(good(expire(*store, 2)) == 2);
  CHECK(good(expire(*store, 2)) == 1);
  CHECK(good(expire(*store, 2)) == 0);
  CHECK(good(store->sessions(0, 9)).front().id == made[3]);
}

TEST_CASE("a clock that goes back loses nothing") {
  const Folder folder;
  const Clock clock;
  const auto store = opened(folder / "a.db", options_of(clock));
  const std::string id = good(create(*store)).id;
  clock.go(-500 * kSecond);
  good(append(*store, id, "x"));
  CHECK(good(store->session(id)).used == 1000 * kSecond);
}

}  // namespace attrib::store
