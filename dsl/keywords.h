#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attrib::dsl {

bool is_declaration_keyword(std::string_view word);
// The clause words of a declaration ("demote": param, cause, ...), in the order of
// docs/language.md; empty if it has none.
std::span<const std::string> clause_words(std::string_view declaration);

}  // namespace attrib::dsl
