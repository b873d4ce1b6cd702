#include "evidence/number_text.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace attrib::evidence {
namespace {

TEST_CASE("numbers become millionths without a float on the way") {
  CHECK(read_millionths("1") == 1'000'000);
  CHECK(read_millionths("7.3e+08") == 730'000'000'000'000);
  CHECK(read_millionths("-0.5") == -500'000);
  CHECK(read_millionths("0.1234567") == 123'456);
  CHECK(read_millionths("1e-7") == 0);
  CHECK(read_millionths("0.00000012e1") == 1);
  CHECK(read_millionths("1e30") == INT64_MAX);
  CHECK(read_millionths("-1e30") == -INT64_MAX);
  CHECK(read_millionths("9223372036854.775807") == INT64_MAX);
}

TEST_CASE("what is no number is refused") {
  for (const char* text : {"", ".", "NaN", "+Inf", "1.2.3", "0x10", "1e", "--1", "1 "}) {
    CHECK_MESSAGE(!read_millionths(text), text);
  }
  CHECK(read_integer("-42") == -42);
  CHECK_FALSE(read_integer("1.0"));
  CHECK_FALSE(read_integer("9223372036854775808"));
}

}  // namespace
}  // namespace attrib::evidence
