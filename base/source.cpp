#include "base/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace attrib {

SourceId SourceMap::add(std::string path, std::string text) {
  Text entry{std::move(path), std::move(text), {0}};
  for (std::uint32_t i = 0; i < entry.bytes.size(); ++i) {
    if (entry.bytes[i] == '\n') entry.line_starts.push_back(i + 1);
  }
  texts_.push_back(std::move(entry));
  return SourceId{static_cast<std::uint32_t>(texts_.size() - 1)};
}

const std::string& SourceMap::path(SourceId id) const {
  ATTRIB_CHECK(id.value < texts_.size(), "unknown source");
  return texts_[id.value].path;
}

std::string_view SourceMap::text(SourceId id) const {
  ATTRIB_CHECK(id.value < texts_.size(), "unknown source");
  return texts_[id.value].bytes;
}

std::string_view SourceMap::text(const Span& span) const {
  const std::string_view all = text(span.source);
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, all.size());
  return all.substr(begin, end - begin);
}

LineColumn SourceMap::line_column(SourceId id, std::uint32_t offset) const {
  ATTRIB_CHECK(id.value < texts_.size(), "unknown source");
  const auto& starts = texts_[id.value].line_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts.begin());
  return {line, offset - starts[line - 1] + 1};
}

std::string_view SourceMap::line_at(SourceId id, std::uint32_t offset) const {
  const auto& entry = texts_[id.value];
  const std::uint32_t begin = entry.line_starts[line_column(id, offset).line - 1];
  const std::string_view rest = std::string_view(entry.bytes).substr(begin);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string SourceMap::place(const Span& span) const {
  const auto [line, column] = line_column(span.source, span.begin);
  return fmt::format("{}:{}:{}", path(span.source), line, column);
}

}  // namespace attrib
