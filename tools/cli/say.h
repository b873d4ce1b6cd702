#pragma once

// What programs print. A full disk or a closed pipe must end them with an exit code, not by an exception: a failed write is
// remembered until ended() makes an exit code of it.

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/result.h"

namespace attrib::cli {

// Standard error, at once. An Error is for who must know that it was seen.
Status write_stderr(std::string_view bytes);
void write_stdout_later(std::string_view bytes);  // Standard output, buffered.

// Standard error; what cannot be told is lost.
template <typename... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  static_cast<void>(write_stderr(fmt::format(format, std::forward<Args>(args)...)));
}

// Standard output.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_stdout_later(fmt::format(format, std::forward<Args>(args)...));
}

// The exit code of a program that would end with `code`: kRefused, with a word why, if some of its standard output was lost.
int ended(std::string_view program, int code);

}  // namespace attrib::cli
