#include "store/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.h"

namespace attrib::store {

namespace {

Failure not_found() { return {FailureKind::NotFound, "no such session, or it has expired"}; }

}  // namespace

std::uint64_t most_log_bytes(const StoreOptions& options) {
  return std::max(std::uint64_t{64} << 20U, options.file_bytes / 8);
}

Tables::Tables(Connection& connection, const StoreOptions& options)
    : db_(connection),
      session_bytes_(options.session_bytes),
      most_sessions_(options.sessions),
      file_pages_(std::max<std::uint64_t>(options.file_bytes / kPageBytes, 1)),
      most_log_bytes_(most_log_bytes(options)),
      idle_time_(options.idle_time),
      find_(db_,
            "SELECT number, id, created, used, revision, posts, bytes FROM session WHERE id = ? "
            "AND used >= ?"),
      find_key_(db_, "SELECT number, id, used FROM session WHERE key = ?"),
      insert_(db_,
              "INSERT INTO session (id, key, created, used, revision, posts, bytes) "
              "VALUES (?1, nullif(?2, ''), ?3, ?3, 0, 0, 0) RETURNING number"),
      insert_text_(db_, "INSERT INTO session_text VALUES (?, ?, ?, ?)"),
      text_(db_, "SELECT ruleset, header, metadata FROM session_text WHERE session = ?"),
      set_header_(db_, "UPDATE session_text SET header = ?2 WHERE session = ?1"),
      changed_(
          db_,
          "UPDATE session SET used = max(used, ?2), revision = revision + 1, posts = posts + ?3, "
          "bytes = bytes + ?4 WHERE number = ?1"),
      used_(db_, "UPDATE session SET used = ?2 WHERE id = ?1 AND used >= ?3 AND used <= ?4"),
      has_post_(db_, "SELECT 1 FROM post WHERE session = ? AND id = ?"),
      insert_post_(
          db_,
          "INSERT INTO post (session, place, id, kind, received, bytes, observations, content) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      erase_posts_(db_, "DELETE FROM post WHERE session = ?"),
      erase_text_(db_, "DELETE FROM session_text WHERE session = ?"),
      erase_(db_, "DELETE FROM session WHERE number = ? RETURNING posts"),
      expired_(db_, "SELECT number FROM session WHERE used < ? ORDER BY used LIMIT 1"),
      page_count_(db_, "PRAGMA page_count"),
      freelist_count_(db_, "PRAGMA freelist_count") {
  counts_.sessions = static_cast<std::uint64_t>(db_.number("SELECT count(*) FROM session"));
  counts_.posts =
      static_cast<std::uint64_t>(db_.number("SELECT ifnull(sum(posts), 0) FROM session"));
  db_.execute(fmt::format("PRAGMA max_page_count = {}",
                          std::min<std::uint64_t>(file_pages_ + kSparePages, 0xfffffffe))
                  .c_str());
}

Outcome<Session> Tables::create(const NewSession& given, std::int64_t now) {
  if (!given.idempotency_key.empty()) {
    std::optional<std::int64_t> dead;
    std::string id;
    {
      Query query = find_key_.query(given.idempotency_key);
      if (query.next()) {
        id = query.text(1);
        if (query.integer(2) < oldest_alive(now)) dead = query.integer(0);
      }
    }
    if (dead) {
      remove(*dead);
      ++counts_.expired;
    } else if (auto row = id.empty() ? std::nullopt : find(id, now)) {
      touch(id, now);
      return whole(std::move(*row));
    }
  }
  if (counts_.sessions >= most_sessions_) {
    return Failure{FailureKind::Full, fmt::format("the store holds {} sessions, which is its limit",
                                                  counts_.sessions)};
  }
  const std::uint64_t bytes = given.ruleset.size() + given.header.size() + given.metadata.size();
  if (bytes > session_bytes_) {
    return Failure{FailureKind::TooLarge,
                   fmt::format("a session may hold {} bytes, its header and metadata have {}",
                               session_bytes_, bytes)};
  }
  if (auto failure = no_room(bytes + given.idempotency_key.size())) return *failure;
  Session made{random_hex(16), given.ruleset, given.header, given.metadata, now, now, 0, 0, 0};
  std::int64_t number = 0;
  {
    Query query = insert_.query(made.id, given.idempotency_key, now);
    if (query.next()) number = query.integer(0);
    made.number = static_cast<std::uint64_t>(number);
    query.next();  // RETURNING ends the change only after its last row.
  }
  insert_text_.run(number, made.ruleset, made.header, made.metadata);
  ++counts_.sessions;
  return made;
}

Outcome<Posted> Tables::append(const PackedPost& given, std::int64_t now) {
  const auto row = find(given.post.session, now);
  if (!row) return not_found();
  const bool copy = has_post_.query(row->number, given.post.id).next();
  if (copy) {
    ++counts_.copies;
    touch(row->session.id, now);
    return Posted{true, row->session.revision};
  }
  if (row->session.bytes + given.bytes > session_bytes_) {
    return Failure{FailureKind::TooLarge,
                   fmt::format("the session holds {} bytes of {}, {} more do not fit",
                               row->session.bytes, session_bytes_, given.bytes)};
  }
  if (auto failure = no_room(given.packed.size())) return *failure;
  if (given.post.merge_header) {
    auto merged = new_header(row->number, row->session, given.post.merge_header);
    if (const auto* failure = std::get_if<Failure>(&merged)) return *failure;
  }
  insert_post_.run(row->number, row->session.posts, given.post.id, given.post.kind, now,
                   given.bytes, given.post.observations, Blob{given.packed});
  changed_.run(row->number, now, std::uint64_t{1}, given.bytes);
  ++counts_.posts;
  return Posted{false, row->session.revision + 1};
}

Outcome<Session> Tables::change_header(
    const std::string& id, const std::function<Result<std::string>(const std::string&)>& change,
    std::int64_t now) {
  auto row = find(id, now);
  if (!row) return not_found();
  auto changed = new_header(row->number, row->session, change);
  if (const auto* failure = std::get_if<Failure>(&changed)) return *failure;
  if (std::get<bool>(changed)) {
    changed_.run(row->number, now, std::uint64_t{0}, std::uint64_t{0});
    ++row->session.revision;
    row->session.used = std::max(row->session.used, now);
  } else {
    touch(id, now);
  }
  return whole(std::move(*row));
}

Outcome<Done> Tables::erase(const std::string& id, std::int64_t now) {
  const auto row = find(id, now);
  if (!row) return not_found();
  remove(row->number);
  return Done{};
}

Outcome<std::uint64_t> Tables::expire(std::uint64_t most, std::int64_t now) {
  std::uint64_t done = 0;
  for (; done < most && !db_.failed(); ++done) {
    std::int64_t number = 0;
    {
      Query query = expired_.query(oldest_alive(now));
      if (!query.next()) break;
      number = query.integer(0);
    }
    remove(number);
    ++counts_.expired;
  }
  return done;
}

void Tables::touch(const std::string& id, std::int64_t when) {
  used_.run(id, when, oldest_alive(when), when - kTouchInterval);
}

std::uint64_t Tables::pages() {
  Query query = page_count_.query();
  return query.next() ? query.count(0) : 0;
}

std::uint64_t Tables::free_pages() {
  Query query = freelist_count_.query();
  return query.next() ? query.count(0) : 0;
}

std::optional<Tables::Row> Tables::find(const std::string& id, std::int64_t now) {
  Query query = find_.query(id, oldest_alive(now));
  if (!query.next()) return std::nullopt;
  Row row;
  row.number = query.integer(0);
  row.session.id = query.text(1);
  row.session.created = query.integer(2);
  row.session.used = query.integer(3);
  row.session.revision = query.count(4);
  row.session.posts = query.count(5);
  row.session.bytes = query.count(6);
  row.session.number = query.count(0);
  return row;
}

Session Tables::whole(Row row) {
  Query query = text_.query(row.number);
  if (query.next()) {
    row.session.ruleset = query.text(0);
    row.session.header = query.text(1);
    row.session.metadata = query.text(2);
  }
  return std::move(row.session);
}

std::string Tables::header_of(std::int64_t number) {
  Query query = text_.query(number);
  return query.next() ? query.text(1) : std::string();
}

void Tables::remove(std::int64_t number) {
  erase_posts_.run(number);
  erase_text_.run(number);
  Query query = erase_.query(number);
  if (!query.next()) return;
  counts_.posts -= std::min(counts_.posts, query.count(0));
  counts_.sessions -= std::min<std::uint64_t>(counts_.sessions, 1);
  query.next();
}

std::optional<Failure> Tables::no_room(std::uint64_t bytes) {
  if (db_.log_bytes() > most_log_bytes_) {
    return Failure{FailureKind::Full,
                   fmt::format("the log beside the file has reached {} bytes: a backup or another "
                               "program reads the file and keeps it from being emptied",
                               db_.log_bytes())};
  }
  // Twice: in the log, and in the file.
  if (2 * bytes > disk_room_) return Failure{FailureKind::Full, "the disk is nearly full"};
  // Beside its bytes an entry takes room in the tables and their indexes.
  const std::uint64_t needed = bytes / (kPageBytes - 4) + 2;
  const std::uint64_t all = pages();
  if (all - std::min(all, free_pages()) + needed <= file_pages_) {
    disk_room_ -= 2 * bytes;
    return std::nullopt;
  }
  return Failure{FailureKind::Full, fmt::format("the file has reached its limit of {} bytes",
                                                file_pages_ * kPageBytes)};
}

Outcome<bool> Tables::new_header(
    std::int64_t number, const Session& session,
    const std::function<Result<std::string>(const std::string&)>& change) {
  const std::string old = header_of(number);
  if (db_.failed()) return false;
  Result<std::string> changed = Error{"the header could not be merged"};
  try {
    changed = change(old);
  } catch (...) {  // Its text may hold what others have posted.
    return Failure{FailureKind::Broken, "the header could not be merged: an exception"};
  }
  if (!changed.ok()) return Failure{FailureKind::Conflict, changed.error().message};
  if (changed.value() == old) return false;
  if (changed.value().size() > session_bytes_ - std::min(session_bytes_, session.bytes)) {
    return Failure{FailureKind::TooLarge,
                   fmt::format("the session holds {} bytes of {}, a header of {} does not fit",
                               session.bytes, session_bytes_, changed.value().size())};
  }
  set_header_.run(number, changed.value());
  return true;
}

}  // namespace attrib::store
