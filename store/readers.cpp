#include "store/readers.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "store/content.h"
#include "store/sqlite.h"

namespace attrib::store {

namespace {

constexpr std::size_t kMostReaders = 4;

std::int64_t limit_of(std::size_t most) {
  return static_cast<std::int64_t>(
      std::min(most, static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())));
}

Failure not_found() { return {FailureKind::NotFound, "no such session, or it has expired"}; }

// The columns that whole_session() reads.
#define ATTRIB_SESSION_COLUMNS                                                                    \
  "SELECT s.number, s.id, s.created, s.used, s.revision, s.posts, s.bytes, t.ruleset, t.header, " \
  "t.metadata "                                                                                   \
  "FROM session s JOIN session_text t ON t.session = s.number "

Session whole_session(const Query& query) {
  return {query.text(1),    query.text(7),  query.text(8),  query.text(9), query.integer(2),
          query.integer(3), query.count(4), query.count(5), query.count(6), query.count(0)};
}

PostInfo post_info(const Query& query) {
  return {query.text(0), query.text(1), query.integer(2), query.count(3), query.count(4)};
}

}  // namespace

// A connection and what is prepared on it.
class Reader {
 public:
  explicit Reader(const std::string& path)
      : db(path, Mode::ReadOnly),
        one(db, ATTRIB_SESSION_COLUMNS "WHERE s.id = ? AND s.used >= ?"),
        many(db,
             ATTRIB_SESSION_COLUMNS "WHERE s.number > ? AND s.used >= ? ORDER BY s.number LIMIT ?"),
        infos(db,
              "SELECT id, kind, received, bytes, observations FROM post "
              "WHERE session = (SELECT number FROM session WHERE id = ?) AND id > ? ORDER BY id "
              "LIMIT ?"),
        total(db,
              "SELECT ifnull(sum(observations), 0) FROM post "
              "WHERE session = (SELECT number FROM session WHERE id = ?)"),
        next(db,
             "SELECT id, kind, received, bytes, observations, content FROM post "
             "WHERE session = ? AND id > ? AND place < ? ORDER BY id LIMIT 1") {}

  Connection db;
  Statement one, many, infos, total, next;
};

Readers::Readers(std::string path, const StoreOptions& options)
    : path_(std::move(path)), options_(options) {}
Readers::~Readers() = default;

std::unique_ptr<Reader> Readers::borrow() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !idle_.empty() || made_ < kMostReaders; });
  if (!idle_.empty()) {
    auto reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }
  ++made_;
  lock.unlock();
  return std::make_unique<Reader>(path_);
}

void Readers::give_back(std::unique_ptr<Reader> reader) {
  {
    const std::lock_guard lock(mutex_);
    if (reader == nullptr)
      --made_;
    else
      idle_.push_back(std::move(reader));
  }
  returned_.notify_one();
}

template <typename T>
Outcome<T> Readers::with_reader(const std::function<Outcome<T>(Reader&)>& work) {
  std::unique_ptr<Reader> reader;
  Outcome<T> outcome = Failure{FailureKind::Broken, "out of memory"};
  try {
    reader = borrow();
    outcome = work(*reader);
  } catch (const std::bad_alloc&) {
    outcome = Failure{FailureKind::Broken, "out of memory"};
  }
  if (reader != nullptr) {
    if (auto failure = reader->db.take_failure()) {
      outcome = *failure;
      reader.reset();  // The next one is made afresh.
    }
  }
  give_back(std::move(reader));
  return outcome;
}

Outcome<Session> Readers::session(const std::string& id) {
  return with_reader<Session>([&](Reader& reader) -> Outcome<Session> {
    Query query = reader.one.query(id, options_.now() - options_.idle_time);
    if (!query.next()) return not_found();
    return whole_session(query);
  });
}

Outcome<std::vector<Session>> Readers::sessions(std::uint64_t after, std::size_t most) {
  return with_reader<std::vector<Session>>([&](Reader& reader) -> Outcome<std::vector<Session>> {
    std::vector<Session> found;
    Query query = reader.many.query(limit_of(after), options_.now() - options_.idle_time, limit_of(most));
    while (query.next()) found.push_back(whole_session(query));
    return found;
  });
}

Outcome<std::uint64_t> Readers::observations(const std::string& id) {
  return with_reader<std::uint64_t>([&](Reader& reader) -> Outcome<std::uint64_t> {
    Query query = reader.total.query(id);
    if (!query.next()) return not_found();
    return query.count(0);
  });
}

Outcome<std::vector<PostInfo>> Readers::posts(const std::string& id, const std::string& after,
                                              std::size_t most) {
  return with_reader<std::vector<PostInfo>>([&](Reader& reader) -> Outcome<std::vector<PostInfo>> {
    if (!reader.one.query(id, options_.now() - options_.idle_time).next()) return not_found();
    std::vector<PostInfo> found;
    Query query = reader.infos.query(id, after, limit_of(most));
    while (query.next()) found.push_back(post_info(query));
    return found;
  });
}

// Posts never change and go only with their session, and each knows its place by arrival: those of
// a place below the number of posts that the session had are its state of that moment, even if they
// are read one after the other.
Outcome<Session> Readers::contents(
    const std::string& id, const std::function<void(const PostInfo&, std::string content)>& each) {
  std::int64_t number = 0;
  Outcome<Session> begun = with_reader<Session>([&](Reader& reader) -> Outcome<Session> {
    Query query = reader.one.query(id, options_.now() - options_.idle_time);
    if (!query.next()) return not_found();
    number = query.integer(0);
    return whole_session(query);
  });
  if (std::holds_alternative<Failure>(begun)) return begun;
  using Content = std::pair<PostInfo, std::string>;
  const std::uint64_t posts = std::get<Session>(begun).posts;
  std::string after;
  for (std::uint64_t done = 0; done < posts; ++done) {
    Outcome<Content> read = with_reader<Content>([&](Reader& reader) -> Outcome<Content> {
      Query query = reader.next.query(number, after, posts);
      if (!query.next()) return not_found();  // Erased meanwhile.
      PostInfo info = post_info(query);
      Result<std::string> content = unpack(query.bytes(5), info.bytes);
      if (!content.ok()) return Failure{FailureKind::Broken, content.error().message};
      return Content{std::move(info), std::move(content).value()};
    });
    if (auto* failure = std::get_if<Failure>(&read)) return std::move(*failure);
    auto& [info, content] = std::get<Content>(read);
    after = info.id;
    each(info, std::move(content));
  }
  return begun;
}

}  // namespace attrib::store
