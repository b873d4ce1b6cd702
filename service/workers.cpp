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
    : most_(most), verdict_threads_(std::max(1U, threads - (threads > 1 ? 1U : 0U))) {
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
    if (quick_.size() + verdict_.size() >= most_) return false;
    if (bytes > 0 && bytes_ > 0 && bytes_ + bytes > kWaitingBytes) return false;
    bytes_ += bytes;
    (lane == Lane::Quick ? quick_ : verdict_).push_back({std::move(job), bytes, bytes >= kLarge});
  }
  wake_.notify_one();
  return true;
}

void Workers::go_on(Lane lane, Job job, bool large) {
  {
    const std::lock_guard lock(mutex_);
    (lane == Lane::Quick ? quick_ : verdict_).push_back({std::move(job), 0, large});
  }
  wake_.notify_one();
}

bool Workers::full() const {
  const std::lock_guard lock(mutex_);
  return quick_.size() + verdict_.size() >= most_;
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return quick_.size() + verdict_.size();
}

bool Workers::take(Waiting* next, Lane* lane) {
  const bool verdict = !verdict_.empty() && verdicts_running_ < verdict_threads_;
  const bool quick = !quick_.empty();
  if (!verdict && !quick) return false;
  // In turn, so that a flood of posts does not keep everybody from reading.
  *lane = verdict && (!quick || last_ == Lane::Quick) ? Lane::Verdict : Lane::Quick;
  last_ = *lane;
  std::deque<Waiting>& from = *lane == Lane::Quick ? quick_ : verdict_;
  *next = std::move(from.front());
  from.pop_front();
  if (*lane == Lane::Verdict) ++verdicts_running_;
  return true;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    Waiting next;
    Lane lane = Lane::Quick;
    if (!take(&next, &lane)) {
      if (ends_ && quick_.empty() && verdict_.empty()) return;
      wake_.wait(lock);
      continue;
    }
    lock.unlock();
    next.job();
    next.job = nullptr;  // What it holds goes before its bytes are free for others.
    if (next.large) give_back_memory();
    lock.lock();
    bytes_ -= next.bytes;
    if (lane == Lane::Verdict) {
      --verdicts_running_;
      wake_.notify_one();
    }
    if (ends_) wake_.notify_all();
  }
}

}  // namespace attrib::service
