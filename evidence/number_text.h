#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace attrib::evidence {

// "7.3e+08", "-1.5", "100": the number in millionths, saturating, what is finer dropped. No float
// on the way, so that it is the same everywhere. None when the text is not a number (NaN and
// infinities are not).
std::optional<std::int64_t> read_millionths(std::string_view text);

// A whole number of 64 bits with sign; none when it is not, or out of range.
std::optional<std::int64_t> read_integer(std::string_view text);

}  // namespace attrib::evidence
