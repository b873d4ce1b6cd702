#include "evidence/scan_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace attrib::evidence {

void ScanPool::leave() {
  const std::lock_guard lock(mutex_);
  if (--readers_ == 0) work_.notify_all();
}

std::size_t ScanPool::helpers() {
  const std::lock_guard lock(mutex_);
  return helpers_;
}

void ScanPool::help() {
  std::unique_lock lock(mutex_);
  ++helpers_;
  while (true) {
    work_.wait(lock, [this] { return !waiting_.empty() || readers_ == 0; });
    if (waiting_.empty()) break;
    Task* const task = waiting_.front();
    waiting_.pop_front();
    run(task, &lock);
  }
  --helpers_;
}

void ScanPool::call_helpers() {
  const std::lock_guard lock(mutex_);
  try {
    for (; own_ > 0; --own_) threads_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    own_ = 0;
  }
}

void ScanPool::add(Task* task, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  task->work_ = std::move(work);
  task->state_ = Task::State::Waits;
  waiting_.push_back(task);
  work_.notify_one();
}

void ScanPool::run(Task* task, std::unique_lock<std::mutex>* lock) {
  task->state_ = Task::State::Runs;
  lock->unlock();
  std::exception_ptr thrown;
  try {
    task->work_();
  } catch (...) {
    thrown = std::current_exception();
  }
  lock->lock();
  task->thrown_ = std::move(thrown);
  task->state_ = Task::State::Done;
  done_.notify_all();
}

// Did it still wait? Then nobody else will do it.
bool ScanPool::take_back(Task* task) {
  if (task->state_ != Task::State::Waits) return false;
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), task));
  return true;
}

void ScanPool::finish(Task* task) {
  std::unique_lock lock(mutex_);
  if (take_back(task)) run(task, &lock);
  done_.wait(lock, [task] { return task->state_ != Task::State::Runs; });
  if (task->thrown_) std::rethrow_exception(std::exchange(task->thrown_, nullptr));
}

void ScanPool::drop(Task* task) noexcept {
  std::unique_lock lock(mutex_);
  if (take_back(task)) task->state_ = Task::State::Done;
  done_.wait(lock, [task] { return task->state_ != Task::State::Runs; });
}

}  // namespace attrib::evidence
