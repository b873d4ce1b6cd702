#include "service/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace attrib::service {
namespace {

FileStamp stamp(const struct stat& about) {
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {about.st_dev,
          about.st_ino,
          about.st_size,
          nanoseconds(about.st_mtim),
          nanoseconds(about.st_ctim),
          about.st_mode};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

Error failed(const std::string& path, const char* doing) {
  return Error{fmt::format("{}: cannot {}: {}", path, doing, std::strerror(errno))};
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  return stamp(about);
}

Result<FileText> read_file(const std::string& path, std::size_t most) {
  // Not blocking: a FIFO in its place must not hold up the start, or a reload for ever.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return failed(path, "open");
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return failed(path, "read");
  if (!S_ISREG(about.st_mode)) return Error{path + ": is not a regular file"};
  FileText out;
  out.stamp = stamp(about);
  if (static_cast<std::size_t>(about.st_size) <= most) {
    out.text.reserve(static_cast<std::size_t>(about.st_size));
  }
  char block[16384];
  for (;;) {
    const ssize_t got = read(file.get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, "read");
    if (got == 0) return out;
    out.text.append(block, static_cast<std::size_t>(got));
    if (out.text.size() > most) {
      return Error{fmt::format("{}: is larger than {} bytes", path, most)};
    }
  }
}

}  // namespace attrib::service
