#include "store/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/schema.h"
#include "store/sqlite.h"

namespace attrib::store {

namespace {

Error refusal(const std::string& path, const std::string& why) {
  return Error{fmt::format("{}: {}", path, why)};
}

Status copy(const std::string& from, const std::string& to) {
  Connection source(from, Mode::ReadOnly);
  if (auto store = is_store(source, from); !store.ok()) return store.error();
  Connection target(to, Mode::ReadWrite);
  // Nobody reads it before it has its name: neither a journal nor a sync a page.
  target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  if (auto failure = target.take_failure()) return refusal(to, failure->message);
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
  if (backup == nullptr)
    return refusal(to, failure_of(target.handle(), sqlite3_errcode(target.handle())).message);
  // In one step, so that it sees one commit and never begins anew because of a later one.
  const int stepped = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (stepped == SQLITE_DONE && finished == SQLITE_OK) return Done{};
  return refusal(to,
                 failure_of(target.handle(), finished != SQLITE_OK ? finished : stepped).message);
}

Status to_disk(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!done) return refusal(path, std::strerror(error));
  return Done{};
}

}  // namespace

Status back_up(const std::string& given_from, const std::string& given_to) {
  // SQLite takes a name that begins with "file:" for an address.
  std::error_code ignored;
  const std::string from = std::filesystem::absolute(given_from, ignored);
  const std::string to = std::filesystem::absolute(given_to, ignored);
  const std::string partial = to + ".partial";
  if (std::filesystem::exists(std::filesystem::symlink_status(to, ignored)))
    return refusal(to, "is there already");
  std::filesystem::remove(partial, ignored);  // Of a backup that was interrupted.
  if (auto made = make_file(partial); !made.ok()) return made.error();
  Status done = copy(from, partial);
  if (done.ok()) done = to_disk(partial, O_RDONLY);
  // Not over a file that has come meanwhile.
  if (done.ok() &&
      ::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0)
    done = refusal(to, std::strerror(errno));
  if (!done.ok()) {
    std::filesystem::remove(partial, ignored);
    return done;
  }
  const std::string folder = std::filesystem::path(to).parent_path();
  return to_disk(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace attrib::store
