#pragma once

// Sessions and what was posted to them, durable in one SQLite file (WAL, synchronous=FULL). One writer thread commits
// whatever is waiting in one transaction (group commit) and only then calls back: what was answered survives kill -9
// and power loss. Reads go over connections of their own and see every commit that was called back.
//
// The store does not know what the contents mean. Times are Unix nanoseconds, from the clock in the options.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace attrib::store {

enum class FailureKind {
  NotFound,  // No such session, or it has expired.
  Conflict,  // The session's header cannot take in the new one.
  TooLarge,  // A limit of the session: bytes. It will not fit later either.
  Full,      // A limit of the store: sessions, bytes of the file, the disk.
  Busy,      // Too much is waiting to be written: try again.
  Broken,    // SQLite failed.
};
struct Failure {
  FailureKind kind = FailureKind::Broken;
  std::string message;
};

template <typename T>
using Outcome = std::variant<T, Failure>;
template <typename T>
using Then = std::function<void(Outcome<T>)>;  // Called once, on the writer thread or (Busy) the caller's.

struct Session {
  std::string id;        // 32 hex digits, random.
  std::string ruleset;
  std::string header;    // JSON text, merged from all that was given.
  std::string metadata;  // JSON text, as given.
  std::int64_t created = 0;
  std::int64_t used = 0;       // Last written to, or read (to a minute).
  std::uint64_t revision = 0;  // Goes up with each post that counted and each change of the header.
  std::uint64_t posts = 0;
  std::uint64_t bytes = 0;     // Of all contents, decompressed.
  std::uint64_t number = 0;    // By order of creation; none has that of another, erased ones included.
};

struct NewSession {
  std::string ruleset, header, metadata;
  std::string idempotency_key;  // Not empty: a second create with the same key gives the session of the first.
};

// One delivery of observations. Its id follows from its content (and kind), so a second delivery of the same bytes to
// the same session is found to be a copy.
struct Post {
  std::string session;
  std::string id;       // See post_id().
  std::string kind;     // "v2", "loki", ...: for listings only.
  std::string content;  // NDJSON of attrib.evidence/1 observations. Stored compressed.
  std::uint64_t observations = 0;
  // Null: the header stays. Else gives the merged header, or an Error: Conflict. Called on the writer thread, inside
  // the transaction; once more if that is lost to an error of the disk.
  std::function<Result<std::string>(const std::string& current)> merge_header;
};
std::string post_id(std::string_view kind, std::string_view content);  // 32 hex digits of SHA-256.

struct Posted {
  bool copy = false;  // It was there already; nothing changed.
  std::uint64_t revision = 0;
};

struct PostInfo {
  std::string id, kind;
  std::int64_t received = 0;
  std::uint64_t bytes = 0;
  std::uint64_t observations = 0;
};

struct StoreOptions {
  std::uint64_t session_bytes = std::uint64_t{256} << 20U;
  std::uint64_t sessions = 100'000;
  std::uint64_t file_bytes = std::uint64_t{64} << 30U;
  std::uint64_t disk_reserve = std::uint64_t{64} << 20U;   // With less free on the disk nothing is added: so erasing works.
  std::uint64_t waiting_bytes = std::uint64_t{64} << 20U;  // In the writer's queue; past it: Busy.
  std::int64_t idle_time = std::int64_t{30} * 24 * 3600 * 1'000'000'000;  // A session not used for so long expires.
  std::function<std::int64_t()> now;  // Called on any thread. Empty: the system clock.
};

struct StoreStats {
  std::uint64_t sessions = 0, posts = 0, file_bytes = 0, waiting_bytes = 0, commits = 0, copies = 0, expired = 0;
};

// May `path` be opened as a store, as far as its first bytes tell? What is not there or empty may. An Error names the path.
// Makes and locks nothing. Not for a file that this process has open as a store: it would lose SQLite's locks.
Status may_be_store(const std::string& path);

class Store {
 public:
  // Makes the file if it is not there, migrates an older schema, refuses a newer one and a file that is no store (beside
  // one that is no database at all not even a lock is made).
  // A second process on the same file is refused (a lock beside it).
  static Result<std::unique_ptr<Store>> open(const std::string& path, StoreOptions options);
  virtual ~Store() = default;  // Writes what is waiting.

  virtual void create(NewSession session, Then<Session> then) = 0;
  virtual void append(Post post, Then<Posted> then) = 0;
  // `change` gives the new header of the old one, or an Error: Conflict.
  virtual void change_header(std::string id, std::function<Result<std::string>(const std::string&)> change,
                             Then<Session> then) = 0;
  virtual void erase(std::string id, Then<Done> then) = 0;
  // Erases expired sessions, at most `most`; how many.
  virtual void expire(std::uint64_t most, Then<std::uint64_t> then) = 0;

  // Reads; any thread. An expired session is NotFound, erased or not.
  virtual Outcome<Session> session(const std::string& id) = 0;
  // In order of creation, from after the number `after`, which need not be there any more.
  virtual Outcome<std::vector<Session>> sessions(std::uint64_t after, std::size_t most) = 0;
  virtual Outcome<std::vector<PostInfo>> posts(const std::string& id, const std::string& after, std::size_t most) = 0;
  // Of all posts together: as many as they said to hold. Costs a look at each.
  virtual Outcome<std::uint64_t> observations(const std::string& id) = 0;
  // A session and all its contents, as of one commit, in order of post ids (so that order of delivery cannot matter).
  // One content is in memory at a time, unless `each` keeps it. Holds nothing while it calls `each`, which may take long
  // and call the store. A session that is erased meanwhile is NotFound after some of its contents were given.
  virtual Outcome<Session> contents(const std::string& id,
                                    const std::function<void(const PostInfo&, std::string content)>& each) = 0;
  // Remembers that a session was read, at most once a minute; not waited for.
  virtual void touch(const std::string& id) = 0;

  // A consistent copy of the file, made while it is in use; `path` must not be there. Takes as long as the disk does;
  // nobody else waits.
  virtual Status backup(const std::string& path) = 0;
  // Can it write now? For /readyz: the reason, or nothing.
  virtual std::optional<std::string> trouble() = 0;
  [[nodiscard]] virtual StoreStats stats() const = 0;
};

}  // namespace attrib::store
