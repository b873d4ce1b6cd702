#include "store/store.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "store/backup.h"
#include "store/content.h"
#include "store/lock_file.h"
#include "store/readers.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/writer.h"

namespace attrib::store {

namespace {

constexpr std::size_t kOperationBytes = 512;  // Memory of an operation beside its texts.

std::int64_t system_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class FileStore : public Store {
 public:
  FileStore(std::string path, const StoreOptions& options, std::unique_ptr<LockFile> lock,
            std::unique_ptr<Connection> connection)
      : path_(std::move(path)),
        options_(options),
        lock_(std::move(lock)),
        writer_(path_, std::move(connection), options),
        readers_(path_, options) {}
  // Callbacks may still read. Then the members go: the writer's connection after the readers',
  // because the last one empties the log, which those cannot; and the lock at the end.
  ~FileStore() override { writer_.stop(); }
  Status start() { return writer_.start(); }

  void create(NewSession session, Then<Session> then) override {
    const std::size_t bytes = session.ruleset.size() + session.header.size() +
                              session.metadata.size() + session.idempotency_key.size();
    add<Session>(bytes, std::move(then), [this, given = std::move(session)](Tables& tables) {
      return tables.create(given, options_.now());
    });
  }

  void append(Post post, Then<Posted> then) override {
    PackedPost given;
    given.bytes = post.content.size();
    // Packed on the caller's thread: there are several of those. Not if it is certain to be
    // refused.
    if (!writer_.full()) given.packed = pack(post.content);
    post.content = {};
    given.post = std::move(post);
    const std::size_t bytes =
        given.packed.size() + given.post.session.size() + given.post.kind.size();
    add<Posted>(bytes, std::move(then), [this, given = std::move(given)](Tables& tables) {
      return tables.append(given, options_.now());
    });
  }

  void change_header(std::string id, std::function<Result<std::string>(const std::string&)> change,
                     Then<Session> then) override {
    const std::size_t bytes = id.size();
    add<Session>(bytes, std::move(then),
                 [this, given = std::move(id), how = std::move(change)](Tables& tables) {
                   return tables.change_header(given, how, options_.now());
                 });
  }

  void erase(std::string id, Then<Done> then) override {
    const std::size_t bytes = id.size();
    add<Done>(bytes, std::move(then), [this, given = std::move(id)](Tables& tables) {
      return tables.erase(given, options_.now());
    });
  }

  void expire(std::uint64_t most, Then<std::uint64_t> then) override {
    add<std::uint64_t>(0, std::move(then), [this, most](Tables& tables) {
      return tables.expire(most, options_.now());
    });
  }

  Outcome<Session> session(const std::string& id) override { return readers_.session(id); }
  Outcome<std::vector<Session>> sessions(std::uint64_t after, std::size_t most) override {
    return readers_.sessions(after, most);
  }
  Outcome<std::vector<PostInfo>> posts(const std::string& id, const std::string& after,
                                       std::size_t most) override {
    return readers_.posts(id, after, most);
  }
  Outcome<std::uint64_t> observations(const std::string& id) override {
    return readers_.observations(id);
  }
  Outcome<Session> contents(
      const std::string& id,
      const std::function<void(const PostInfo&, std::string content)>& each) override {
    return readers_.contents(id, each);
  }
  void touch(const std::string& id) override { writer_.touch(id, options_.now()); }

  Status backup(const std::string& path) override {
    const std::lock_guard one_at_a_time(backups_);
    return back_up(path_, path);
  }
  std::optional<std::string> trouble() override { return writer_.trouble(); }
  [[nodiscard]] StoreStats stats() const override { return writer_.stats(); }

 private:
  template <typename T>
  void add(std::size_t bytes, Then<T> then, typename OperationOf<T>::Work work) {
    writer_.add(std::make_unique<OperationOf<T>>(bytes + kOperationBytes, std::move(work),
                                                 std::move(then)));
  }

  std::string path_;
  StoreOptions options_;
  std::mutex backups_;
  std::unique_ptr<LockFile> lock_;
  Writer writer_;
  Readers readers_;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::string& path, StoreOptions options) {
  if (!options.now) options.now = system_now;
  // Two names of one file must lead to one lock.
  std::error_code unreadable;
  const std::string file = std::filesystem::weakly_canonical(path, unreadable).string();
  if (unreadable || path.empty())
    return Error{fmt::format("{}: {}", path, path.empty() ? "no path" : unreadable.message())};
  // With a lock beside it this process may have the file open; then prepare() refuses it as well.
  if (!std::filesystem::exists(file + ".lock", unreadable)) {
    if (auto likely = may_be_store(file); !likely.ok()) return likely.error();
  }
  ATTRIB_TRY(auto lock, LockFile::take(file + ".lock"));
  if (auto made = make_file(file); !made.ok()) return made.error();
  auto connection = std::make_unique<Connection>(file, Mode::ReadWrite);
  if (auto ready = prepare(*connection, file, migrations()); !ready.ok()) return ready.error();
  auto store = std::make_unique<FileStore>(file, options, std::move(lock), std::move(connection));
  if (auto started = store->start(); !started.ok())
    return Error{fmt::format("{}: {}", file, started.error().message)};
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace attrib::store
