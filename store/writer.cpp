#include "store/writer.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace attrib::store {

namespace {

// A log of so much is copied into the file as far as readers let it: whenever it has grown by that,
// or a second later, ...
constexpr std::uint64_t kEmptyLogAt = std::uint64_t{4} << 20U;
// ... and by so much they are waited for a moment, so that it starts anew.
constexpr std::uint64_t kForceLogAt = std::uint64_t{32} << 20U;
constexpr int kReaderPatience = 100;     // Milliseconds.
constexpr int kLockPatience = 5000;      // Milliseconds, for a lock of another program.
constexpr std::uint64_t kMakeRoom = 64;  // Expired sessions to erase when something does not fit.
constexpr std::uint64_t kFreePagesKept = 1024;  // Free pages below which none are given back, ...
constexpr std::uint64_t kFreeShareKept =
    8;  // ... nor below this share (1/n) of the file: they will be used again.
constexpr std::size_t kTouchesKept = 100'000;  // Touches of different sessions between two commits.
constexpr std::chrono::seconds kLater(
    1);  // Touches wait so long; a store in trouble is tried so often.

}  // namespace

Writer::Writer(std::string path, std::unique_ptr<Connection> connection,
               const StoreOptions& options)
    : path_(std::move(path)),
      db_(std::move(connection)),
      options_(options),
      tables_(*db_, options_) {}

Status Writer::start() {
  if (auto failure = db_->take_failure()) return Error{failure->message};
  publish(std::nullopt);
  thread_ = std::thread([this] { run(); });
  return Done{};
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Writer::add(std::unique_ptr<Operation> operation) {
  {
    const std::lock_guard lock(mutex_);
    // A single operation is taken whatever its size, or it never could be.
    const bool fits =
        waiting_bytes_ == 0 || waiting_bytes_ + operation->bytes() <= options_.waiting_bytes;
    if (fits && !stopping_) {
      waiting_bytes_ += operation->bytes();
      waiting_.push_back(std::move(operation));
      if (waiting_.size() == 1) wake_.notify_one();
      return;
    }
    operation->fail({FailureKind::Busy, stopping_ ? "the store is being closed"
                                                  : "too much is waiting to be written"});
  }
  operation->call_back();
}

bool Writer::full() const {
  const std::lock_guard lock(mutex_);
  return stopping_ || waiting_bytes_ >= options_.waiting_bytes;
}

void Writer::touch(const std::string& id, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  if (touches_.size() >= kTouchesKept) return;
  const auto recent = recent_touches_.find(id);
  if (recent != recent_touches_.end() && now - recent->second < kTouchInterval) return;
  if (touches_.emplace(id, now).second && touches_.size() == 1) wake_.notify_one();
}

std::optional<std::string> Writer::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_ ? trouble_ : limit_;
}

StoreStats Writer::stats() const {
  const std::lock_guard lock(mutex_);
  StoreStats stats = stats_;
  stats.waiting_bytes = waiting_bytes_;
  return stats;
}

void Writer::run() {
  for (;;) {
    Work work = take();
    if (!work.touches.empty()) work.batch.push_back(touching(std::move(work.touches)));
    const bool idle = work.batch.empty();
    if (idle && work.stop) return;
    if (!idle) commit(work.batch);
    if (idle && work.failing)
      probe();
    else if (idle)
      publish();  // A limit may be one no more.
    empty_log();
    more_pages_ = give_back_pages();
  }
}

Writer::Work Writer::take() {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !waiting_.empty() || stopping_; };
  // Without anything to be done later it waits for the first operation or touch.
  if (!more_pages_ && !trouble_ && !limit_)
    wake_.wait(lock, [&] { return ready() || !touches_.empty(); });
  wake_.wait_for(lock, more_pages_ ? std::chrono::seconds(0) : kLater, ready);
  Work work;
  work.batch = std::exchange(waiting_, {});
  work.touches = std::exchange(touches_, {});
  work.failing = trouble_.has_value();
  work.stop = stopping_;
  return work;
}

void Writer::commit(Batch& batch) {
  Failure why;
  std::optional<std::string> trouble;
  if (!commit_together(batch, why)) {
    // One of them may have been too much for the disk: each by itself, so that the others are still
    // written. But a lock is not waited for again.
    for (auto& operation : batch) {
      const bool done = why.kind != FailureKind::Busy && commit_together({&operation, 1}, why);
      if (!done) operation->fail(why);
      trouble = done ? std::nullopt : std::optional(why.message);
    }
  }
  publish(std::move(trouble));
  std::uint64_t bytes = 0;
  for (auto& operation : batch) {
    bytes += operation->bytes();
    operation->call_back();
    operation.reset();  // What it holds is not needed while the others are called.
  }
  const std::lock_guard lock(mutex_);
  waiting_bytes_ -= bytes;
}

bool Writer::commit_together(std::span<std::unique_ptr<Operation>> batch, Failure& why) {
  const Counts before = tables_.counts();
  const std::uint64_t changes = db_->changes();
  db_->execute("BEGIN IMMEDIATE");
  for (auto& operation : batch) {
    if (!db_->in_transaction()) break;
    run_one(*operation);
  }
  const bool lost = !db_->in_transaction();
  if (!lost) db_->execute("COMMIT");
  auto failure = db_->take_failure();
  if (!failure && !lost) {
    if (db_->changes() != changes) ++commits_;
    return true;
  }
  if (db_->in_transaction()) db_->execute("ROLLBACK");
  db_->take_failure();
  tables_.restore(before);
  why = failure ? *failure : Failure{FailureKind::Broken, "the transaction was lost"};
  return false;
}

void Writer::run_one(Operation& operation) {
  if (in_savepoint(operation) || operation.failure()->kind != FailureKind::Full) return;
  // Room by erasing what has expired anyway, in a savepoint of its own: it is gained even if the
  // operation fails again.
  OperationOf<std::uint64_t> expiry(
      0, [this](Tables& tables) { return tables.expire(kMakeRoom, options_.now()); }, {});
  const std::uint64_t before = tables_.counts().expired;
  if (in_savepoint(expiry) && tables_.counts().expired > before) in_savepoint(operation);
}

bool Writer::in_savepoint(Operation& operation) {
  const Counts before = tables_.counts();
  db_->execute("SAVEPOINT one");
  operation.run(tables_);
  if (db_->failed() && db_->in_transaction()) operation.fail(*db_->take_failure());
  if (operation.failure() == nullptr || db_->failed()) {
    db_->execute("RELEASE one");
    return operation.failure() == nullptr;
  }
  tables_.restore(before);
  db_->execute("ROLLBACK TO one; RELEASE one");
  return false;
}

std::unique_ptr<Operation> Writer::touching(std::unordered_map<std::string, std::int64_t> touches) {
  const auto all =
      std::make_shared<const std::unordered_map<std::string, std::int64_t>>(std::move(touches));
  return std::make_unique<OperationOf<Done>>(
      0,
      [all](Tables& tables) {
        for (const auto& [id, when] : *all) tables.touch(id, when);
        return Done{};
      },
      [this, all](const Outcome<Done>& outcome) {
        // Else they are lost: a session may expire early by the time of one read.
        if (std::holds_alternative<Failure>(outcome)) return;
        const std::lock_guard lock(mutex_);
        if (recent_touches_.size() >= kTouchesKept) recent_touches_.clear();
        for (const auto& [id, when] : *all) recent_touches_[id] = when;
      });
}

// Writes something that changes nothing.
void Writer::probe() {
  const std::int64_t version = db_->number("PRAGMA user_version");
  db_->execute(
      ("BEGIN IMMEDIATE; PRAGMA user_version = " + std::to_string(version) + "; COMMIT").c_str());
  auto failure = db_->take_failure();
  if (db_->in_transaction()) db_->execute("ROLLBACK");
  db_->take_failure();
  publish(failure ? std::optional(failure->message) : std::nullopt);
}

void Writer::empty_log() {
  const std::uint64_t bytes = db_->log_bytes();
  if (bytes < log_tried_) log_tried_ = log_forced_ = 0;  // It began anew.
  const auto now = std::chrono::steady_clock::now();
  if (bytes < kEmptyLogAt || (bytes < log_tried_ + kEmptyLogAt && now < log_tried_at_ + kLater))
    return;
  log_tried_ = bytes;
  log_tried_at_ = now;
  if (bytes >= log_forced_ + kForceLogAt) {
    log_forced_ = bytes;
    db_->busy_timeout(kReaderPatience);
    db_->checkpoint(Checkpoint::Restart);
    db_->busy_timeout(kLockPatience);
  } else {
    db_->checkpoint(Checkpoint::Passive);
  }
  db_->take_failure();  // The log stays; if it cannot grow, commits fail and say so.
}

// True: there are more.
bool Writer::give_back_pages() {
  const auto too_many = [&] {
    const std::uint64_t free = tables_.free_pages();
    return free > kFreePagesKept && free > tables_.pages() / kFreeShareKept;
  };
  if (!too_many()) return false;
  db_->execute("PRAGMA incremental_vacuum(1024)");
  const bool failed = db_->take_failure().has_value();
  publish();
  return !failed && too_many();
}

void Writer::publish(std::optional<std::string> trouble) {
  {
    const std::lock_guard lock(mutex_);
    trouble_ = std::move(trouble);
  }
  publish();
}

void Writer::look_at_disk() {
  struct statvfs disk {};
  // Who cannot be asked is not full: then the disk itself will say so.
  const bool known = ::statvfs(path_.c_str(), &disk) == 0;
  const std::uint64_t free =
      known ? std::uint64_t{disk.f_bavail} * disk.f_frsize : ~std::uint64_t{0};
  disk_low_ = free < options_.disk_reserve;
  tables_.set_disk_room(free - std::min(free, options_.disk_reserve));
}

void Writer::publish() {
  look_at_disk();
  const Counts& counts = tables_.counts();
  const std::uint64_t pages = tables_.pages();
  const std::uint64_t used = pages - std::min(pages, tables_.free_pages());
  db_->take_failure();
  const std::lock_guard lock(mutex_);
  limit_.reset();
  if (used + 2 > options_.file_bytes / kPageBytes) limit_ = "the file has reached its limit";
  if (db_->log_bytes() > most_log_bytes(options_))
    limit_ = "a reader keeps the log beside the file from being emptied";
  if (disk_low_) limit_ = "the disk is nearly full";
  stats_.sessions = counts.sessions;
  stats_.posts = counts.posts;
  stats_.copies = counts.copies;
  stats_.expired = counts.expired;
  stats_.commits = commits_;
  stats_.file_bytes = pages * kPageBytes + db_->log_bytes();
}

}  // namespace attrib::store
