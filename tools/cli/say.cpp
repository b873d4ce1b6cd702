#include "tools/cli/say.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/cli/exit_code.h"

namespace attrib::cli {

Status write_stderr(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stderr) != bytes.size() ||
      std::fflush(stderr) != 0) {
    return Error{fmt::format("cannot write to standard error: {}", std::strerror(errno))};
  }
  return Done{};
}

// The stream remembers that a write failed.
void write_stdout_later(std::string_view bytes) {
  static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), stdout));
}

int ended(std::string_view program, int code) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return code;
  tell("{}: cannot write to standard output{}{}\n", program, errno == 0 ? "" : ": ",
       errno == 0 ? "" : std::strerror(errno));
  return code == kDone || code == kIncomplete ? static_cast<int>(kRefused) : code;
}

}  // namespace attrib::cli
