#pragma once

// Line engines of one program for runs that come one after the other, some at once: what one run had
// made and compiled, the next finds.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "program/program.h"
#include "vm/line_engine.h"

namespace attrib::vm {

class EnginePool {
 public:
  // So many are kept for later, some megabytes each; of more that were out at once the others go.
  static constexpr std::size_t kMostKept = 16;

  struct GiveBack {
    EnginePool* pool;
    void operator()(LineEngine* engine) const noexcept { pool->give_back(engine); }
  };
  using Lease = std::unique_ptr<LineEngine, GiveBack>;

  // `program` must outlive it, and it all leases.
  explicit EnginePool(const program::Program& program) : program_(program) { kept_.reserve(kMostKept); }

  // For one run at a time. On any thread.
  Lease take();
  [[nodiscard]] std::size_t kept();

 private:
  void give_back(LineEngine* engine) noexcept;

  const program::Program& program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<LineEngine>> kept_;
};

}  // namespace attrib::vm
