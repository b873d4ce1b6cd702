#include <thread>

#include "store/test_store.h"

namespace attrib::store {

TEST_CASE("a session takes in so many bytes, and copies of them for ever") {
  const Folder folder;
  StoreOptions options;
  options.session_bytes = 1000;
  const auto store = opened(folder / "a.db", options);
  const std::string id = good(create(*store)).id;
  good(append(*store, id, noise(600, 1)));
  const Failure failure = bad(append(*store, id, noise(401, 2)));
  CHECK(failure.kind == FailureKind::TooLarge);
  CHECK(failure.message == "the session holds 600 bytes of 1000, 401 more do not fit");
  good(append(*store, id, noise(400, 3)));
  CHECK(good(append(*store, id, noise(600, 1))).copy);
  CHECK(bad(append(*store, id, "x")).kind == FailureKind::TooLarge);
  CHECK(bad(create(*store, {"default", std::string(1001, ' '), "{}", ""})).kind ==
        FailureKind::TooLarge);
  CHECK(good(store->session(id)).bytes == 1000);
  good(append(*store, good(create(*store)).id, "another session is not full"));
}

TEST_CASE("the store takes in so many sessions; expired ones make room") {
  const Folder folder;
  const Clock clock;
  StoreOptions options;
  options.sessions = 3;
  options.idle_time = 100 * kSecond;
  options.now = clock.now();
  const auto store = opened(folder / "a.db", options);
  for (int at = 0; at < 3; ++at)
    good(create(*store, {"default", "{}", "{}", "key " + std::to_string(at)}));
  const Failure failure = bad(create(*store));
  CHECK(failure.kind == FailureKind::Full);
  CHECK(failure.message == "the store holds 3 sessions, which is its limit");
  good(create(*store, {"default", "{}", "{}", "key 1"}));  // Is there already.
  clock.go(101 * kSecond);
  good(create(*store));
  CHECK(store->stats().sessions == 1);
}

TEST_CASE("past the bytes that may wait the answer is Busy, at once and on the caller's thread") {
  const Folder folder;
  StoreOptions options;
  options.waiting_bytes = 20'000;
  const auto store = opened(folder / "a.db", options);
  const std::string id = good(create(*store)).id;
  std::promise<void> gate, held;
  store->expire(0, [&](const Outcome<std::uint64_t>&) {
    held.set_value();
    gate.get_future().wait();
  });
  held.get_future().wait();
  int written = 0, busy = 0;
  const auto caller = std::this_thread::get_id();
  for (std::uint64_t at = 0; at < 30; ++at) {
    store->append(post_of(id, noise(1000, at)), [&](const Outcome<Posted>& outcome) {
      if (std::holds_alternative<Posted>(outcome)) {
        ++written;
        return;
      }
      ++busy;
      CHECK(std::get<Failure>(outcome).kind == FailureKind::Busy);
      CHECK(std::this_thread::get_id() == caller);
    });
  }
  CHECK(busy > 0);
  CHECK(store->stats().waiting_bytes <= 20'000);
  gate.set_value();
  while (store->stats().waiting_bytes > 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(written + busy == 30);
  CHECK(written > 5);
  CHECK(good(store->session(id)).posts == static_cast<std::uint64_t>(written));
  good(append(*store, id, noise(50'000, 99)));  // Larger than the queue, but alone.
}

TEST_CASE(
    "at the limit of the file posts are refused and all else goes on; what is erased makes room") {
  const Folder folder;
  StoreOptions options;
  options.file_bytes = std::uint64_t{2} << 20U;
  const auto store = opened(folder / "a.db", options);
  const std::string first = good(create(*store)).id;
  const std::string second = good(create(*store)).id;
  std::uint64_t fit = 0;
  Failure failure;
  for (; fit < 100; ++fit) {
    const auto outcome = append(*store, fit % 2 == 0 ? first : second, noise(50'000, fit));
    if (const auto* full = std::get_if<Failure>(&outcome)) {
      failure = *full;
      break;
    }
  }
  CHECK(fit > 30);
  CHECK(fit < 42);
  CHECK(failure.kind == FailureKind::Full);
  CHECK(failure.message == "the file has reached its limit of 2097152 bytes");
  CHECK(good(append(*store, first, noise(50'000, 0))).copy);
  CHECK(good(store->session(first)).posts == fit - fit / 2);
  CHECK_FALSE(store->trouble());
  for (int at = 0; at < 200 && !store->trouble(); ++at)
    static_cast<void>(create(*store, {"", noise(4000, 1), "", ""}));
  CHECK(store->trouble() == "the file has reached its limit");
  good(erase(*store, second));
  CHECK_FALSE(store->trouble());
  for (std::uint64_t at = 0; at + 2 < fit / 2; ++at)
    good(append(*store, first, noise(50'000, 1000 + at)));
  CHECK(std::filesystem::file_size(folder / "a.db") <= options.file_bytes);
}

TEST_CASE("a store that is full of expired sessions makes room by itself") {
  const Folder folder;
  const Clock clock;
  StoreOptions options;
  options.file_bytes = std::uint64_t{2} << 20U;
  options.idle_time = 100 * kSecond;
  options.now = clock.now();
  const auto store = opened(folder / "a.db", options);
  for (std::uint64_t session = 0; session < 15; ++session)
    good(append(*store, good(create(*store)).id, noise(100'000, session)));
  clock.go(101 * kSecond);
  const std::string id = good(create(*store)).id;
  for (std::uint64_t at = 0; at < 15; ++at) good(append(*store, id, noise(100'000, 100 + at)));
  CHECK(store->stats().expired == 15);
}

TEST_CASE("the file grows smaller when much of it has expired") {
  const Folder folder;
  const Clock clock;
  StoreOptions options;
  options.idle_time = 100 * kSecond;
  options.now = clock.now();
  std::string keep;
  {
    const auto store = opened(folder / "a.db", options);
    for (std::uint64_t session = 0; session < 30; ++session)
      good(append(*store, good(create(*store)).id, noise(1'000'000, session)));
    const std::uint64_t large = store->stats().file_bytes;
    CHECK(large > 30'000'000);
    clock.go(101 * kSecond);
    keep = good(create(*store)).id;
    good(append(*store, keep, "kept"));
    CHECK(good(expire(*store, 100)) == 30);
    for (int at = 0; at < 1000 && store->stats().file_bytes > 10'000'000; ++at) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      store->touch(keep);
    }
  }
  CHECK(std::filesystem::file_size(folder / "a.db") < 10'000'000);
  CHECK(all_contents(*opened(folder / "a.db", options), keep) == "kept\n");
}

}  // namespace attrib::store
