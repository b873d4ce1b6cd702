#pragma once

// Threads that do what would block the server's: reading bodies, making verdicts.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace attrib::service {

class Workers {
 public:
  static constexpr std::size_t kLarge = std::size_t{1} << 20U;
  static constexpr std::size_t kWaitingBytes = std::size_t{64} << 20U;

  using Job = std::function<void()>;
  enum class Lane { Quick, Verdict, Big };  // Big: verdicts that take long.

  // Of `threads`, one is always free of big verdicts if there are two or more. At most `most` jobs
  // wait.
  Workers(unsigned threads, std::size_t most);
  ~Workers();  // Does what is waiting.

  // `bytes`: of the body that it holds. False: too much is waiting, and `job` is forgotten.
  bool post(Lane lane, Job job, std::size_t bytes = 0);
  // For the rest of something that has begun: never refused. `large`: it takes megabytes, which are
  // given back after it.
  void go_on(Lane lane, Job job, bool large = false);
  [[nodiscard]] bool full() const;
  [[nodiscard]] std::size_t waiting() const;

 private:
  static constexpr std::size_t kLanes = 3;
  struct Waiting {
    Job job;
    std::size_t bytes = 0;
    bool large = false;
  };
  void work();
  // With the lock:
  bool take(Waiting* next, Lane* lane);
  std::deque<Waiting>& of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] std::size_t count() const;

  const std::size_t most_;
  const std::size_t big_threads_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::array<std::deque<Waiting>, kLanes> lanes_;
  std::size_t bytes_ = 0;  // Of bodies that wait or are being read.
  Lane last_ = Lane::Big;
  std::size_t big_running_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace attrib::service
