#include "tools/cli/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

// Appends up to `count` bytes, fewer only at the end of the file.
bool read_more(std::FILE* file, std::size_t count, std::string* bytes) {
  const std::size_t had = bytes->size();
  bytes->resize(had + count);
  bytes->resize(had + std::fread(bytes->data() + had, 1, count, file));
  return std::ferror(file) == 0;
}

}  // namespace

Result<Beginning> read_beginning(const std::string& path, std::size_t head,
                                 std::size_t (*wanted)(std::string_view, std::size_t)) {
  const FilePointer file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return failed("open", path);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  struct stat about {};
  if (fstat(fileno(file.get()), &about) != 0) return failed("read", path);
  Beginning out;
  if (!S_ISREG(about.st_mode)) {
    ATTRIB_TRY(out.bytes, read_file(path));
    out.size = out.bytes.size();
    return out;
  }
  out.size = static_cast<std::size_t>(about.st_size);
  out.bytes.reserve(head);
  if (!read_more(file.get(), std::min(head, out.size), &out.bytes)) return failed("read", path);
  const std::size_t all = wanted(out.bytes, out.size);
  const std::size_t more = all - std::min(all, out.bytes.size());
  out.bytes.reserve(all);
  if (!read_more(file.get(), more, &out.bytes)) return failed("read", path);
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
    return failed("write", "standard output");
  }
  return Done{};
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace attrib::cli
