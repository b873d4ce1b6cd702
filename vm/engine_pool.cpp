#include "vm/engine_pool.h"

#include <utility>

namespace attrib::vm {

EnginePool::Lease EnginePool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      // The one that was used last: its tables are the likeliest to be in a cache.
      Lease out(kept_.back().release(), {this});
      kept_.pop_back();
      return out;
    }
  }
  return Lease(new LineEngine(program_), {this});
}

std::size_t EnginePool::kept() {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

void EnginePool::give_back(LineEngine* engine) noexcept {
  std::unique_ptr<LineEngine> owned(engine);
  owned->forget_notes();
  const std::lock_guard lock(mutex_);
  if (kept_.size() < kMostKept) kept_.push_back(std::move(owned));
}

}  // namespace attrib::vm
