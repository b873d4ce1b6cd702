#pragma once

// How many lines of ordinary logs hold a text, from the shapes that such lines have.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attrib::model {

// Calls `each` with the weight and the text of each shape of a line, in which bytes stand for holes:
// is_hole().
void for_each_ordinary_line(const std::function<void(double, std::string_view)>& each);
inline bool is_hole(char c) { return c == '\1' || c == '\2'; }

// The texts of model/ordinary_lines.inc with an index of all their suffixes, which takes some
// milliseconds to make: for the compiler, not for the start of a run.
class OrdinaryLines {
 public:
  // Made when first asked for. In any case: all letters are small, and those of `text` must be.
  static const OrdinaryLines& get(bool any_case);

  // The share of the lines, 0 to 1, that hold `text`, about: a line that holds it twice counts
  // twice. What stands in a hole is not known, but for a digit at its ends.
  [[nodiscard]] double share(std::string_view text) const;

 private:
  explicit OrdinaryLines(bool any_case);

  [[nodiscard]] std::string_view at(std::uint32_t i) const;
  [[nodiscard]] double weight_of(std::string_view text) const;

  std::string texts_;
  std::vector<std::uint32_t> suffixes_;  // Places in texts_, sorted by the text from there on.
  std::vector<double> weight_before_;    // Of all suffixes before one, and of all.
  double lines_ = 0;                     // The weight of all.
};

}  // namespace attrib::model
