#pragma once

// Keeps a second process (or a second Store in this one) off a store's file.

#include <memory>
#include <string>

#include "base/result.h"

namespace attrib::store {

class LockFile {
 public:
  // Makes and locks `path`; an Error names the process that holds it. The file stays when the lock
  // is gone: to remove it would let two processes lock two files of one name.
  static Result<std::unique_ptr<LockFile>> take(const std::string& path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  explicit LockFile(int file) : file_(file) {}
  int file_;
};

}  // namespace attrib::store
