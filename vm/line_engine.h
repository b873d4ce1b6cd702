#pragma once

// What a program's line extracts look for: the texts, which alternatives need them, and their
// compiled templates. The filter of the reader (line_filter.h) and the run that follows (match.h)
// ask the same tables, so what the one made or found need not be made or found again.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evidence/line_filter.h"
#include "program/program.h"
#include "vm/literal_scan.h"
#include "vm/matchers.h"

namespace attrib::vm {

class LineEngine {
 public:
  // `program` must outlive it. Costs nothing until it is first asked; then about a millisecond for
  // two thousand texts. `code` is for tests, benchmarks and `attrib-vm run --portable`.
  explicit LineEngine(const program::Program& program, LiteralScan::Code code = LiteralScan::Code::Best)
      : program_(program), code_(code), matchers_(program) {}

  using Reasons = evidence::LineFilter::Reasons;
  using Sorts = evidence::LineFilter::Sorts;
  struct User {  // An alternative whose first line holds a text.
    Candidate which;
    Reasons why = 0;           // What it would do with the line.
    model::SourceMask sources = 0;  // Whose lines it reads.
    bool tells_alone = false;  // Its first line matches in a line just when it matches in a part of it.
    Sorts sorts = 0;           // At most one.
    const std::vector<std::uint32_t>* apart_by = nullptr;  // alike.h; null: each of its matches counts.
  };

  // All texts that lie in `text`, by place; void at the next call. A text that JSON spells otherwise is
  // two of them.
  const std::vector<LiteralScan::Hit>& find(std::string_view text);
  // Those that need a found text; those that may match a line of any text.
  [[nodiscard]] const std::vector<User>& users(std::uint32_t text) const { return users_[text]; }
  [[nodiscard]] const std::vector<User>& everywhere() const { return users_.back(); }
  // What somebody who reads such sources would do with a line that holds the text.
  [[nodiscard]] Reasons why(std::uint32_t text, model::SourceMask speaks) const;
  // Whom the extract hears whose lines are of a sort, by its bit.
  [[nodiscard]] const std::vector<model::SourceMask>& sources() const { return sources_; }
  [[nodiscard]] std::uint32_t every() const { return static_cast<std::uint32_t>(users_.size() - 1); }

  // The alternatives that may match `text`, by extract and alternative.
  void candidates(std::string_view text, std::vector<Candidate>* out);

  Matchers& matchers() { return matchers_; }
  [[nodiscard]] const program::Program& program() const { return program_; }

  // An alternative that may match a line, or one whose first line does, with what it captures there.
  using Captures = std::vector<std::optional<model::Constant>>;
  struct Noted {
    Candidate which;
    bool matches = false;
    Captures captures;
  };
  // Keeps the candidates of a line, by extract and alternative, for the run, which finds them by the
  // number: from 1.
  std::uint32_t note(std::span<Noted> candidates);
  [[nodiscard]] std::span<Noted> noted(std::uint32_t number);

 private:
  void prepare();

  const program::Program& program_;
  LiteralScan::Code code_;
  Matchers matchers_;
  std::optional<LiteralScan> scan_;
  std::vector<Reasons> why_;              // Of texts that nobody alone needs: marks, next lines.
  std::vector<std::vector<User>> users_;  // By text; every() is behind them.
  std::vector<model::SourceMask> sources_;  // By sort.
  std::vector<std::optional<std::vector<std::uint32_t>>> apart_by_;  // By extract.
  std::vector<LiteralScan::Hit> found_;
  std::vector<Noted> notes_;
  std::vector<std::uint32_t> note_ends_;
};

}  // namespace attrib::vm
