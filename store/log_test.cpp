#include <thread>

#include "store/sqlite.h"
#include "store/test_store.h"

namespace attrib::store {

namespace {

std::uint64_t log_of(const std::string& path) { return std::filesystem::file_size(path + "-wal"); }

}  // namespace

TEST_CASE("the log stays small while much is written and read") {
  const Folder folder;
  const std::string path = folder / "a.db";
  const auto store = opened(path);
  const std::string id = good(create(*store)).id;
  good(append(*store, id, noise(100'000, 0)));
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> read = 0;
  std::vector<std::thread> readers;
  for (int at = 0; at < 4; ++at) {
    readers.emplace_back([&] {
      while (!stop) {
        good(store->contents(id, [&](const PostInfo&, const std::string&) { ++read; }));
        good(store->sessions(0, 10));
      }
    });
  }
  std::uint64_t largest = 0;
  for (std::uint64_t at = 1; at < 160; ++at) {
    good(append(*store, id, noise(500'000, at)));
    largest = std::max(largest, log_of(path));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(read > 0);
  CHECK(largest < 60'000'000);  // Of 80,000,000 bytes written.
}

TEST_CASE(
    "who holds an old state of the file blocks no writer; the log is emptied when he is gone") {
  const Folder folder;
  const std::string path = folder / "a.db";
  const auto store = opened(path);
  const std::string id = good(create(*store)).id;
  {
    Connection other(path, Mode::ReadOnly);
    Statement statement(other, "SELECT number FROM session");
    Query snapshot = statement.query();
    REQUIRE(snapshot.next());
    for (std::uint64_t at = 0; at < 50; ++at) good(append(*store, id, noise(1'000'000, at)));
    CHECK(log_of(path) > 50'000'000);
    CHECK(good(store->session(id)).posts == 50);
  }
  // With the next few posts, though not each of them tries.
  for (std::uint64_t at = 0; at < 300 && log_of(path) > 17'000'000; ++at) {
    good(append(*store, id, noise(1000, 100 + at)));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(log_of(path) <= 17'000'000);
}

TEST_CASE("a log that cannot be emptied has a limit; when it can be, posts are taken again") {
  const Folder folder;
  const std::string path = folder / "a.db";
  StoreOptions options;
  options.file_bytes = std::uint64_t{512} << 20U;  // An eighth of it is the log's.
  const auto store = opened(path, options);
  const std::string id = good(create(*store)).id;
  Failure failure;
  {
    Connection other(path, Mode::ReadOnly);
    Statement statement(other, "SELECT number FROM session");
    Query snapshot = statement.query();
    REQUIRE(snapshot.next());
    for (std::uint64_t at = 0; at < 100 && failure.message.empty(); ++at) {
      const auto outcome = append(*store, id, noise(1'000'000, at));
      if (const auto* full = std::get_if<Failure>(&outcome)) failure = *full;
    }
    CHECK(log_of(path) < 70'000'000);
    CHECK(good(store->session(id)).posts > 60);
    CHECK(store->trouble() == "a reader keeps the log beside the file from being emptied");
  }
  CHECK(failure.kind == FailureKind::Full);
  CHECK(failure.message.find("the log beside the file has reached 6") == 0);
  for (int at = 0; at < 1000 && store->trouble(); ++at)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(store->trouble());
  good(append(*store, id, noise(1'000'000, 1000)));
}

TEST_CASE("a slow reader of contents holds nothing") {
  const Folder folder;
  const std::string path = folder / "a.db";
  const auto store = opened(path);
  const std::string id = good(create(*store)).id;
  for (std::uint64_t at = 0; at < 3; ++at) good(append(*store, id, noise(1000, at)));
  // More of them than there are connections.
  std::vector<std::thread> readers;
  std::promise<void> gate;
  const std::shared_future<void> opened_gate = gate.get_future().share();
  std::atomic<int> waiting = 0;
  for (int at = 0; at < 8; ++at) {
    readers.emplace_back([&] {
      bool first = true;
      good(store->contents(id, [&](const PostInfo&, const std::string&) {
        if (std::exchange(first, false)) ++waiting;
        opened_gate.wait();
      }));
    });
  }
  while (waiting < 8) std::this_thread::yield();
  for (std::uint64_t at = 0; at < 60; ++at) good(append(*store, id, noise(1'000'000, 10 + at)));
  CHECK(log_of(path) < 45'000'000);
  CHECK(good(store->session(id)).posts == 63);
  gate.set_value();
  for (std::thread& reader : readers) reader.join();
}

}  // namespace attrib::store
