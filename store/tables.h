#pragma once

// What can be written: each operation as statements inside the savepoint that the writer has opened
// around it. A Failure means that the savepoint is to be rolled back. Used on the writer's thread
// only.

#include <cstdint>
#include <functional>
#include <string>

#include "store/sqlite.h"
#include "store/store.h"

namespace attrib::store {

// Kept in memory, so that no limit needs a count over a table. The writer takes them back with a
// savepoint.
struct Counts {
  std::uint64_t sessions = 0;
  std::uint64_t posts = 0;
  std::uint64_t copies = 0;   // Since the start.
  std::uint64_t expired = 0;  // Since the start.
};

// A post on its way: what was in Post, its content packed.
struct PackedPost {
  Post post;  // Without content.
  std::uint64_t bytes = 0;
  std::string packed;
};

class Tables {
 public:
  Tables(Connection& connection, const StoreOptions& options);

  Outcome<Session> create(const NewSession& given, std::int64_t now);
  Outcome<Posted> append(const PackedPost& given, std::int64_t now);
  Outcome<Session> change_header(
      const std::string& id, const std::function<Result<std::string>(const std::string&)>& change,
      std::int64_t now);
  Outcome<Done> erase(const std::string& id, std::int64_t now);
  Outcome<std::uint64_t> expire(std::uint64_t most, std::int64_t now);
  void touch(const std::string& id, std::int64_t when);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  void restore(const Counts& counts) { counts_ = counts; }
  // Bytes that may still be added to the disk; counted down until it is told again.
  void set_disk_room(std::uint64_t bytes) { disk_room_ = bytes; }
  // Pages of the file: all, and those free to be used again.
  [[nodiscard]] std::uint64_t pages();
  [[nodiscard]] std::uint64_t free_pages();

 private:
  struct Row {
    std::int64_t number = 0;
    Session session;  // Without texts.
  };
  std::optional<Row> find(const std::string& id, std::int64_t now);
  std::string header_of(std::int64_t number);
  Session whole(Row row);
  void remove(std::int64_t number);
  std::optional<Failure> no_room(std::uint64_t bytes);  // Nothing: they fit.
  Outcome<bool> new_header(std::int64_t number, const Session& session,
                           const std::function<Result<std::string>(const std::string&)>& change);
  [[nodiscard]] std::int64_t oldest_alive(std::int64_t now) const { return now - idle_time_; }

  Connection& db_;
  std::uint64_t session_bytes_, most_sessions_, file_pages_, most_log_bytes_;
  std::uint64_t disk_room_ = 0;
  std::int64_t idle_time_;
  Counts counts_;
  Statement find_, find_key_, insert_, insert_text_, text_, set_header_, changed_, used_;
  Statement has_post_, insert_post_, erase_posts_, erase_text_, erase_, expired_;
  Statement page_count_, freelist_count_;
};

// Of a kind that changes nothing but the time of use.
inline constexpr std::int64_t kTouchInterval = std::int64_t{60} * 1'000'000'000;
// The write-ahead log may grow so far while a reader keeps it from being emptied.
std::uint64_t most_log_bytes(const StoreOptions& options);
// Pages that the file may take beyond its limit, so that at the limit sessions can still be erased.
inline constexpr std::uint64_t kSparePages = 256;

}  // namespace attrib::store
