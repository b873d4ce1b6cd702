#pragma once

// A backtracking matcher for line templates: no automaton, no literal search, no RE2. Every way to
// match is tried in the order Perl would, so the first that works is the answer.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/line_template.h"
#include "model/value.h"

namespace attrib::reference {

using Captures = std::vector<std::optional<model::Constant>>;

// Does `text` match `line`? Captures are added to `captures` (one place for each of `types`) only
// then.
bool match_line(const model::LineTemplate& line, const std::vector<std::string>& names,
                const std::vector<model::Type>& types, std::string_view text, Captures& captures);

}  // namespace attrib::reference
