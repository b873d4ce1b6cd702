#pragma once

#include <cstddef>
#include <string_view>

namespace attrib {

// As text.find(wanted, from), for texts about as long as a line of a log: what looks for the first byte alone, or
// prepares itself for each call, takes several times as long there.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from = 0);

}  // namespace attrib
