#pragma once

// The one thread that writes. It takes everything that waits, commits it as one transaction (a
// savepoint around each operation, so that one that fails undoes nothing of its neighbours), and
// then calls back. Between commits it empties the write-ahead log and gives free pages back to the
// disk, a little at a time.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "store/operation.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store/tables.h"

namespace attrib::store {

class Writer {
 public:
  // `connection` is prepared; options.now is set.
  Writer(std::string path, std::unique_ptr<Connection> connection, const StoreOptions& options);
  // Begins to write; an Error if the tables are not as they should be.
  Status start();
  // Writes what waits, calls all back; what comes later is refused (Busy).
  void stop();
  ~Writer() { stop(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Never waits. What is refused (Busy) is called back before this returns.
  void add(std::unique_ptr<Operation> operation);
  [[nodiscard]] bool full() const;  // add() would refuse.
  void touch(const std::string& id, std::int64_t now);
  [[nodiscard]] std::optional<std::string> trouble() const;
  [[nodiscard]] StoreStats stats() const;

 private:
  using Batch = std::vector<std::unique_ptr<Operation>>;
  struct Work {
    Batch batch;
    std::unordered_map<std::string, std::int64_t> touches;
    bool failing = false;
    bool stop = false;
  };

  void run();
  Work take();
  void commit(Batch& batch);
  // False: the transaction as a whole failed, and why.
  bool commit_together(std::span<std::unique_ptr<Operation>> batch, Failure& why);
  void run_one(Operation& operation);
  bool in_savepoint(Operation& operation);
  std::unique_ptr<Operation> touching(std::unordered_map<std::string, std::int64_t> touches);
  void probe();
  void empty_log();
  bool give_back_pages();
  void look_at_disk();
  void publish();
  void publish(std::optional<std::string> trouble);

  std::string path_;
  std::unique_ptr<Connection> db_;
  StoreOptions options_;
  Tables tables_;
  // Bytes of the log, and the time, when it was last emptied as far as was possible, and when
  // readers were waited for.
  std::uint64_t log_tried_ = 0, log_forced_ = 0;
  std::chrono::steady_clock::time_point log_tried_at_;
  bool disk_low_ = false;
  bool more_pages_ = false;  // There are free pages to be given back.
  std::uint64_t commits_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Batch waiting_;
  std::uint64_t waiting_bytes_ = 0;                        // Of the batch being written too.
  std::unordered_map<std::string, std::int64_t> touches_;  // Not yet written.
  std::unordered_map<std::string, std::int64_t>
      recent_touches_;  // Written; forgotten when there are many.
  bool stopping_ = false;
  std::optional<std::string> trouble_;  // Of the last commit.
  std::optional<std::string> limit_;    // That was reached: of the file or of the disk.
  StoreStats stats_;

  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace attrib::store
