#include "tools/cli/files.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

namespace attrib::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

Error failed(std::string_view doing, const std::string& path) {
  return Error{fmt::format("{}: cannot {}: {}", path, doing, std::strerror(errno))};
}

}  // namespace

Beginning& Beginning::operator=(Beginning&& other) noexcept {
  std::swap(size_, other.size_);
  std::swap(map_, other.map_);
  std::swap(view_, other.view_);
  std::swap(copy_, other.copy_);
  return *this;
}

Beginning::~Beginning() {
  if (map_ != nullptr) munmap(map_, size_);
}

Result<Beginning> read_beginning(const std::string& path, std::size_t head,
                                 std::size_t (*wanted)(std::string_view, std::size_t)) {
  const FilePointer file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return failed("open", path);
  struct stat about {};
  if (fstat(fileno(file.get()), &about) != 0) return failed("read", path);
  Beginning out;
  if (S_ISREG(about.st_mode) && about.st_size > 0) {
    out.size_ = static_cast<std::size_t>(about.st_size);
    void* const at = mmap(nullptr, out.size_, PROT_READ, MAP_PRIVATE, fileno(file.get()), 0);
    if (at != MAP_FAILED) {
      out.map_ = at;
      const std::string_view all(static_cast<const char*>(at), out.size_);
      out.view_ = all.substr(0, wanted(all.substr(0, head), all.size()));
      // All pages at once, not one fault each; only faster, so it may fail.
      madvise(at, out.view_.size(), MADV_POPULATE_READ);
      return out;
    }
  }
  ATTRIB_TRY(out.copy_, read_file(path));
  out.size_ = out.copy_.size();
  return out;
}

Result<std::string> read_file(const std::string& path) {
  const FilePointer file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return failed("open", path);
  std::string bytes;
  char buffer[1 << 16];
  std::size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) bytes.append(buffer, got);
  if (std::ferror(file.get()) != 0) return failed("read", path);
  return bytes;
}

Status write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = fmt::format("{}.tmp.{}", path, getpid());
  {
    FilePointer file(std::fopen(temporary.c_str(), "wb"));
    if (file == nullptr) return failed("create", temporary);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
    if (!written || std::fflush(file.get()) != 0) {
      const Error error = failed("write", temporary);
      file.reset();
      std::remove(temporary.c_str());
      return error;
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = failed("replace", path);
    std::remove(temporary.c_str());
    return error;
  }
  return Done{};
}

Status write_stdout(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
      std::fflush(stdout) != 0) {
    const Error error = failed("write", "standard output");
    std::clearerr(stdout);  // Told by the caller; ended() need not tell it again.
    return error;
  }
  return Done{};
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace attrib::cli
