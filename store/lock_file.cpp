#include "store/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace attrib::store {

Result<std::unique_ptr<LockFile>> LockFile::take(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return Error{fmt::format("{}: cannot make the lock file: {}", path, std::strerror(errno))};
  std::unique_ptr<LockFile> lock(new LockFile(file));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return Error{fmt::format("{}: cannot lock: {}", path, std::strerror(errno))};
    char text[32] = {};
    const ssize_t size = ::pread(file, text, sizeof text - 1, 0);
    const std::string holder(text, size > 0 ? std::strcspn(text, "\n") : 0);
    return Error{fmt::format("{}: the store is in use by another process{}", path,
                             holder.empty() ? "" : fmt::format(" ({})", holder))};
  }
  const std::string holder = fmt::format("{}\n", ::getpid());
  // Who holds it is only a help for people: a full disk must not keep the store from opening.
  if (::ftruncate(file, 0) == 0)
    static_cast<void>(::pwrite(file, holder.data(), holder.size(), 0) == 0);
  return lock;
}

LockFile::~LockFile() { ::close(file_); }

}  // namespace attrib::store
