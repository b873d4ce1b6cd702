#pragma once

// A line template: literal text with typed holes. docs/language.md, "Extraction", has the syntax and the rules.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "model/type.h"

namespace attrib::model {

enum class PartKind : std::uint8_t {
  Literal,        // `text`, byte for byte.
  Blank,          // One or more blanks or tabs (a run of blanks in the source).
  Hole,           // Captures into `capture`, read by `reader`.
  Skip,           // {_} or {_:reader}: matches as its reader, captures nothing.
  Rest,           // {...}: anything to the end of the line; last part, or followed by nothing but OptionalEnd.
  Gap,            // {..}: the shortest run of anything up to the next part.
  OptionalBegin,  // {? ... ?}; never nested.
  OptionalEnd,
};

struct TemplatePart {
  PartKind kind = PartKind::Literal;
  std::string text;           // Literal
  std::uint16_t capture = 0;  // Hole: index into Extract::captures
  Reader reader = Reader::Word;
};

struct LineTemplate {
  std::vector<TemplatePart> parts;
  bool at_start = false;  // `line start`: matches only at the start of the framed body.
  std::string regex;      // `regex "..."` instead of parts: RE2 syntax, named groups capture. Empty otherwise.
  Span span;
};

constexpr std::uint32_t kMaxWithinLines = 1000;

// One way an extract's record may look: a first line and perhaps next lines of the same stream.
struct Alternative {
  std::vector<LineTemplate> lines;  // At least one.
  std::uint32_t within_lines = 0;   // The next lines come within so many lines after the first; at most kMaxWithinLines.
  // A first line that holds none of these cannot match (required_literals.h). Empty only with a `slow` reason: any line
  // may match.
  std::vector<std::string> literals;
  bool any_case = false;  // The literals, which have no capitals, are looked for in any case.
  std::string slow_reason;
  Span span;
};

// The RE2 expression of one line. Group i+1 captures what hole order says; `captures` gets the capture index of
// each group. Built from hole_pattern() for each hole; at_start is left to the caller (anchored match). A `regex` line
// is returned as it is, with no captures: its groups have names, which LineMatcher (line_matcher.h) reads.
std::string to_regex(const LineTemplate& line, const std::vector<Type>& capture_types,
                     std::vector<std::uint16_t>* captures);

// The runs of literal text outside optional groups, in order: each match holds them so, none over another. Empty for a
// `regex`.
std::vector<std::string> required_words(const LineTemplate& line);

// The literals of the parts outside optional groups, longest first (ties: first in the line). Never spans a blank run.
std::string longest_literal(const LineTemplate& line);

// As written in rules, for dumps: `NVRM: Xid (PCI:{gpu}): {code}`.
std::string to_text(const LineTemplate& line, const std::vector<std::string>& capture_names);

}  // namespace attrib::model
