#include "service/workers.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <utility>

namespace attrib::service {
namespace {

// glibc keeps what was freed for the thread that frees it: after a body of many small pieces that
// is more than the body, for each worker.
void give_back_memory() {
#if defined(__GLIBC__)
  malloc_trim(std::size_t{4} << 20U);
#endif
}

}  // namespace

Workers::Workers(unsigned threads, std::size_t most)
    : most_(most), big_threads_(std::max(1U, threads - (threads > 1 ? 1U : 0U))) {
  for (unsigned i = 0; i < std::max(1U, threads); ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& each : threads_) each.join();
}

bool Workers::post(Lane lane, Job job, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (count() >= most_) return false;
    if (bytes > 0 && bytes_ > 0 && bytes_ + bytes > kWaitingBytes) return false;
    bytes_ += bytes;
    of(lane).push_back({std::move(job), bytes, bytes >= kLarge});
  }
  wake_.notify_one();
  return true;
}

void Workers::go_on(Lane lane, Job job, bool large) {
  {
    const std::lock_guard lock(mutex_);
    of(lane).push_back({std::move(job), 0, large});
  }
  wake_.notify_one();
}

bool Workers::full() const {
  const std::lock_guard lock(mutex_);
  return count() >= most_;
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return count();
}

std::size_t Workers::count() const {
  std::size_t out = 0;
  for (const auto& each : lanes_) out += each.size();
  return out;
}

bool Workers::take(Waiting* next, Lane* lane) {
  // In turn, so that a flood of posts does not keep everybody from reading.
  for (std::size_t i = 1; i <= kLanes; ++i) {
    *lane = static_cast<Lane>((static_cast<std::size_t>(last_) + i) % kLanes);
    std::deque<Waiting>& from = of(*lane);
    if (from.empty() || (*lane == Lane::Big && big_running_ >= big_threads_)) continue;
    last_ = *lane;
    *next = std::move(from.front());
    from.pop_front();
    if (*lane == Lane::Big) ++big_running_;
    return true;
  }
  return false;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    Waiting next;
    Lane lane = Lane::Quick;
    if (!take(&next, &lane)) {
      if (ends_ && count() == 0) return;
      wake_.wait(lock);
      continue;
    }
    lock.unlock();
    next.job();
    next.job = nullptr;  // What it holds goes before its bytes are free for others.
    if (next.large) give_back_memory();
    lock.lock();
    bytes_ -= next.bytes;
    if (lane == Lane::Big) {
      --big_running_;
      wake_.notify_one();
    }
    if (ends_) wake_.notify_all();
  }
}

}  // namespace attrib::service
