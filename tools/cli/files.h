#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace attrib::cli {

// The whole file; the error names the path and says why.
Result<std::string> read_file(const std::string& path);
// Writes through a temporary file beside it, so that nobody sees half a file.
Status write_file(const std::string& path, std::string_view bytes);
// Standard output with the write checked (a full disk or a closed pipe is an error).
Status write_stdout(std::string_view bytes);

bool stdout_is_terminal();

}  // namespace attrib::cli
