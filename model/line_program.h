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
    Begin,    // the text begins here: `^`
    End,      // it ends here: `$`
    Edge,     // a word begins or ends here: `\b`; if a is 0, none does: `\B`
    Done,
  };
  struct Instruction {
    Op op = Op::Done;
    bool firm = false;  // Run: what follows cannot begin with a byte of the class, so giving bytes
                        // back is useless.
    std::uint32_t a = 0, b = 0;
    std::uint32_t least = 0, most = 0;
    bool any_case = false;  // Text
    std::uint64_t bytes = 0, mask = 0;  // Text of at most eight bytes, not in any case: as they lie in memory.
  };
  using Class = std::array<std::uint64_t, 4>;  // A bit for each byte.
  using Members = std::array<bool, 256>;       // The same, quicker to ask.
  struct Walk;

  Outcome match_at(std::string_view text, std::size_t start, Walk* walk) const;
  [[nodiscard]] std::size_t skip_to(std::string_view text, const Instruction& run, std::size_t from,
                                    std::size_t longest, std::size_t* steps_left) const;
  [[nodiscard]] std::size_t last_start_like(std::string_view text, std::size_t start) const;
  [[nodiscard]] std::size_t next_start(std::string_view text, std::size_t from) const;

  std::vector<Instruction> code_;
  std::vector<std::string> texts_;
  std::vector<Class> classes_;
  std::vector<Members> members_;  // By class, of a program that is to be run.
  std::vector<std::string> names_;
  std::uint32_t groups_ = 0;  // Without the whole match.
  bool at_start_ = false;
};

}  // namespace attrib::model
