#include "service/units.h"

#include <doctest/doctest.h>

namespace attrib::service {
namespace {

TEST_CASE("sizes are read with their unit, exactly") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("17") == 17);
  CHECK(parse_bytes("16MiB") == 16U << 20U);
  CHECK(parse_bytes("16 MiB") == 16U << 20U);
  CHECK(parse_bytes("2kB") == 2000);
  CHECK(parse_bytes("64GiB") == std::uint64_t{64} << 30U);
  for (const char* text : {"", "MiB", "-1", "+1", "1.5MiB", "1 MB ", "1mib", "1  MiB",
                           "99999999999TiB", "18446744073709551616", "1e3"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
}

TEST_CASE("durations are sums of parts with units; a number alone is none") {
  CHECK(parse_duration("30s") == 30'000'000'000);
  CHECK(parse_duration("1h30m") == 5'400'000'000'000);
  CHECK(parse_duration("30d") == std::uint64_t{30} * 86'400 * 1'000'000'000);
  CHECK(parse_duration("250ms") == 250'000'000);
  CHECK(parse_duration("0s") == 0);
  for (const char* text :
       {"", "30", "s", "30 s", "1h30", "-1s", "1.5h", "1w", "99999999999999d", "1H"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text).has_value());
  }
}

TEST_CASE("what is printed reads back as the same") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1023}, std::uint64_t{1024},
        std::uint64_t{1} << 40U, std::uint64_t{5'400'000'000'123}, ~std::uint64_t{0}}) {
    CHECK(parse_bytes(format_bytes(value)) == value);
    CHECK(parse_duration(format_duration(value)) == value);
  }
  CHECK(format_bytes(16U << 20U) == "16MiB");
  CHECK(format_duration(5'400'000'000'000) == "1h30m");
}

}  // namespace
}  // namespace attrib::service
