#pragma once

// Owners for SQLite's handles; private to this room. A failure sticks to the connection: until it
// is taken, every step on it does nothing and finds no row. So a sequence of statements reads as if
// nothing could fail, and who began it asks once, at the end.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

struct sqlite3;
struct sqlite3_stmt;

namespace attrib::store {

inline constexpr std::uint64_t kPageBytes = 4096;  // Of every store's file.

// Binds as a BLOB that is not copied: it must outlive the query.
struct Blob {
  std::string_view bytes;
};

enum class Mode { ReadWrite, ReadOnly };
enum class Checkpoint { Passive, Restart };

class Connection {
 public:
  Connection(const std::string& path, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const char* sql);  // Statements without values, rows thrown away.
  // The first value of the first row; 0 if there is none.
  [[nodiscard]] std::int64_t number(const char* sql);
  // False too once SQLite has rolled back by itself, as it may after an error of the disk.
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] std::uint64_t changes() const;  // Rows changed since the connection was opened.
  // Bytes of the write-ahead log that are in use, as the last commit or checkpoint left it.
  [[nodiscard]] std::uint64_t log_bytes() const { return log_bytes_; }
  void checkpoint(Checkpoint how);  // Not done because of a reader: no failure.
  // Waits so long for the locks of other connections.
  void busy_timeout(int milliseconds);

  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  std::optional<Failure> take_failure();
  void fail(int code);

  [[nodiscard]] sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
  std::optional<Failure> failure_;
  std::uint64_t log_bytes_ = 0;
};

// One run of a statement; ends (and with it a read transaction) with its life.
class Query {
 public:
  Query(Connection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next();  // Is there a row?
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::uint64_t count(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }
  [[nodiscard]] std::string text(int column) const { return std::string(bytes(column)); }
  [[nodiscard]] std::string_view bytes(int column) const;  // Until next().

 private:
  Connection& connection_;
  sqlite3_stmt* statement_;
};

// Prepared when it is made; reused.
class Statement {
 public:
  Statement(Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <typename... Values>
  [[nodiscard]] Query query(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    return {connection_, statement_};
  }
  template <typename... Values>
  void run(const Values&... values) {
    Query running = query(values...);
    while (running.next()) {
    }
  }

 private:
  void bind(int at, std::int64_t value);
  void bind(int at, std::uint64_t value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, std::string_view value);  // Copied.
  void bind(int at, const std::string& value) { bind(at, std::string_view(value)); }
  void bind(int at, Blob value);
  void bind(int at, std::nullptr_t);

  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
};

// What a code of SQLite means to who uses the store.
Failure failure_of(sqlite3* handle, int code);

}  // namespace attrib::store
