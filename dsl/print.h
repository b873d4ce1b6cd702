#pragma once

#include <string>

#include "dsl/ast.h"

namespace attrib::dsl {

// The tree as text, one declaration after the other, in a fixed form that parses back to an equal
// tree. For `rulec build --emit=ast` and golden tests.
std::string print(const File& file);
std::string print(const Expr& expr);
std::string print_expectation(const Expectation& expect);  // Without the word `expect`.

}  // namespace attrib::dsl
