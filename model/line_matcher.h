#pragma once

// One line template, compiled. Linear in the text whatever the template; safe to share between
// threads.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"
#include "model/value.h"

namespace attrib::model {

class LineMatcher {
 public:
  // RE2's memory for one pattern: its program and the states it caches (docs/limits.md).
  static constexpr std::size_t kMaxMemory = 1U << 20U;

  // `names` are needed for `regex` lines only, whose groups have names.
  LineMatcher(const LineTemplate& line, const std::vector<std::string>& names,
              const std::vector<Type>& types, std::size_t max_memory = kMaxMemory);
  ~LineMatcher();
  LineMatcher(LineMatcher&&) noexcept;
  LineMatcher& operator=(LineMatcher&&) noexcept;

  // Why the template cannot be compiled (too large, or a `regex` that is none or names an unknown
  // capture); empty if it can.
  [[nodiscard]] const std::string& error() const { return error_; }

  // Does `text` match? Sets what the line's holes captured and leaves the other captures alone;
  // `captures` has one place for each of `types`. A failed match changes nothing.
  bool match(std::string_view text, std::vector<std::optional<Constant>>* captures) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string error_;
};

}  // namespace attrib::model
