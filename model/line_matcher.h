#pragma once

// One line template, compiled: a LineProgram where the template allows it, else RE2, which also
// answers where the program gives up. Linear in the text whatever the template; safe to share
// between threads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"
#include "model/value.h"

namespace attrib::model {

class LineMatcher {
 public:
  // RE2's memory for one pattern: its program and the states it caches (docs/limits.md). A
  // template that has a LineProgram needs none until that gives up.
  static constexpr std::size_t kMaxMemory = 1U << 20U;

  // `names` are needed for `regex` lines only, whose groups have names.
  enum class Engine : std::uint8_t { Best, Re2Only };  // For tests.
  // `known`: mostly, a text that is matched holds one of these.
  LineMatcher(const LineTemplate& line, const std::vector<std::string>& names,
              const std::vector<Type>& types, std::size_t max_memory = kMaxMemory,
              Engine engine = Engine::Best, const std::vector<std::string>& known = {});
  ~LineMatcher();
  LineMatcher(LineMatcher&&) noexcept;
  LineMatcher& operator=(LineMatcher&&) noexcept;

  [[nodiscard]] bool has_program() const;

  // Why the template cannot be compiled (too large, or a `regex` that is none or names an unknown
  // capture); empty if it can.
  [[nodiscard]] const std::string& error() const { return error_; }

  // Does `text` match? Sets what the line's holes captured and leaves the other captures alone;
  // `captures` has one place for each of `types`. A failed match changes nothing.
  bool match(std::string_view text, std::vector<std::optional<Constant>>* captures) const;

  // The same in two steps, the second only for who wants to know. Where in a text (of less than 4 GB) a
  // hole's part lies:
  struct Piece {
    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
    std::uint32_t begin = kNone, size = 0;  // Of an optional part that the line does not have: kNone.
  };
  // Of a match, at the end of `pieces`, those that read() wants, as many for each match. `begin`, if
  // given: where the match begins; npos where that was not looked for. `one_line`: it is known that `text`
  // has no line feed and no carriage return.
  bool find(std::string_view text, std::vector<Piece>* pieces, std::size_t* begin = nullptr,
            bool one_line = false) const;
  // `text` is the one that find() saw, or the part of it that `pieces` were moved to.
  void read(std::string_view text, std::span<const Piece> pieces,
            std::vector<std::optional<Constant>>* captures) const;
  [[nodiscard]] std::size_t pieces() const;

 private:
  // As LineProgram::find().
  bool match_regex(std::string_view text, std::span<const std::size_t>* places) const;

  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string error_;
};

}  // namespace attrib::model
