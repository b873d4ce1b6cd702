#include "docgen/markdown.h"

#include <doctest/doctest.h>

namespace attrib::docgen {
namespace {

TEST_CASE("what would be markup is escaped, underscores only where they would emphasise") {
  CHECK(escaped("a|b <c> *d* [e] `f` \\") == "a\\|b \\<c\\> \\*d\\* \\[e\\] \\`f\\` \\\\");
  CHECK(escaped("stops_rank _now_") == "stops_rank \\_now\\_");
}

TEST_CASE("code is fenced by more backticks than it holds") {
  CHECK(code("x.code == 79") == "`x.code == 79`");
  CHECK(code("a `b` c") == "``a `b` c``");
  CHECK(code("`b`") == "`` `b` ``");
  CHECK(code_block({"one", "```two"}) == "````text\none\n```two\n````\n");
}

TEST_CASE("anchors are made as the renderer makes them") {
  CHECK(anchor("extract nccl_ras") == "extract-nccl_ras");
  CHECK(anchor("nvlink.Signal_integrity") == "nvlinksignal_integrity");
}

TEST_CASE("prose is broken at blanks, set in under its first line") {
  const std::string words = [] {
    std::string out;
    for (int i = 0; i < 30; ++i) out += "words ";
    return out;
  }();
  const std::string text = wrapped(words, "* ");
  const auto second = text.find("\n");
  CHECK(text.starts_with("* words words"));
  CHECK(second <= kWidth);
  CHECK(text.substr(second, 8) == "\n  words");
  CHECK(text.ends_with("words\n"));
  const std::string one(200, 'x');
  CHECK(wrapped(one) == one + "\n");
}

TEST_CASE("a line never begins with what would start a list or a heading") {
  for (const char* word : {"-", "+", "#", "##", "12.", "3)", ">"}) {
    const std::string text = wrapped(std::string(kWidth, 'x') + " " + word + " more");
    CHECK(text == std::string(kWidth, 'x') + " " + word + "\nmore\n");
  }
  CHECK(wrapped(std::string(kWidth, 'x') + " 12.5 more") ==
        std::string(kWidth, 'x') + "\n12.5 more\n");
}

}  // namespace
}  // namespace attrib::docgen
