#pragma once

// Tables: columns, rows in place and from CSV, and the proof of their `match`.

#include "compiler/context.h"

namespace attrib::compiler {

// Fill Module::tables and Context::tables, in name order.
void check_tables(Context& context);

// A ternary key: 32 characters of 0, 1 and - (bit 31 first), or 0xMASK/0xVALUE.
std::optional<model::KeyCell> parse_ternary(std::string_view text);

// ternary.cpp: reports every two rows of a `match unique` table that accept a common key, and every
// row of a `match first` table that an earlier one covers. `places` are the rows' spans.
void prove_rows(Context& context, const model::Table& table, const std::vector<Span>& places);

}  // namespace attrib::compiler
