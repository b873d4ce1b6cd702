#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attrib::dsl {

struct ClauseRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The clause of a block that is to blame for an error at `offset`: from the line that starts it to
// the next line that starts one, or to the end of the block. A line starts a clause with one of
// `words`, with `|` (a table row), or by holding the error as its first token. Nothing when the
// block is written on one line or the clause's braces do not balance: leaving it out would make
// errors of its own.
std::optional<ClauseRange> find_clause(std::string_view text, std::size_t offset,
                                       std::span<const std::string> words);

}  // namespace attrib::dsl
