#include "tools/cli/files.h"

#include <fmt/format.h>
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
