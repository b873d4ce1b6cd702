#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace attrib::evidence {

struct NumberedLine {
  std::string_view text;  // Without its line end ("\n" or "\r\n").
  std::uint64_t number = 1;
  bool ended = true;  // False: the last line, and no line end came.
};

class LineSplitter {
 public:
  explicit LineSplitter(std::string_view text) : text_(text) {}
  std::optional<NumberedLine> next();

 private:
  std::string_view text_;
  std::uint64_t number_ = 0;
};

// Line numbers of offsets that only go up.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text, std::uint64_t first = 1)
      : text_(text), line_(first) {}
  std::uint64_t line_of(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_;
};

// Without the line end ("\n" or "\r\n"; a last "\r" too) that it may have.
std::string_view without_end(std::string_view text);

// Of the last '\n', or npos: std::string_view's own search goes byte by byte.
std::size_t last_line_end(std::string_view text);

std::string_view trimmed_blanks(
    std::string_view text);  // Without blanks, tabs and line ends around it.

}  // namespace attrib::evidence
