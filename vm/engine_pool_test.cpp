#include "vm/engine_pool.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "program/test_program.h"

namespace attrib::vm {
namespace {

TEST_CASE("an engine that was given back is the next run's, without what the last one noted") {
  const program::Program program = program::test_program();
  EnginePool pool(program);
  const LineEngine* first = nullptr;
  const std::array<LineEngine::Noted, 1> noted = {{{{0, 0}}}};
  {
    const EnginePool::Lease lease = pool.take();
    first = lease.get();
    CHECK(lease->note(noted, {}) == 1);
    CHECK(lease->note(noted, {}) == 2);
    CHECK(pool.take().get() != first);  // Two at once are two.
  }
  const EnginePool::Lease lease = pool.take();
  CHECK(lease.get() == first);
  CHECK(lease->note(noted, {}) == 1);
}

TEST_CASE("no more engines are kept than some") {
  const program::Program program = program::test_program();
  EnginePool pool(program);
  CHECK(pool.kept() == 0);
  std::vector<EnginePool::Lease> out;
  for (std::size_t i = 0; i < EnginePool::kMostKept + 5; ++i) out.push_back(pool.take());
  CHECK(pool.kept() == 0);
  out.clear();
  CHECK(pool.kept() == EnginePool::kMostKept);
  out.push_back(pool.take());
  CHECK(pool.kept() == EnginePool::kMostKept - 1);
}

}  // namespace
}  // namespace attrib::vm
