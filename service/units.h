#pragma once

// Sizes and durations as people write them in settings: "16MiB", "30s", "1h30m".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attrib::service {

// Bytes: a whole number and B, KiB, MiB, GiB, TiB (1024) or kB, MB, GB, TB (1000); alone it is bytes.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);  // Exact, in the largest unit that is.

// Nanoseconds: whole numbers with ns, us, ms, s, m, h, d, added up. A number alone is none: of what?
std::optional<std::uint64_t> parse_duration(std::string_view text);
std::string format_duration(std::uint64_t nanoseconds);  // Exact, as "1h30m".

std::optional<std::uint64_t> parse_count(std::string_view text);

}  // namespace attrib::service
