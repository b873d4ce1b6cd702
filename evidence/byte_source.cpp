#include "evidence/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace attrib::evidence {
namespace {

Error failed(const std::string& path, int code) { return Error{path + ": " + std::strerror(code)}; }

class FileSource : public ByteSource {
 public:
  FileSource(std::string path, int descriptor) : path_(std::move(path)), file_(descriptor) {}
  ~FileSource() override {
    if (file_ != STDIN_FILENO) close(file_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<std::size_t> read(char* into, std::size_t most) override {
    while (true) {
      const ssize_t got = ::read(file_, into, most);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return failed(path_, errno);
    }
  }

 private:
  std::string path_;
  int file_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  Result<std::size_t> read(char* into, std::size_t most) override {
    const std::size_t n = std::min(most, bytes_.size());
    std::memcpy(into, bytes_.data(), n);
    bytes_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  const int file = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  return decompressed(std::make_unique<FileSource>(path, file), path);
}

Result<std::string> read_all(ByteSource* source, std::size_t limit, const std::string& name) {
  constexpr std::size_t kChunk = std::size_t{1} << 18U;
  std::string out;
  while (true) {
    const std::size_t size = out.size();
    out.resize(size + kChunk);
    ATTRIB_TRY(const std::size_t got, source->read(out.data() + size, kChunk));
    out.resize(size + got);
    if (got == 0) return out;
    if (out.size() > limit)
      return Error{fmt::format("{}: more than {} bytes when decompressed", name, limit)};
  }
}

}  // namespace attrib::evidence
