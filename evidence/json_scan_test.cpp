#include "evidence/json_scan.h"

#include <doctest/doctest.h>

namespace attrib::evidence {
namespace {

TEST_CASE("a document is cut into its header fields and its observations") {
  const std::string text =
      R"({"a": {"b": ["}"]}, "observations": [{"x": 1}, {"y": "]\""}], "c": 5})";
  const DocumentSlices cut = cut_document(text);
  CHECK_FALSE(cut.error);
  REQUIRE(cut.members.size() == 2);
  CHECK(cut.members[0].name == "a");
  CHECK(cut.members[0].value.text == R"({"b": ["}"]})");
  CHECK(cut.members[0].value.depth == 2);
  CHECK(cut.members[1].value.text == "5");
  REQUIRE(cut.observations.size() == 2);
  CHECK(cut.observations[1].text == R"({"y": "]\""})");
  CHECK(text.substr(cut.observations[1].at, 4) == "{\"y\"");
}

TEST_CASE("of a document only what is asked for is kept, and all is shown") {
  std::string seen;
  KeepSlices keep;
  keep.member = [&](std::string_view name, const Slice& value) {
    seen += std::string(name) + "=" + std::string(value.text) + ";";
    return name == "b";
  };
  keep.observation = [&](const Slice& value) {
    seen += std::string(value.text) + ";";
    return value.depth > 1;
  };
  const DocumentSlices cut =
      cut_document(R"({"a": 1, "observations": [{}, {"x": {}}], "b": 2})", keep);
  CHECK(seen == R"(a=1;{};{"x": {}};b=2;)");
  REQUIRE(cut.members.size() == 1);
  CHECK(cut.members[0].name == "b");
  REQUIRE(cut.observations.size() == 1);
  CHECK(cut.observations[0].text == R"({"x": {}})");
  CHECK(cut.has_observations);
}

TEST_CASE("what came before a tear is there") {
  const DocumentSlices cut = cut_document(R"({"w": 1, "observations": [{"x": 1}, {"y": "unfini)");
  REQUIRE(cut.error);
  CHECK(cut.error->torn);
  CHECK(cut.error->expected == "the end of a string");
  CHECK(cut.members.size() == 1);
  CHECK(cut.observations.size() == 1);
}

TEST_CASE("each place where JSON can break is named") {
  const auto expected = [](std::string_view text) {
    const auto cut = cut_document(text);
    return cut.error ? cut.error->expected : "nothing wrong";
  };
  CHECK(expected("[1]") == "an object");
  CHECK(expected("{1: 2}") == "a field's name in quotes");
  CHECK(expected(R"({"a" 1})") == "`:` after a field's name");
  CHECK(expected(R"({"a": })") == "a value");
  CHECK(expected(R"({"a": 1 "b")") == "`,` or `}` after a field");
  CHECK(expected(R"({"observations": [{} {}]})") == "`,` or `]` after an observation");
  CHECK(expected(R"({"a": [[)") == "the end of an object or a list");
  CHECK(expected("{} {}") == "nothing after the end of the document");
  CHECK(expected("{ }") == "nothing wrong");
}

TEST_CASE("a million brackets take no stack") {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  std::size_t depth = 0;
  JsonScanner scan(deep);
  CHECK(scan.value(&depth));
  CHECK(depth == 1'000'000);
}

TEST_CASE("a line is one whole object, or it is not") {
  CHECK(is_whole_object(R"( {"a": "{"} )"));
  for (const char* text :
       {"", "{", R"({"a": "b)", "{} {}", "{},", "[]", "\"{}\"", "{\"a\": \"\\\"}"}) {
    CHECK_MESSAGE(!is_whole_object(text), text);
  }
}

}  // namespace
}  // namespace attrib::evidence
