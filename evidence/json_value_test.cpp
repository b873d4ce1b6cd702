#include "evidence/json_value.h"

#include <doctest/doctest.h>

namespace attrib::evidence {
namespace {

TEST_CASE("numbers keep the characters they were written with") {
  const auto value =
      parse_json(R"({"a": 1779093065.250, "b": [12, -3, 1.5e3], "c": null, "d": true, "e": "x"})");
  REQUIRE(value.ok());
  CHECK(value.value().find("a")->text == "1779093065.250");
  CHECK(value.value().find("b")->items[0].text == "12");
  CHECK(value.value().find("b")->items[2].text == "1.5e3");
  CHECK(value.value().find("c")->kind == JsonValue::Kind::Null);
  CHECK(value.value().find("d")->text == "true");
  CHECK(value.value().find("e")->text == "x");
  CHECK(value.value().find("z") == nullptr);
}

TEST_CASE("numbers greater than any double are the largest") {
  const auto value = parse_json(R"({"a": [1e400, -2e999, 7], "b": "1e400 \" -1e400", "c": 1e-400})");
  REQUIRE(value.ok());
  CHECK(value.value().find("a")->items[0].text == "1e308");
  CHECK(value.value().find("a")->items[1].text == "-1e308");
  CHECK(value.value().find("a")->items[2].text == "7");
  CHECK(value.value().find("b")->text == "1e400 \" -1e400");
  CHECK_FALSE(parse_json("[1e400, tru]").ok());
}

TEST_CASE("a field given twice is refused, at any depth") {
  CHECK(parse_json(R"({"a": {"b": 1, "b": 2}})").error().message == "field `b` is given twice");
}

TEST_CASE("what is not JSON is refused with the place") {
  CHECK(parse_json(R"({"a": tru})").error().message == "not JSON from byte 10 on");
  CHECK_FALSE(parse_json("{]").ok());
  CHECK_FALSE(parse_json("").ok());
  CHECK_FALSE(parse_json(R"("\ud800")").ok());
}

TEST_CASE("bytes that are not UTF-8 read as their escape") {
  std::size_t escaped = 0;
  const std::string safe = escape_json_bytes("{\"m\": \"a\xFF\xC3\xA4\\n\xE2\x82\"}", &escaped);
  CHECK(escaped == 3);
  const auto value = parse_json(safe);
  REQUIRE(value.ok());
  CHECK(value.value().find("m")->text == "a\\xFF\xC3\xA4\n\\xE2\\x82");
}

TEST_CASE("what was there is described in a few words") {
  CHECK(described(parse_json("\"abc\"").value()) == "text \"abc\"");
  CHECK(described(parse_json("12.50").value()) == "number 12.50");
  CHECK(described(parse_json("[1]").value()) == "a list");
  CHECK(described(parse_json("\"" + std::string(100, 'x') + "\"").value()) ==
        "text \"" + std::string(40, 'x') + "...\"");
}

}  // namespace
}  // namespace attrib::evidence
