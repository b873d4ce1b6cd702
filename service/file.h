#pragma once

// Small files that attribd reads again while it runs, and how it sees that one was changed.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace attrib::service {

// Differs as soon as the file was replaced, written to, or given other permissions.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t modified = 0, changed = 0;  // Nanoseconds.
  mode_t mode = 0;
  bool operator==(const FileStamp&) const = default;
};
std::optional<FileStamp> stamp_of(const std::string& path);  // Nothing: it cannot be looked at.

struct FileText {
  std::string text;
  FileStamp stamp;  // From before the first byte was read: a change while reading is seen later.
};
// A regular file of at most `most` bytes, whole. The Error begins with the path.
Result<FileText> read_file(const std::string& path, std::size_t most);

}  // namespace attrib::service
