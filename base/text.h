#pragma once

// Small text helpers that several rooms need.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attrib {

// The candidate nearest to `name` by edit distance (transpositions count one), if near enough to be a slip of the
// keyboard; for "did you mean". Ties go to the first in order.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);

// `bytes` as valid UTF-8: each byte that belongs to no valid sequence becomes `\xFF`-style text.
// Adds the number of escaped bytes to `*escaped` if given.
std::string escape_invalid_utf8(std::string_view bytes, std::size_t* escaped = nullptr);

// "9m55s", "1h02m", "250ms", "1.4s": a length of time for people, from nanoseconds.
std::string human_duration(long long nanoseconds);

}  // namespace attrib
