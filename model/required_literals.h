#pragma once

// What a line must hold to match a template: the filter's question to a whole log.

#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"
#include "model/rarity.h"
#include "model/search_window.h"

namespace attrib::model {

constexpr std::size_t kMaxFilterLiteral = 128;  // Bytes of one.
constexpr std::size_t kMaxFilterLiterals = 64;  // Of one template.

struct RequiredLiterals {
  // A line that holds none of these cannot match. Sorted, each once. Empty: any line may match.
  std::vector<std::string> any_of;
  bool any_case = false;  // It holds one in any case; they have no capitals.
  double cost = 1;  // For a filter, of all together: expected hits and search_cost().
};

// All sets of literals worth a choice, the cheapest for a filter first. Of a template each run of
// words outside its optional parts gives some: with one blank between the words and perhaps the
// blanks around them. A blank of a template also matches a longer run or a tab, so a set holds, for
// each blank, what stands in front of it when it is the first that is longer. Of a `regex` the
// texts that no way through it avoids, in any case where it says `(?i)`, if it keeps to the syntax
// that LineProgram reads; else nothing. `rarity` is one of rarity.h. Costs tens of microseconds: for compilers, not for the load
// of a program.
std::vector<RequiredLiterals> literal_choices(const LineTemplate& line,
                                              Rarity rarity = expected_hits);

// The first of them; `any_of` is empty if there is none.
RequiredLiterals required_literals(const LineTemplate& line, Rarity rarity = expected_hits);

// A set without short texts (kMinFilterLiteral), made with less work than a good one: for lines that
// are looked for behind others only, when a program is prepared. Empty if there is none.
RequiredLiterals long_literals(const LineTemplate& line);

// True only if each line that matches holds one of `literals`: the proof that a program's choice
// is sound, in about a microsecond. Whatever literal_choices() gives is proved.
bool requires_one_of(const LineTemplate& line, const std::vector<std::string>& literals,
                     bool any_case = false);

}  // namespace attrib::model
