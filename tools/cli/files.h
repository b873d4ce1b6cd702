#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace attrib::cli {

// The whole file; the error names the path and says why.
Result<std::string> read_file(const std::string& path);
// The first bytes of a file: as many as `wanted` says when it is given the first `head` bytes and the
// file's size, at least those. Of what has no size, a pipe say, all.
struct Beginning {
  std::string bytes;
  std::size_t size = 0;  // Of the file.
};
Result<Beginning> read_beginning(const std::string& path, std::size_t head,
                                 std::size_t (*wanted)(std::string_view, std::size_t));
// Writes through a temporary file beside it, so that nobody sees half a file.
Status write_file(const std::string& path, std::string_view bytes);
// Standard output with the write checked (a full disk or a closed pipe is an error).
Status write_stdout(std::string_view bytes);

bool stdout_is_terminal();

}  // namespace attrib::cli
