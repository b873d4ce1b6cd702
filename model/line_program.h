#pragma once

// A line template's expression as a small program for a matcher that walks the text directly.
//
// RE2 spends microseconds on the captures of one line; the shapes that templates have (literals,
// runs of characters of a class, gaps up to a literal) need a fraction of that. The program takes
// the subset of RE2's syntax that to_regex() and reader.def write: literals, classes, groups, `|`,
// `* + ? {m,n}` and their lazy forms, and of a `regex` also `(?i)`, `(?i:...)`, `\d`, `\s`, `\w`, `^`,
// `$`, `\b`, `\B` and groups that come some fixed number of times.
// Text is bytes (RE2's Latin1): letters beyond ASCII are left to RE2 where case is ignored. It finds what RE2 finds, leftmost and by the same
// preferences; where going back would take long it gives up, and the caller asks RE2, which is
// linear whatever the template.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/rarity.h"

namespace attrib::model {

class LineProgram {
 public:
  enum class Outcome : std::uint8_t { No, Yes, GaveUp };
  using Group = std::optional<std::string_view>;

  // Empty for an expression outside the subset, or one whose program would be long.
  static std::optional<LineProgram> compile(std::string_view expression, bool at_start);

  // On Yes `groups` holds the text of each group, by its number from 1 (entry 0 is the whole
  // match). Thread-safe. At most a bounded number of steps for each byte of `text`.
  Outcome match(std::string_view text, std::vector<Group>* groups) const;
  // The same, where each group begins and ends, npos for one that the match has not: of group g the
  // places 2 g and 2 g + 1. Void at the thread's next call. `one_line`: it is known that `text` has no line
  // feed and no carriage return.
  Outcome find(std::string_view text, bool one_line, std::span<const std::size_t>* places) const;

  // A text that each match holds and that is looked for first; empty if there is none.
  [[nodiscard]] std::string_view sought() const;

  // The names of the groups, by number from 1; empty for one without.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  // Sets of texts: each match of the expression, which RE2 accepts, holds a text of each set, those
  // of `any_case` in any case (and they have no capitals). More of the syntax is read than compile()
  // takes: repeated groups, more classes. Costs microseconds.
  struct Required {
    std::vector<std::string> texts;
    bool any_case = false;
  };
  // Of a choice the rarest texts of each branch, by `rarity`.
  static std::vector<Required> required_texts(std::string_view expression, Rarity rarity);

  // True only if each match holds one of `literals`, however the texts of branches are chosen.
  static bool requires_one_of(std::string_view expression,
                              const std::vector<std::string>& literals, bool any_case);

 private:
  friend class LineProgramCompiler;
  friend class LineProgramPreparation;
  friend class RequiredWalk;
  // A program that takes at least what the expression does, to be looked at and not to be run.
  static std::optional<LineProgram> outline(std::string_view expression);
  enum class Op : std::uint8_t {
    Text,     // the bytes of texts_[a], in any case or as they are
    Run,      // greedy: at least `least` and at most `most` of class a
    LazyRun,  // the same, as few as possible; b - 1 is the text that follows, if b is not 0
    Split,    // first a, then b
    Jump,     // a
    Save,     // position a
    Hole,     // position a, the Run that follows and position b, and then past all three
    Begin,    // the text begins here: `^`
    End,      // it ends here: `$`
    Edge,     // a word begins or ends here: `\b`; if a is 0, none does: `\B`
    Done,
  };
  // All bytes but those by which lines end.
  enum class Gap : std::uint8_t { No, AllButLineEnd, AllButLineEnds };
  struct Instruction {
    Op op = Op::Done;
    bool firm = false;  // Run: what follows cannot begin with a byte of the class, so giving bytes
                        // back is useless.
    std::uint32_t a = 0, b = 0;
    std::uint32_t least = 0, most = 0;  // Text: `least` is its size.
    bool any_case = false;  // Text
    std::uint64_t bytes = 0, mask = 0;  // Text of at most eight bytes, not in any case: as they lie in memory.
    Gap gap = Gap::No;  // Of a run's class.
    bool is_blanks = false;  // A Run of one blank or more.
    // Class with which must begin: what a and what b of a Split lead to; what follows a run. 0: nobody
    // knows, else its index + 1.
    std::uint32_t first_a = 0, first_b = 0;
    // Of a Text that others follow, with blanks between: all of them with one blank each, by index + 1,
    // and the instruction behind.
    std::uint32_t phrase = 0, behind = 0;
  };
  using Class = std::array<std::uint64_t, 4>;  // A bit for each byte.
  using Members = std::array<bool, 256>;       // The same, quicker to ask.
  std::uint32_t class_index(const Class& set);
  void prepare_to_run();

  struct Walk;
  [[nodiscard]] bool may_begin(std::uint32_t first, std::string_view text, std::size_t at) const {
    return first == 0 || at >= text.size() ||
           members_[first - 1][static_cast<unsigned char>(text[at])];
  }

  Outcome match_at(std::string_view text, std::size_t start, Walk* walk) const;
  [[nodiscard]] std::size_t end_of_run(std::string_view text, std::uint32_t pc, std::size_t at, Walk* walk) const;
  [[nodiscard]] std::size_t skip_to(std::string_view text, const Instruction& run, std::size_t from,
                                    std::size_t longest, Walk* walk) const;
  [[nodiscard]] std::size_t last_start_like(std::string_view text, std::size_t start) const;
  [[nodiscard]] std::size_t next_start(std::string_view text, std::size_t from) const;

  std::vector<Instruction> code_;
  std::vector<std::string> texts_;
  std::vector<Class> classes_;
  std::vector<Members> members_;  // By class, of a program that is to be run.
  std::vector<std::string> names_;
  std::uint32_t groups_ = 0;  // Without the whole match.
  bool at_start_ = false;
  // What a match begins with: texts and runs, read from either side the same way, up to a text.
  std::vector<std::uint32_t> lead_;
  std::size_t least_lead_ = 0;  // Bytes in front of that text.
};

}  // namespace attrib::model
