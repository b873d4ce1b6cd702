#pragma once

// Threads that have no log to read search the blocks that other threads will come to.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace attrib::evidence {

class ScanPool {
 public:
  // A piece of work. It stays where it is from add() until finish() or drop() came back.
  class Task {
   public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

   private:
    friend class ScanPool;
    enum class State : std::uint8_t { Idle, Waits, Runs, Done };
    std::function<void()> work_;
    std::exception_ptr thrown_;
    State state_ = State::Idle;
  };

  // So many threads read; each says when it has read all (Reader). At most `own` others are started
  // to help, when call_helpers() is first called.
  ScanPool(std::size_t readers, std::size_t own) : readers_(readers), own_(own) {}
  ScanPool(const ScanPool&) = delete;
  ScanPool& operator=(const ScanPool&) = delete;
  // All readers have left.
  ~ScanPool() = default;

  // Says that a thread that read does so no more, even if it throws.
  class Reader {
   public:
    explicit Reader(ScanPool* pool) : pool_(pool) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { pool_->leave(); }

   private:
    ScanPool* pool_;
  };

  // Does the work of others until nobody reads any more.
  void help();
  // How many threads do so now.
  [[nodiscard]] std::size_t helpers();
  // There is much to do. A thread that the system refuses is not missed.
  void call_helpers();

  void add(Task* task, std::function<void()> work);
  // Waits for it; if nobody began, the caller does it. What the work threw is thrown here. Costs
  // nothing for a task that was never added.
  void finish(Task* task);
  // It is not needed: never throws.
  void drop(Task* task) noexcept;

 private:
  void leave();
  void run(Task* task, std::unique_lock<std::mutex>* lock);
  bool take_back(Task* task);

  std::mutex mutex_;
  std::condition_variable work_;  // There is some, or nobody reads any more.
  std::condition_variable done_;
  std::deque<Task*> waiting_;
  std::size_t readers_;
  std::size_t own_;
  std::size_t helpers_ = 0;
  std::vector<std::jthread> threads_;  // Gone before what they use.
};

}  // namespace attrib::evidence
