#include "evidence/scan_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

namespace attrib::evidence {
namespace {

TEST_CASE("all work is done once, by whomever") {
  for (const std::size_t helpers : {0U, 1U, 5U}) {
    ScanPool pool(1, helpers);
    pool.call_helpers();
    std::vector<std::atomic<int>> times(500);
    {
      const ScanPool::Reader reading(&pool);
      std::deque<ScanPool::Task> tasks;
      for (auto& each : times) pool.add(&tasks.emplace_back(), [&each] { ++each; });
      for (ScanPool::Task& each : tasks) pool.finish(&each);
    }
    pool.help();  // Nobody reads any more.
    for (const auto& each : times) CHECK(each == 1);
  }
}

TEST_CASE("what work throws reaches who waits for it, and nobody else") {
  for (const std::size_t helpers : {0U, 2U}) {
    ScanPool pool(1, helpers);
    pool.call_helpers();
    const ScanPool::Reader reading(&pool);
    std::deque<ScanPool::Task> tasks(4);
    for (ScanPool::Task& each : tasks) pool.add(&each, [] { throw std::runtime_error("torn"); });
    CHECK_THROWS_WITH(pool.finish(&tasks[0]), "torn");
    pool.finish(&tasks[0]);  // Told once.
    pool.drop(&tasks[1]);
    CHECK_THROWS_WITH(pool.finish(&tasks[3]), "torn");
    pool.drop(&tasks[2]);
    pool.drop(&tasks[2]);
  }
}

TEST_CASE("helpers are counted, and work that was dropped before it began is not done") {
  std::atomic<bool> go{false};
  ScanPool pool(1, 1);
  pool.call_helpers();
  pool.call_helpers();
  while (pool.helpers() == 0) std::this_thread::yield();
  CHECK(pool.helpers() == 1);
  const ScanPool::Reader reading(&pool);
  ScanPool::Task holds, dropped;
  int done = 0;
  pool.add(&holds, [&go] {
    while (!go) std::this_thread::yield();
  });
  pool.add(&dropped, [&done] { ++done; });
  pool.drop(&dropped);
  go = true;
  pool.finish(&holds);
  CHECK(done == 0);
}

}  // namespace
}  // namespace attrib::evidence
