#pragma once

// Constants outside expressions: table cells, sample objects, `gives`.

#include <optional>

#include "compiler/context.h"

namespace attrib::compiler {

// The literal, word or signed number `e` is; nothing if it is anything else. A word or dotted name
// gives a String.
std::optional<model::Constant> literal_value(const dsl::Expr& e);

// `value` as a value of `type`, or nothing if it is none: words are checked, numbers have their
// range, a number may stand for a decimal, a text or number may name an entity.
std::optional<model::Constant> fit_constant(const model::Type& type, const model::Constant& value);

// `text` of a data file as a value of `type`. Numbers may be decimal or hexadecimal with 0x.
std::optional<model::Constant> read_cell(const model::Type& type, std::string_view text);

}  // namespace attrib::compiler
