#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "store/faulty_disk.h"
#include "store/test_store.h"

namespace attrib::store {

namespace {

bool soon(const std::function<bool()>& happened) {
  for (int at = 0; at < 1000 && !happened(); ++at)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return happened();
}

}  // namespace

TEST_CASE("a callback comes after the log is synced, and one sync serves all that waited") {
  FaultyDisk disk;
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  std::promise<void> gate, held;
  store->expire(0, [&](const Outcome<std::uint64_t>&) {
    held.set_value();
    gate.get_future().wait();
  });
  held.get_future().wait();
  std::atomic<int> unsynced = 0;
  const int before = disk.log_syncs;
  for (int at = 0; at < 200; ++at) {
    store->append(post_of(id, std::to_string(at)),
                  [&](const Outcome<Posted>&) { unsynced += disk.unsynced_log_writes; });
  }
  gate.set_value();
  good(append(*store, id, "the last"));
  CHECK(unsynced == 0);
  CHECK(disk.log_syncs > before);
  CHECK(disk.log_syncs <= before + 4);
}

TEST_CASE(
    "a full disk refuses what does not fit; what fits and all reading goes on, and space ends the "
    "trouble") {
  FaultyDisk disk;
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  good(append(*store, id, "before"));
  disk.free_bytes = 300'000;
  std::promise<void> gate, held;
  store->expire(0, [&](const Outcome<std::uint64_t>&) {
    held.set_value();
    gate.get_future().wait();
  });
  held.get_future().wait();
  // One transaction, of which the second post is too large for the disk.
  std::vector<Outcome<Posted>> outcomes(3, Failure{});
  const std::array<std::string, 3> contents{"small", noise(1'000'000, 1), "small too"};
  for (std::size_t at = 0; at < 3; ++at)
    store->append(post_of(id, contents[at]),
                  [&outcomes, at](Outcome<Posted> outcome) { outcomes[at] = std::move(outcome); });
  gate.set_value();
  good(expire(*store, 0));
  CHECK_FALSE(good(outcomes[0]).copy);
  CHECK(bad(outcomes[1]).kind == FailureKind::Full);
  CHECK(bad(outcomes[1]).message == "the disk or the file is full");
  CHECK_FALSE(good(outcomes[2]).copy);
  CHECK(good(store->session(id)).posts == 3);
  CHECK(store->stats().posts == 3);

  disk.free_bytes = 0;
  Failure failure;
  for (std::uint64_t at = 0; at < 100 && failure.message.empty(); ++at) {
    const auto outcome = append(*store, id, noise(50'000, 10 + at));
    if (const auto* full = std::get_if<Failure>(&outcome)) failure = *full;
  }
  CHECK(failure.kind == FailureKind::Full);
  CHECK(store->trouble() == failure.message);
  CHECK(good(store->session(id)).id == id);
  CHECK(all_contents(*store, id).find("before") != std::string::npos);
  disk.free_bytes = 100'000'000;
  CHECK(soon([&] { return !store->trouble(); }));  // Without a write of anybody's.
  CHECK_FALSE(good(append(*store, id, contents[1])).copy);
}

TEST_CASE("on a disk that is nearly full nothing is added, but reading and erasing go on") {
  const Folder folder;
  std::string id;
  {
    const auto store = opened(folder / "a.db");
    id = good(create(*store)).id;
    good(append(*store, id, "before"));
  }
  StoreOptions options;
  options.disk_reserve = std::uint64_t{1} << 62U;
  const auto store = opened(folder / "a.db", options);
  CHECK(store->trouble() == "the disk is nearly full");
  CHECK(bad(append(*store, id, "x")).kind == FailureKind::Full);
  CHECK(bad(append(*store, id, "x")).message == "the disk is nearly full");
  CHECK(bad(create(*store)).kind == FailureKind::Full);
  CHECK(good(append(*store, id, "before")).copy);
  CHECK(all_contents(*store, id) == "before\n");
  good(erase(*store, id));
  CHECK(store->stats().sessions == 0);
}

TEST_CASE("a file that becomes read-only, and syncs that fail, are told and outlived") {
  FaultyDisk disk;
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  disk.write_code = SQLITE_READONLY;
  Failure failure = bad(append(*store, id, "x"));
  CHECK(failure.kind == FailureKind::Full);
  CHECK(failure.message == "the file has become read-only");
  CHECK(store->trouble() == failure.message);
  CHECK(good(store->session(id)).posts == 0);
  disk.write_code = SQLITE_OK;
  disk.sync_code = SQLITE_IOERR_FSYNC;
  failure = bad(append(*store, id, "x"));
  CHECK(failure.kind == FailureKind::Broken);
  CHECK(good(store->session(id)).posts == 0);
  disk.sync_code = SQLITE_OK;
  CHECK_FALSE(good(append(*store, id, "x")).copy);
  CHECK_FALSE(store->trouble());
}

TEST_CASE("a limit of the system on the file's size is a full disk") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = 400'000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Outcome<Posted> outcome = append(*store, id, noise(1'000'000, 1));
  const Outcome<Posted> fits = append(*store, id, "small");
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  CHECK(bad(outcome).kind == FailureKind::Full);
  CHECK(bad(outcome).message == "the disk is full (File too large)");
  CHECK_FALSE(good(fits).copy);
}

}  // namespace attrib::store
