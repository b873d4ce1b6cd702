#pragma once

// By which of its bytes a search for many literals finds each (vm/literal_scan.h), and what that
// costs: the compiler's choice of literals rests on it.

#include <cstddef>
#include <string_view>

namespace attrib::model {

// The search looks at the words of kGramBytes that stand at multiples of kSearchStride: wherever a
// literal lies, one of the words of its window does. A shorter one costs a pass over the log.
constexpr std::size_t kSearchStride = 4;
constexpr std::size_t kGramBytes = 4;
constexpr std::size_t kMinFilterLiteral = kSearchStride + kGramBytes - 1;

struct SearchWindow {
  std::size_t at = 0;      // Where the first word begins in the literal.
  double candidates = 0;   // Words looked up in vain, for each byte of an ordinary log.
};
// The window of `literal`, of kMinFilterLiteral bytes at least, whose words are rarest in ordinary
// logs, with their case or, if `any_case`, without (and then `literal` has no capitals). The first
// call takes some tenths of a millisecond, the others less than a microsecond.
SearchWindow rarest_window(std::string_view literal, bool any_case = false);

// What a filter pays for the search of one literal, in lines looked at in vain for each byte of an
// ordinary log; each line that holds it comes on top.
double search_cost(std::string_view literal, bool any_case = false);

}  // namespace attrib::model
