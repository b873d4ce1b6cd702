#pragma once

// Data files on disk.

#include <string>
#include <vector>

#include "compiler/check.h"

namespace attrib::compiler {

// Looks beside the rule file, then in each folder in order. A path that is absolute or climbs out
// with `..` is not read.
class DiskData : public DataFiles {
 public:
  explicit DiskData(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  [[nodiscard]] std::optional<Found> read(const std::string& path,
                                          const std::string& beside) const override;

 private:
  std::vector<std::string> folders_;
};

}  // namespace attrib::compiler
