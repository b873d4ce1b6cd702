#include "evidence/lines.h"

#include <cstring>

#include <algorithm>

namespace attrib::evidence {

std::optional<NumberedLine> LineSplitter::next() {
  if (text_.empty()) return std::nullopt;
  NumberedLine line;
  line.number = ++number_;
  const std::size_t end = text_.find('\n');
  line.ended = end != std::string_view::npos;
  line.text = text_.substr(0, end);
  text_.remove_prefix(line.ended ? end + 1 : text_.size());
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  return line;
}

std::uint64_t LineCounter::line_of(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset > at_) {
    const auto passed = text_.substr(at_, offset - at_);
    line_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
    at_ = offset;
  }
  return line_;
}

std::string_view without_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::size_t last_line_end(std::string_view text) {
  const auto* const found =
      text.empty() ? nullptr : static_cast<const char*>(::memrchr(text.data(), '\n', text.size()));
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(found - text.data());
}

std::string_view trimmed_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace attrib::evidence
