#include "verdict/verdict.h"

#include <array>

namespace attrib::verdict {

std::string_view to_text(SymptomState state) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"root", "demoted", "unexplained", "late", "survived", "history", "note"});
  return kWords[static_cast<std::size_t>(state)];
}

}  // namespace attrib::verdict
