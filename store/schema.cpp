#include "store/schema.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace attrib::store {

namespace {

constexpr std::int64_t kApplication = 0x61747262;  // "atrb", in the head of the file.

// What every post changes is apart from the texts of a session, which may be long and rarely
// change. Contents come last in their row: who lists posts does not read them. The order of a post
// in its session tells a reader whether it belongs to the state that the reader saw.
constexpr std::array kMigrations{Migration{R"sql(
  CREATE TABLE session (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- Order of creation; never used again.
    id TEXT NOT NULL UNIQUE,
    key TEXT UNIQUE,                           -- Of an idempotent create.
    created INTEGER NOT NULL,
    used INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    posts INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_used ON session(used);
  CREATE TABLE session_text (
    session INTEGER PRIMARY KEY,
    ruleset TEXT NOT NULL,
    header TEXT NOT NULL,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE TABLE post (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    place INTEGER NOT NULL,                    -- 0, 1, ... in the session, by arrival.
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    received INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    observations INTEGER NOT NULL,
    content BLOB NOT NULL,                     -- A zstd frame.
    UNIQUE (session, id)
  ) STRICT;
)sql"}};

Error refusal(const std::string& path, const std::string& why) {
  return Error{fmt::format("{}: {}", path, why)};
}

constexpr const char* kNoDatabase = "not a store of attrib (not an SQLite database)";

// Is it empty (then it may become a store) or a store?
Status recognise(Connection& connection, const std::string& path, std::size_t newest) {
  if (auto failure = connection.take_failure()) return refusal(path, failure->message);
  const std::int64_t application = connection.number("PRAGMA application_id");
  const std::int64_t version = connection.number("PRAGMA user_version");
  const std::int64_t tables = connection.number("SELECT count(*) FROM sqlite_schema");
  if (auto failure = connection.take_failure()) {
    const bool foreign = failure->message == "not an SQLite database";
    return refusal(path,
                   foreign ? kNoDatabase : failure->message);
  }
  if (application == 0 && version == 0 && tables == 0) return Done{};
  if (application != kApplication)
    return refusal(path, "not a store of attrib (an SQLite database of another program)");
  if (version < 0 || static_cast<std::uint64_t>(version) > newest) {
    return refusal(
        path,
        fmt::format("made by a newer attribd: its schema has version {}, this program knows {}",
                    version, newest));
  }
  return Done{};
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

Status is_store(Connection& connection, const std::string& path) {
  if (auto known = recognise(connection, path, kMigrations.size()); !known.ok())
    return known.error();
  const bool empty = connection.number("PRAGMA application_id") == 0;
  if (auto failure = connection.take_failure()) return refusal(path, failure->message);
  if (empty) return refusal(path, "not a store of attrib (it is empty)");
  return Done{};
}

Status may_be_store(const std::string& path) {
  // The first bytes of every SQLite database, with the zero that ends the text.
  constexpr std::string_view kMagic("SQLite format 3", 16);
  // Of a pipe nobody may ever write the other end.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) return Done{};
    return refusal(path, fmt::format("cannot open the database: {}", std::strerror(errno)));
  }
  struct stat about {};
  std::array<char, kMagic.size()> head{};
  const bool seen = ::fstat(file, &about) == 0;
  const bool regular = seen && S_ISREG(about.st_mode);
  const ssize_t got = regular ? ::pread(file, head.data(), head.size(), 0) : 0;
  const int error = errno;
  ::close(file);
  if (!seen || got < 0)
    return refusal(path, fmt::format("cannot read the database: {}", std::strerror(error)));
  if (!regular) return refusal(path, "not a store of attrib (not a regular file)");
  if (got != 0 && std::string_view(head.data(), static_cast<std::size_t>(got)) != kMagic)
    return refusal(path, kNoDatabase);
  return Done{};
}

Status make_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    if (errno == EEXIST) return Done{};
    return refusal(path, fmt::format("cannot make the file: {}", std::strerror(errno)));
  }
  ::close(file);
  // Its name must survive a power cut as its content does.
  const std::string folder = std::filesystem::path(path).parent_path();
  const int parent =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent >= 0) {
    ::fsync(parent);
    ::close(parent);
  }
  return Done{};
}

Status prepare(Connection& connection, const std::string& path, std::span<const Migration> list) {
  if (auto known = recognise(connection, path, list.size()); !known.ok()) return known.error();
  // The first two count only for an empty file. Erased evidence need not be overwritten at once
  // (secure_delete), which would write it all once more: its pages are used again.
  connection.execute(
      "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST; PRAGMA temp_store = MEMORY;"
      "PRAGMA cache_size = -8000; PRAGMA mmap_size = 0;"
      // After a checkpoint the log keeps so much of the disk, so that sessions can be erased even
      // from a full one.
      "PRAGMA journal_size_limit = 16777216;");
  connection.execute("BEGIN IMMEDIATE");
  const auto version = static_cast<std::size_t>(connection.number("PRAGMA user_version"));
  for (std::size_t at = version; at < list.size(); ++at) connection.execute(list[at].sql);
  connection.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, list.size())
          .c_str());
  connection.execute("COMMIT");
  if (auto failure = connection.take_failure()) {
    if (connection.in_transaction()) connection.execute("ROLLBACK");
    return refusal(path, fmt::format("cannot be opened for writing: {}", failure->message));
  }
  Statement mode(connection, "PRAGMA journal_mode");
  Query query = mode.query();
  if (!query.next() || query.text(0) != "wal")
    return refusal(path, "SQLite cannot keep a write-ahead log here");
  return Done{};
}

}  // namespace attrib::store
