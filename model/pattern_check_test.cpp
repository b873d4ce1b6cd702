#include "model/pattern_check.h"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <random>

#include "model/line_matcher.h"

namespace attrib::model {
namespace {

std::size_t compiled_size(const std::string& expression) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_never_nl(true);
  options.set_max_mem(64 << 20);
  const re2::RE2 regex(expression, options);
  return regex.ok() ? static_cast<std::size_t>(regex.ProgramSize()) : 0;
}

TEST_CASE("no expression compiles to more than was counted") {
  for (const char* text : {"",
                           "a",
                           "abc",
                           "a|b|c",
                           "(a)(?:b)(?P<c>d)",
                           "[a-z]+",
                           "[^a-z]*?",
                           "[]x]",
                           "[^]x]",
                           "\\d+\\w*",
                           "[\\d\\w]{3}",
                           "a{0,60}",
                           "(?:a{3,7}b){5}",
                           "(?:(?:a{3}){3}){3}x",
                           "\\pL",
                           "\\PN+",
                           "[[:alpha:]_]",
                           "(?i)abcdef",
                           "(?i:[a-z]{9})",
                           "\\Qa.b{3}\\E{4}",
                           "a{3,}",
                           "a{,3}",
                           "x{",
                           "\\x41\\x{42}",
                           "^a$",
                           "\\bword\\B",
                           "\\C{7}",
                           "(?s).*",
                           "(?:|a|b){20}",
                           "[\\x00-\\xff]{3}",
                           "[acegikmoqsuwy]{10}",
                           "(?:[acegikmoqsuwy013579.,;:]|\\d){100}",
                           "\\[\\]\\(\\)\\{\\}"}) {
    CAPTURE(text);
    CHECK(most_instructions(text) >= compiled_size(text));
  }
}

TEST_CASE("nor does one put together at random") {
  const std::vector<std::string> pieces = {
      "a", "bc", "[a-f]",      "[^x]",  ".",    "\\d",    "\\w",  "\\.", "\\pL", "[[:digit:]x]",
      "^", "$",  "\\Qx{2}\\E", "(",     "(?:",  "(?P<n>", "(?i)", ")",   "|",    "*",
      "+", "?",  "{3}",        "{0,9}", "{2,}", "{",      "}",    "]"};
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp)
  std::size_t compiled = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (auto left = random() % 12; left-- > 0;) text += pieces[random() % pieces.size()];
    const std::size_t size = compiled_size(text);
    CAPTURE(text);
    CHECK(most_instructions(text) >= size);
    if (size > 0) ++compiled;
  }
  CHECK(compiled > 300);
}

// What pattern_fault() and a matcher say; equal.
std::string fault(const LineTemplate& line, const std::vector<std::string>& names,
                  const std::vector<Type>& types, std::size_t memory = LineMatcher::kMaxMemory) {
  const std::string said = pattern_fault(line, names, types, memory);
  CHECK(said == LineMatcher(line, names, types, memory).error());
  return said;
}

TEST_CASE("a fault of a regex is told as a matcher tells it") {
  Type word;
  word.kind = ValueKind::String;
  const auto regex = [&](const std::string& text) {
    LineTemplate line;
    line.regex = text;
    return fault(line, {"code", "name"}, {word, word});
  };
  CHECK(regex("code (?P<code>[0-9]+) of (?P<name>.*)") == "");
  CHECK(regex("(?P<other>x)") == "group `other` is no capture");
  CHECK(regex("(?P<z>x)(?P<a>x)") == "group `a` is no capture");
  CHECK(regex("[(?P<z>](x)") == "");
  CHECK(regex("\\(?P<z>x") == "");
  CHECK(regex("[[:z](?P<z>x)") == "group `z` is no capture");
  CHECK(regex("(?P<code>?)") != "");
  CHECK(regex("(") == "missing ): (");
  CHECK(regex("(?P<code") != "");
  CHECK(regex("a**b") != "");
  CHECK(regex("[z-a]") != "");
  CHECK(regex("a\\") != "");
  CHECK(regex("a{1001}") != "");
  CHECK(regex("((a{100}){100}){100}") != "");
  CHECK(regex("(?:a{100}){100}") == "invalid repetition size: {100}");
  CHECK(regex("(?:[a-z]{30}x){30}") == "");
}

TEST_CASE("nor is another told wherever the name of a group stands") {
  Type word;
  word.kind = ValueKind::String;
  const std::vector<std::string> pieces = {"(?P<code>", "(?P<name>", "(?P<", ">",   ")",  "a",  "[",    "[^",
                                           "]",         "-",         "[:",   ":]",  "\\", "\\Q", "\\E",  "{2}",
                                           "(?P<b>",    "(",         "*",    "\\[", "?",  "|",  "(?i)", "code"};
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp)
  std::size_t good = 0;
  for (int i = 0; i < 20'000; ++i) {
    LineTemplate line;
    for (auto left = 1 + random() % 9; left-- > 0;) line.regex += pieces[random() % pieces.size()];
    CAPTURE(line.regex);
    if (fault(line, {"code", "name"}, {word, word}).empty()) ++good;
  }
  CHECK(good > 1000);
}

// The readers with the most instructions, as many as the bound lets pass uncompiled and some more.
TEST_CASE("templates of any parts compile as far as they are not compiled to tell") {
  for (std::size_t r = 0; r < reader_count(); ++r) {
    const auto reader = static_cast<Reader>(r);
    Type type;
    type.kind = info(reader).kind;
    type.reader = reader;
    if (reader == Reader::Choice) type.words = {"Fatal", "Non-fatal (correctable)", "a|b.c*"};
    LineTemplate line;
    TemplatePart part;
    part.kind = PartKind::Hole;
    part.reader = reader;
    line.parts.assign(75, part);
    CAPTURE(info(reader).name);
    CHECK(fault(line, {"x"}, {type}) == "");
    part.kind = PartKind::Skip;
    if (reader == Reader::Choice || reader == Reader::Entity) continue;
    line.parts.assign(75, part);
    CHECK(fault(line, {}, {}) == "");
  }
  for (std::size_t e = 0; e < words<EntityKind>().size(); ++e) {
    const Type type{ValueKind::Entity, Reader::Entity, static_cast<EntityKind>(e), {}};
    LineTemplate line;
    TemplatePart part;
    part.kind = PartKind::Hole;
    part.reader = Reader::Entity;
    line.parts.assign(75, part);
    CHECK(fault(line, {"x"}, {type}) == "");
  }
  LineTemplate line;
  TemplatePart text;
  text.text.assign(10'000, '{');
  line.parts = {text};
  CHECK(fault(line, {}, {}) == "");
}

TEST_CASE("a hole into nothing is told") {
  LineTemplate line;
  TemplatePart part;
  part.kind = PartKind::Hole;
  part.capture = 2;
  line.parts = {part};
  CHECK(fault(line, {}, {}) == "a hole captures into nothing");
}

}  // namespace
}  // namespace attrib::model
