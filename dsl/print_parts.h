#pragma once

// Pieces that the printer's files share.

#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast.h"

namespace attrib::dsl {

std::string quoted(std::string_view value);  // "text" with its escapes
std::string duration_text(
    std::int64_t nanoseconds);           // 600s, 250ms: the largest unit of s, ms, us, ns that fits
std::string key_text(const Name& name);  // As written, in quotes unless it is a word.
std::string names_text(const std::vector<Name>& names, std::string_view between);
std::string variable_text(const VariableDecl& variable);
std::string operand_text(const Expr& expr);        // Where a sum may stand, but no weaker operator.
std::string range_text(const RangeClause& range);  // A..B
std::string object_text(const PairList& object);   // { a: 1, b: "x" }
std::string print_test(const TestDecl& test);

}  // namespace attrib::dsl
