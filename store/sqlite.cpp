#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace attrib::store {

namespace {

constexpr std::uint64_t kFrameHead = 24;  // Of a page in the write-ahead log.

// Before SQLite's first use: what a savepoint may have to undo stays in memory, so that a service
// without a writable /tmp works. It is the old content of pages that one operation changes: a few,
// even to erase a large session.
void configure_once() {
  static const int kConfigured = sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
  static_cast<void>(kConfigured);
}

bool disk_is_full(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
}

// What the system said. SQLite notes it for the connection except when a commit fails; the files
// note it always.
int system_error_of(sqlite3* handle, int code) {
  if (handle == nullptr) return 0;
  if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC) {
    for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
      sqlite3_file* file = nullptr;
      int error = 0;
      if (sqlite3_file_control(handle, "main", which, static_cast<void*>(&file)) == SQLITE_OK &&
          file != nullptr && file->pMethods != nullptr)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
      if (error != 0) return error;
    }
  }
  return sqlite3_system_errno(handle);
}

}  // namespace

Failure failure_of(sqlite3* handle, int code) {
  const int system_error = system_error_of(handle, code);
  const int kind = code & 0xff;
  if (kind == SQLITE_FULL) return {FailureKind::Full, "the disk or the file is full"};
  if (kind == SQLITE_READONLY || (kind == SQLITE_IOERR && system_error == EROFS))
    return {FailureKind::Full, "the file has become read-only"};
  if (kind == SQLITE_IOERR && disk_is_full(system_error))
    return {FailureKind::Full, fmt::format("the disk is full ({})", std::strerror(system_error))};
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
    return {FailureKind::Busy, "another program holds a lock on the file"};
  if (kind == SQLITE_TOOBIG) return {FailureKind::TooLarge, "more than SQLite takes in one piece"};
  if (kind == SQLITE_CANTOPEN) return {FailureKind::Broken, "the file cannot be opened"};
  if (kind == SQLITE_CORRUPT)
    return {FailureKind::Broken, "the file is damaged (database disk image is malformed)"};
  if (kind == SQLITE_NOTADB) return {FailureKind::Broken, "not an SQLite database"};
  if (kind == SQLITE_IOERR && system_error != 0)
    return {FailureKind::Broken,
            fmt::format("SQLite error {}: {}", code, std::strerror(system_error))};
  return {FailureKind::Broken, fmt::format("SQLite error {}: {}", code, sqlite3_errstr(code))};
}

Connection::Connection(const std::string& path, Mode mode) {
  configure_once();
  const int flags = mode == Mode::ReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  // NOMUTEX: a connection is used by one thread at a time. Never CREATE: the file is made with its
  // permissions first.
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    fail(code);
    return;
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  busy_timeout(5000);
  // Takes the place of SQLite's own checkpoints too.
  sqlite3_wal_hook(
      handle_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Connection*>(self)->log_bytes_ =
            static_cast<std::uint64_t>(pages) * (kPageBytes + kFrameHead);
        return SQLITE_OK;
      },
      this);
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

void Connection::execute(const char* sql) {
  if (failed()) return;
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Connection::number(const char* sql) {
  Statement statement(*this, sql);
  Query query = statement.query();
  return query.next() ? query.integer(0) : 0;
}

bool Connection::in_transaction() const {
  return handle_ != nullptr && sqlite3_get_autocommit(handle_) == 0;
}

std::uint64_t Connection::changes() const {
  return static_cast<std::uint64_t>(sqlite3_total_changes64(handle_));
}

void Connection::checkpoint(Checkpoint how) {
  if (failed()) return;
  const int mode =
      how == Checkpoint::Passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART;
  int in_log = 0, copied = 0;
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, mode, &in_log, &copied);
  if (code == SQLITE_OK && in_log == copied)
    log_bytes_ = 0;  // The next commit begins it anew, or says how long it is.
  if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) fail(code);
}

void Connection::busy_timeout(int milliseconds) { sqlite3_busy_timeout(handle_, milliseconds); }

std::optional<Failure> Connection::take_failure() { return std::exchange(failure_, std::nullopt); }

void Connection::fail(int code) {
  if (!failed()) failure_ = failure_of(handle_, code);
}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);  // Long texts are not kept until the next run.
}

bool Query::next() {
  if (connection_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_.fail(code);
  return code == SQLITE_ROW;
}

std::int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Query::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr ? std::string_view()
                         : std::string_view(data, static_cast<std::size_t>(size));
}

Statement::Statement(Connection& connection, const char* sql) : connection_(connection) {
  if (connection_.failed()) return;
  const int code = sqlite3_prepare_v3(connection_.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                      &statement_, nullptr);
  if (code != SQLITE_OK) connection_.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(int at, std::int64_t value) {
  if (statement_ == nullptr) return;
  if (const int code = sqlite3_bind_int64(statement_, at, value); code != SQLITE_OK)
    connection_.fail(code);
}

void Statement::bind(int at, std::string_view value) {
  if (statement_ == nullptr) return;
  // An empty view may have no address, which would bind NULL.
  const char* data = value.empty() ? "" : value.data();
  const int code =
      sqlite3_bind_text64(statement_, at, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) connection_.fail(code);
}

void Statement::bind(int at, Blob value) {
  if (statement_ == nullptr) return;
  const char* data = value.bytes.empty() ? "" : value.bytes.data();
  const int code = sqlite3_bind_blob64(statement_, at, data, value.bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) connection_.fail(code);
}

void Statement::bind(int at, std::nullptr_t) {
  if (statement_ != nullptr) sqlite3_bind_null(statement_, at);
}

}  // namespace attrib::store
