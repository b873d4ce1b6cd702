#pragma once

// What the searches for literals are asked for and what they find.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/any_case.h"

namespace attrib::vm {

struct LiteralHit {
  std::size_t at = 0;         // Where it begins in the buffer.
  std::uint32_t literal = 0;  // Index.
};

// A literal, and the index by which hits name it.
struct IndexedText {
  model::SearchText text;
  std::uint32_t literal = 0;
};

inline bool begins_with(std::string_view text, const model::SearchText& literal) {
  if (!literal.any_case) return text.starts_with(literal.text);
  return text.size() >= literal.text.size() && model::equal_any_case(text.data(), literal.text);
}

}  // namespace attrib::vm
