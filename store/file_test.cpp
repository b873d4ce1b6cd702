#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "store/backup.h"
#include "store/schema.h"
#include "store/test_store.h"

namespace attrib::store {

namespace {

void sql(const std::string& path, const std::string& text) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

std::string store_file(const Folder& folder) {
  std::string path = folder / "a.db";
  const auto store = opened(path);
  const std::string id = good(create(*store, {"default", "{}", "{}", "key"})).id;
  for (std::uint64_t at = 0; at < 20; ++at) good(append(*store, id, noise(10'000, at)));
  return path;
}

}  // namespace

TEST_CASE("only the owner may read a store, its log and its lock") {
  const Folder folder;
  const ::mode_t old = ::umask(0);
  const auto store = opened(folder / "a.db");
  good(create(*store));
  CHECK(mode_of(folder / "a.db") == 0600);
  CHECK(mode_of(folder / "a.db-wal") == 0600);
  CHECK(mode_of(folder / "a.db.lock") == 0600);
  REQUIRE(store->backup(folder / "b.db").ok());
  CHECK(mode_of(folder / "b.db") == 0600);
  ::umask(old);
}

TEST_CASE("the log is kept, every commit is synced, and erased pages can be given back") {
  const Folder folder;
  const std::string path = folder / "a.db";
  REQUIRE(make_file(path).ok());
  Connection connection(path, Mode::ReadWrite);
  REQUIRE(prepare(connection, path, migrations()).ok());
  CHECK(connection.number("PRAGMA synchronous") == 2);
  CHECK(connection.number("PRAGMA auto_vacuum") == 2);
  CHECK(connection.number("PRAGMA page_size") == static_cast<std::int64_t>(kPageBytes));
  CHECK(connection.number(
            "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
            "AND name NOT LIKE 'sqlite_%' AND NOT strict") == 0);
}

TEST_CASE(
    "a second store on the same file is refused, by whatever name, in this process or another") {
  const Folder folder;
  const std::string path = folder / "a.db";
  std::filesystem::create_symlink(path, folder / "b.db");
  const auto store = opened(path);
  const std::string why =
      ".lock: the store is in use by another process (" + std::to_string(::getpid()) + ")";
  CHECK(refused(path).find("a.db" + why) != std::string::npos);
  CHECK(refused(folder / "b.db").find("a.db" + why) != std::string::npos);
}

TEST_CASE("a lock ends with its process, however that ends") {
  const Folder folder;
  const std::string path = folder / "a.db";
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const ::pid_t child = ::fork();
  if (child == 0) {
    const auto store = Store::open(path, {});
    static_cast<void>(::write(ready[1], store.ok() ? "1" : "0", 1) == 1);
    for (;;) ::pause();
  }
  char answer = '0';
  REQUIRE(::read(ready[0], &answer, 1) == 1);
  CHECK(answer == '1');
  CHECK(refused(path).find("(" + std::to_string(child) + ")") != std::string::npos);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  good(create(*opened(path)));
}

TEST_CASE("a file of an older schema is brought to the present one, or left as it was") {
  const Folder folder;
  const std::string path = folder / "a.db";
  const std::array<Migration, 3> list{
      Migration{"CREATE TABLE a (x TEXT) STRICT; INSERT INTO a VALUES ('kept')"},
      Migration{"ALTER TABLE a ADD COLUMN y TEXT NOT NULL DEFAULT 'new'"},
      Migration{"CREATE TABLE b (x TEXT) STRICT; INSERT INTO nowhere VALUES (1)"}};
  REQUIRE(make_file(path).ok());
  const auto prepared = [&](std::size_t most) {
    Connection connection(path, Mode::ReadWrite);
    const Status done = prepare(connection, path, std::span(list).first(most));
    return done.ok() ? std::string("ready") : done.error().message;
  };
  const auto number = [&](const char* text) {
    Connection connection(path, Mode::ReadWrite);
    return connection.number(text);
  };
  CHECK(prepared(1) == "ready");
  CHECK(number("PRAGMA user_version") == 1);
  CHECK(prepared(2) == "ready");
  CHECK(number("PRAGMA user_version") == 2);
  CHECK(number("SELECT count(*) FROM a WHERE x = 'kept' AND y = 'new'") == 1);
  CHECK(prepared(2) == "ready");
  CHECK(prepared(3).find(path + ": cannot be opened for writing") == 0);
  CHECK(number("PRAGMA user_version") == 2);
  CHECK(number("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0);
  CHECK(prepared(1) ==
        path + ": made by a newer attribd: its schema has version 2, this program knows 1");
}

TEST_CASE("a store of a newer schema is refused and stays as it is") {
  const Folder folder;
  const std::string path = store_file(folder);
  sql(path, "PRAGMA user_version = 1000");
  const std::string before = slurp(path);
  CHECK(refused(path) ==
        path + ": made by a newer attribd: its schema has version 1000, this program knows " +
            std::to_string(migrations().size()));
  CHECK(slurp(path) == before);
}

TEST_CASE("what is no store is refused and stays as it is") {
  const Folder folder;
  const std::string text = folder / "notes.txt";
  spit(text,
       "These are notes of mine that are a little longer than the head of a database would be, "
       "namely 100 bytes.\n");
  const std::string before = slurp(text);
  CHECK(refused(text) == text + ": not a store of attrib (not an SQLite database)");
  CHECK(slurp(text) == before);
  CHECK_FALSE(std::filesystem::exists(text + ".lock"));
  CHECK(may_be_store(text).error().message == refused(text));
  spit(folder / "short.db", "SQLite format");
  CHECK_FALSE(may_be_store(folder / "short.db").ok());
  spit(folder / "empty.db", "");
  CHECK(may_be_store(folder / "empty.db").ok());
  CHECK(may_be_store(folder / "none.db").ok());
  // A lock that an earlier attempt left changes nothing.
  spit(text + ".lock", "");
  CHECK(refused(text) == text + ": not a store of attrib (not an SQLite database)");
  CHECK(slurp(text) == before);

  const std::string other = folder / "other.db";
  sql(other, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  const std::string theirs = slurp(other);
  CHECK(refused(other) ==
        other + ": not a store of attrib (an SQLite database of another program)");
  CHECK(slurp(other) == theirs);

  const std::string directory = folder / "d.db";
  std::filesystem::create_directory(directory);
  CHECK(refused(directory) == directory + ": not a store of attrib (not a regular file)");
  const std::string pipe = folder / "p.db";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refused(pipe) == pipe + ": not a store of attrib (not a regular file)");
  CHECK(refused(folder / "nowhere/a.db")
            .find("cannot make the lock file: No such file or directory") != std::string::npos);
  CHECK(refused("") != "opened");
}

TEST_CASE("an empty file becomes a store") {
  const Folder folder;
  spit(folder / "a.db", "");
  good(create(*opened(folder / "a.db")));
}

TEST_CASE("a torn file is refused") {
  const Folder folder;
  const std::string path = store_file(folder);
  const auto whole = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, whole / 2);
  CHECK(refused(path) == path + ": the file is damaged (database disk image is malformed)");
  std::filesystem::resize_file(path, 50);
  CHECK(refused(path).find(path + ": ") == 0);
}

TEST_CASE("damaged tables are refused; a damaged content is an error of its session only") {
  const Folder folder;
  const std::string path = store_file(folder);
  std::string bytes = slurp(path);
  const std::string good_bytes = bytes;
  std::string id, other;
  {
    const auto store = opened(path);
    id = good(store->sessions(0, 1)).front().id;
    other = good(create(*store)).id;
    good(append(*store, other, "whole"));
  }
  bytes = slurp(path);
  const std::string inside = noise(10'000, 7).substr(5000, 64);
  const std::size_t at = bytes.find(inside);
  REQUIRE(at != std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  spit(path, bytes);
  {
    const auto store = opened(path);
    const Failure failure = bad(store->contents(id, [](const PostInfo&, const std::string&) {}));
    CHECK(failure.kind == FailureKind::Broken);
    CHECK(failure.message.find("a content is damaged") == 0);
    CHECK(all_contents(*store, other) == "whole\n");
  }
  bytes = good_bytes;
  for (std::size_t page = 1; page < bytes.size() / kPageBytes; ++page)
    bytes.replace(page * kPageBytes, 64, 64, '\x7f');
  spit(path, bytes);
  CHECK(refused(path) == path + ": the file is damaged (database disk image is malformed)");
}

TEST_CASE("damage at random places never does more than give errors") {
  const Folder folder;
  const std::string path = store_file(folder);
  const std::string whole = slurp(path);
  std::uint64_t refusals = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::string bytes = whole;
    const std::string where = noise(80, seed);
    for (std::size_t at = 0; at + 8 <= where.size(); at += 8) {
      std::uint64_t place = 0;
      for (std::size_t byte = 0; byte < 7; ++byte)
        place = place * 256 + static_cast<unsigned char>(where[at + byte]);
      // Half of the places lie in the first pages, which hold the tables.
      const std::uint64_t most =
          seed % 2 == 0 ? bytes.size() : std::min<std::uint64_t>(bytes.size(), 12 * kPageBytes);
      bytes[place % most] = where[at + 7];
    }
    spit(path, bytes);
    auto store = Store::open(path, {});
    if (!store.ok()) {
      ++refusals;
      CHECK(store.error().message.find(path) == 0);
      continue;
    }
    const auto listed = store.value()->sessions(0, 10);
    const std::string id = std::holds_alternative<Failure>(listed) || std::get<0>(listed).empty()
                               ? std::string(32, '0')
                               : std::get<0>(listed).front().id;
    static_cast<void>(store.value()->contents(id, [](const PostInfo&, const std::string&) {}));
    static_cast<void>(append(*store.value(), id, noise(100, seed)));
    static_cast<void>(create(*store.value()));
    static_cast<void>(erase(*store.value(), id));
  }
  CHECK(refusals > 0);
}

TEST_CASE("a backup made in use is a whole store of one moment, and overwrites nothing") {
  const Folder folder;
  const auto store = opened(folder / "a.db");
  const std::string id = good(create(*store)).id;
  for (std::uint64_t at = 0; at < 20; ++at) good(append(*store, id, noise(100'000, at)));
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> written = 20;
  std::thread writing([&] {
    for (std::uint64_t at = 20; !stop; ++at) {
      good(append(*store, id, noise(1000, at)));
      ++written;
    }
  });
  while (written < 30) std::this_thread::yield();
  const std::uint64_t before = written;
  const Status done = store->backup(folder / "b.db");
  const std::uint64_t after = written + 1;
  stop = true;
  writing.join();
  REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
  const Status again = store->backup(folder / "b.db");
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().message == folder / "b.db" + ": is there already");
  CHECK_FALSE(std::filesystem::exists(folder / "b.db.partial"));
  CHECK_FALSE(store->backup(folder / "nowhere/b.db").ok());
  const auto copy = opened(folder / "b.db");
  const Session copied = good(copy->session(id));
  CHECK(copied.posts >= before);
  CHECK(copied.posts <= after);
  std::uint64_t contents = 0;
  good(copy->contents(id, [&](const PostInfo&, const std::string&) { ++contents; }));
  CHECK(contents == copied.posts);
  good(append(*copy, id, "goes on"));
}

TEST_CASE(
    "a backup of a store that nobody has open, or was killed, has what it acknowledged; of "
    "anything else there is none") {
  const Folder folder;
  const std::string path = folder / "a.db";
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const ::pid_t child = ::fork();
  if (child == 0) {
    const auto store = Store::open(path, {});
    std::promise<Outcome<Session>> made;
    store.value()->create({"default", "{}", "{}", ""},
                          [&](Outcome<Session> outcome) { made.set_value(std::move(outcome)); });
    const std::string id = std::get<Session>(made.get_future().get()).id;
    static_cast<void>(::write(ready[1], id.data(), id.size()) == 32);
    for (;;) ::pause();
  }
  std::string id(32, '\0');
  REQUIRE(::read(ready[0], id.data(), id.size()) == 32);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  REQUIRE(back_up(path, folder / "b.db").ok());
  CHECK(good(opened(folder / "b.db")->session(id)).id == id);

  const auto why = [&](const std::string& from) {
    const Status done = back_up(from, folder / "c.db");
    CHECK_FALSE(std::filesystem::exists(folder / "c.db"));
    CHECK_FALSE(std::filesystem::exists(folder / "c.db.partial"));
    return done.ok() ? std::string("done") : done.error().message;
  };
  CHECK(why(folder / "nowhere.db") == folder / "nowhere.db" + ": the file cannot be opened");
  spit(folder / "text", std::string(2000, 'x'));
  CHECK(why(folder / "text") ==
        folder / "text" + ": not a store of attrib (not an SQLite database)");
  spit(folder / "empty", "");
  CHECK(why(folder / "empty") == folder / "empty" + ": not a store of attrib (it is empty)");
}

}  // namespace attrib::store
