#pragma once

// Where in a log lines of one rank may be, found by the number in their label: most of a log is
// passed over at the speed of a search for one byte.

#include <cstddef>
#include <string>
#include <string_view>

#include "evidence/draft.h"

namespace attrib::evidence {

class LabelPlaces {
 public:
  // Of lines in `text`, which begins where a line does. `stream` has a rank or a label, which its
  // lines tell themselves.
  LabelPlaces(std::string_view text, const StreamKey& stream);

  // The first place at `from` or behind, and the last one before `to`: each line that glimpse()
  // finds to be of the rank holds one. Others may too. npos: there is none.
  std::size_t next(std::size_t from);
  std::size_t last(std::size_t to);

 private:
  [[nodiscard]] bool is_label(std::size_t at) const;
  [[nodiscard]] bool begins_object(std::size_t at) const;

  std::string_view text_;
  std::string number_;
  char behind_;  // What a label has behind its number.
  // The nearest of what may hide a label, as far as it is known.
  std::size_t escape_, object_;
  bool known_ = false;
};

}  // namespace attrib::evidence
