#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace attrib::cli {

// The whole file; the error names the path and says why.
Result<std::string> read_file(const std::string& path);
// The first bytes of a file, mapped: as many as `wanted` says when it is given the first `head` bytes
// and the file's size. Of what cannot be mapped, a pipe say, all is read. A file that is cut short by
// someone else while it is mapped ends the process; write_file() never does that to a reader.
class Beginning {
 public:
  Beginning() = default;
  Beginning(Beginning&& other) noexcept { *this = std::move(other); }
  Beginning& operator=(Beginning&& other) noexcept;
  ~Beginning();
  [[nodiscard]] std::string_view bytes() const { return map_ != nullptr ? view_ : copy_; }
  [[nodiscard]] std::size_t size() const { return size_; }  // Of the whole file.

 private:
  friend Result<Beginning> read_beginning(const std::string& path, std::size_t head,
                                          std::size_t (*wanted)(std::string_view, std::size_t));
  std::size_t size_ = 0;
  void* map_ = nullptr;  // Of size_ bytes.
  std::string_view view_;
  std::string copy_;
};
Result<Beginning> read_beginning(const std::string& path, std::size_t head,
                                 std::size_t (*wanted)(std::string_view, std::size_t));
// Writes through a temporary file beside it, so that nobody sees half a file.
Status write_file(const std::string& path, std::string_view bytes);
// Standard output with the write checked (a full disk or a closed pipe is an error).
Status write_stdout(std::string_view bytes);

bool stdout_is_terminal();

}  // namespace attrib::cli
