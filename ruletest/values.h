#pragma once

// Values as test blocks write them: literals and bare words.

#include <optional>
#include <string>

#include "dsl/ast.h"
#include "verdict/verdict.h"

namespace attrib::ruletest {

// A literal (perhaps with a minus sign) or a word; nothing for any other expression.
std::optional<dsl::Literal> plain_value(const dsl::Expr& expr);

// As JSON or record text: 4, "NODE_FAIL" -> NODE_FAIL, 1.5.
std::string value_text(const dsl::Literal& value);

// Does the field have this value? Numbers compare exactly (a decimal field takes 1 and 1.0),
// entities by their name with or without the node before it, PCI addresses in any of their
// spellings.
bool has_value(const verdict::NamedField& field, const dsl::Expr& wanted);

// All of `wanted` among the fields; other fields do not matter.
bool have_values(const std::vector<verdict::NamedField>& fields, const dsl::PairList& wanted);

// { code: 149, link: 8 }
std::string fields_text(const std::vector<verdict::NamedField>& fields);

}  // namespace attrib::ruletest
