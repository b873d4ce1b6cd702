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
#include "vm/early_where.h"
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
  static constexpr std::uint32_t kUntried = static_cast<std::uint32_t>(-1);
  struct User {  // An alternative whose first line holds a text.
    Candidate which;
    std::uint32_t number = 0;  // Of it among all.
    Reasons why = 0;           // What it would do with the line.
    model::SourceMask sources = 0;  // Whose lines it reads.
    bool tells_alone = false;  // Its first line matches in a line just when it matches in a part of it.
    Sorts sorts = 0;           // At most one.
    const std::vector<std::uint32_t>* apart_by = nullptr;  // alike.h; null: each of its matches counts.
    const EarlyWhere* where = nullptr;  // Of one whose matches count each for itself, or null.
  };

  // Makes what all below needs, if it is not there. find() and candidates() do so themselves.
  void prepare();
  // All texts that lie in `text`; void at the next call. A text that JSON spells otherwise is two of
  // them.
  const std::vector<LiteralScan::Hit>& find(std::string_view text);
  // The same, behind prepare(), on any number of threads.
  void search(std::string_view text, std::vector<LiteralScan::Hit>* found) const { scan_->scan(text, found); }
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

  // Keeps for the run, which finds it by the number from 1, what is known of a kept line: the
  // alternatives that may match it, by extract and alternative, and of those whose first line does
  // where the parts of its holes lie.
  using Piece = model::LineMatcher::Piece;
  struct Noted {
    Candidate which;
    std::uint32_t found = kUntried;  // The first of its pieces.
    [[nodiscard]] bool matches() const { return found != kUntried; }
  };
  std::uint32_t note(std::span<const Noted> candidates, std::span<const Piece> pieces);
  [[nodiscard]] std::span<const Noted> noted(std::uint32_t number) const;
  // And their memory with them: another run comes.
  void forget_notes() noexcept;
  [[nodiscard]] std::span<const Piece> pieces(const Noted& match) {
    return std::span(pieces_).subspan(match.found, matchers_.get(match.which, 0).pieces());
  }

 private:
  const program::Program& program_;
  LiteralScan::Code code_;
  Matchers matchers_;
  std::optional<LiteralScan> scan_;
  std::vector<Reasons> why_;              // Of texts that nobody alone needs: marks, next lines.
  std::vector<std::vector<User>> users_;  // By text; every() is behind them.
  std::vector<model::SourceMask> sources_;  // By sort.
  std::vector<std::optional<std::vector<std::uint32_t>>> apart_by_;  // By extract.
  std::vector<std::optional<EarlyWhere>> wheres_;                    // By extract.
  std::vector<LiteralScan::Hit> found_;
  std::vector<Noted> notes_;
  std::vector<std::uint32_t> note_ends_;
  std::vector<Piece> pieces_;  // Of the matches among the notes.
};

}  // namespace attrib::vm
