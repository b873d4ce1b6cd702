#pragma once

// Source texts and places in them. Every syntax node, typed node and instruction carries a Span.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace attrib {

// Index of a text in a SourceMap.
struct SourceId {
  std::uint32_t value = 0;
  friend bool operator==(SourceId, SourceId) = default;
  friend auto operator<=>(SourceId, SourceId) = default;
};

// Half-open byte range [begin, end) in one source text.
struct Span {
  SourceId source;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

struct LineColumn {
  std::uint32_t line = 1;    // From 1.
  std::uint32_t column = 1;  // From 1, in bytes.
};

// Owns the texts. Ids are given in order of adding; a text never changes or moves once added.
class SourceMap {
 public:
  SourceId add(std::string path, std::string text);

  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] const std::string& path(SourceId id) const;
  [[nodiscard]] std::string_view text(SourceId id) const;
  [[nodiscard]] std::string_view text(const Span& span) const;
  [[nodiscard]] LineColumn line_column(SourceId id, std::uint32_t offset) const;
  // The line that holds `offset`, without its line end.
  [[nodiscard]] std::string_view line_at(SourceId id, std::uint32_t offset) const;
  // "path:line:column" of the span's begin.
  [[nodiscard]] std::string place(const Span& span) const;

 private:
  struct Text {
    std::string path;
    std::string bytes;
    std::vector<std::uint32_t> line_starts;
  };
  std::deque<Text> texts_;  // A deque: a short text lives inside its string, which a vector would move.
};

}  // namespace attrib
