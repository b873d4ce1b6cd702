#include "model/line_template.h"

#include <doctest/doctest.h>

#include "model/line_matcher.h"

namespace attrib::model {
namespace {

TemplatePart literal(std::string text) {
  TemplatePart part;
  part.text = std::move(text);
  return part;
}
TemplatePart part(PartKind kind, Reader reader = Reader::Word) {
  TemplatePart out;
  out.kind = kind;
  out.reader = reader;
  return out;
}
TemplatePart hole(std::uint16_t capture, Reader reader) {
  TemplatePart out = part(PartKind::Hole, reader);
  out.capture = capture;
  return out;
}
Type type_of(Reader reader) {
  Type type;
  type.kind = info(reader).kind;
  type.reader = reader;
  return type;
}
Type gpu_type() {
  Type type;
  type.kind = ValueKind::Entity;
  type.reader = Reader::Entity;
  type.entity = EntityKind::Gpu;
  return type;
}
Type level_type() {
  Type type = type_of(Reader::Choice);
  type.words = {"Fatal", "Nonfatal", "Non.fatal"};
  return type;
}

const std::vector<std::string> kNames = {"gpu", "code", "name", "level"};
const std::vector<Type> kTypes = {gpu_type(), type_of(Reader::U16), type_of(Reader::Word),
                                  level_type()};
const auto kBlank = part(PartKind::Blank);

// NVRM: Xid (PCI:{gpu}): {code}{?, name={name}?}{...}
LineTemplate xid_line() {
  LineTemplate line;
  line.parts = {literal("NVRM:"),
                kBlank,
                literal("Xid"),
                kBlank,
                literal("(PCI:"),
                hole(0, Reader::Entity),
                literal("):"),
                kBlank,
                hole(1, Reader::U16),
                part(PartKind::OptionalBegin),
                literal(","),
                kBlank,
                literal("a_long_name="),
                hole(2, Reader::Word),
                part(PartKind::OptionalEnd),
                part(PartKind::Rest)};
  return line;
}

std::optional<std::vector<std::optional<Constant>>> match(const LineTemplate& line,
                                                          std::string_view text) {
  std::vector<std::optional<Constant>> captures(kTypes.size());
  const LineMatcher matcher(line, kNames, kTypes);
  REQUIRE(matcher.error() == "");
  if (!matcher.match(text, &captures)) return std::nullopt;
  return captures;
}

TEST_CASE("holes capture in their order, an absent optional part nothing") {
  const auto found =
      match(xid_line(), "[ 12.5] NVRM: Xid  (PCI:0000:1B:00):\t149, a_long_name=python, and more");
  REQUIRE(found);
  CHECK((*found)[0] == text_constant("0000:1b:00"));
  CHECK((*found)[1] == int_constant(149));
  CHECK((*found)[2] == text_constant("python"));
  CHECK_FALSE((*found)[3].has_value());
  const auto without =
      match(xid_line(), "NVRM: Xid (PCI:0000:1B:00): 79, GPU has fallen off the bus.");
  REQUIRE(without);
  CHECK((*without)[1] == int_constant(79));
  CHECK_FALSE((*without)[2].has_value());
}

TEST_CASE("a blank run needs a blank, and case matters") {
  CHECK_FALSE(match(xid_line(), "NVRM:Xid (PCI:0000:1B:00): 149"));
  CHECK_FALSE(match(xid_line(), "nvrm: Xid (PCI:0000:1B:00): 149"));
}

TEST_CASE("literals are taken byte for byte") {
  LineTemplate line;
  line.parts = {literal("a.b*c[d]\\{}$^|(\xC3\xA9"), hole(1, Reader::U16)};
  CHECK(match(line,
              "xx a.b*c[d]\\{}$^|(\xC3\xA9"
              "7"));
  CHECK_FALSE(match(line,
                    "xx aXb*c[d]\\{}$^|(\xC3\xA9"
                    "7"));
  line.parts = {literal(std::string("nul\0byte", 8))};
  CHECK(match(line, std::string_view("a nul\0byte", 10)));
  CHECK_FALSE(match(line, "a nulbyte"));
}

TEST_CASE("a word type matches exactly one of its words, the longest first") {
  LineTemplate line;
  line.parts = {literal("level="), hole(3, Reader::Choice)};
  CHECK((*match(line, "level=Nonfatal"))[3] == text_constant("Nonfatal"));
  CHECK((*match(line, "level=Non.fatal"))[3] == text_constant("Non.fatal"));
  CHECK_FALSE(match(line, "level=NonXfatal"));
}

TEST_CASE("a gap is the shortest, a skip captures nothing") {
  LineTemplate line;
  line.parts = {literal("from"), part(PartKind::Gap), literal("code"), kBlank,
                hole(1, Reader::U16)};
  CHECK((*match(line, "from here code 5 to there code 6"))[1] == int_constant(5));
  line.parts = {literal("from "), part(PartKind::Skip, Reader::U8), literal(" to "),
                hole(1, Reader::U16)};
  CHECK((*match(line, "from 1 to 2"))[1] == int_constant(2));
  CHECK_FALSE(match(line, "from x to 2"));
}

TEST_CASE("a text is the shortest, at the end of the line the rest") {
  const std::vector<Type> types = {type_of(Reader::Text), type_of(Reader::Text)};
  LineTemplate line;
  line.parts = {literal("from "), hole(0, Reader::Text), literal(" to "), hole(1, Reader::Text)};
  std::vector<std::optional<Constant>> captures(2);
  CHECK(LineMatcher(line, {}, types).match("from a to b to c\r\nmore", &captures));
  CHECK(captures[0] == text_constant("a"));
  CHECK(captures[1] == text_constant("b to c"));
  line.parts = {literal("from"), part(PartKind::OptionalBegin), literal(" x="),
                hole(0, Reader::Text), part(PartKind::OptionalEnd)};
  captures.assign(2, std::nullopt);
  CHECK(LineMatcher(line, {}, types).match("from x=all of it", &captures));
  CHECK(captures[0] == text_constant("all of it"));
}

TEST_CASE("no part crosses a line end") {
  LineTemplate line;
  line.parts = {literal("from"), part(PartKind::Gap), literal("to")};
  CHECK(match(line, "from here to there"));
  CHECK_FALSE(match(line, "from here\nto there"));
  CHECK(match(line, "some line\nfrom here to there\nanother"));
}

TEST_CASE("`line start` matches only at the start") {
  LineTemplate line;
  line.parts = {literal("ready")};
  CHECK(match(line, "not ready"));
  line.at_start = true;
  CHECK_FALSE(match(line, "not ready"));
  CHECK_FALSE(match(line, "not\nready"));
  CHECK(match(line, "ready or not"));
}

TEST_CASE("named groups of a regex capture, and unknown ones are refused") {
  LineTemplate line;
  line.regex = "(foo|bar) (?P<code>[0-9]+)/(?P<name>\\w*)";
  CHECK((*match(line, "bar 12/x"))[1] == int_constant(12));
  CHECK((*match(line, "bar 12/x"))[2] == text_constant("x"));
  line.regex = "(?P<other>a)";
  CHECK(LineMatcher(line, kNames, kTypes).error() == "group `other` is no capture");
  line.regex = "(unclosed";
  CHECK(LineMatcher(line, kNames, kTypes).error() != "");
  line.regex = "(?P<code>[a-z]+)!";  // A group that is not of its field's form has no value.
  CHECK_FALSE((*match(line, "abc!"))[1].has_value());
}

TEST_CASE("a pattern over the memory limit is refused, one under it is not") {
  LineTemplate line;
  line.regex = "[a-z0-9]{900}";
  CHECK(LineMatcher(line, kNames, kTypes).error() == "");
  CHECK(LineMatcher(line, kNames, kTypes, 16U << 10U).error() != "");
}

TEST_CASE("a failed match changes nothing") {
  std::vector<std::optional<Constant>> captures(kTypes.size(), int_constant(1));
  const auto before = captures;
  CHECK_FALSE(LineMatcher(xid_line(), kNames, kTypes).match("nothing", &captures));
  CHECK(captures == before);
}

TEST_CASE("damaged parts give a well formed expression or an error, never a crash") {
  LineTemplate line;
  line.parts = {part(PartKind::OptionalEnd), part(PartKind::OptionalBegin),
                part(PartKind::OptionalBegin), literal("x")};
  CHECK(LineMatcher(line, kNames, kTypes).error() == "");
  line.parts = {hole(99, Reader::Word)};
  CHECK(LineMatcher(line, kNames, kTypes).error() == "a hole captures into nothing");
}

TEST_CASE("the literal is the longest outside optional parts and blanks, the first of equals") {
  CHECK(longest_literal(xid_line()) == "NVRM:");
  LineTemplate line;
  line.parts = {literal("abc"),        kBlank,        literal("def"), literal("g"),
                hole(0, Reader::Word), literal("hij")};
  CHECK(longest_literal(line) == "defg");
  line.parts = {part(PartKind::Rest)};
  CHECK(longest_literal(line) == "");
  line.regex = "something";
  CHECK(longest_literal(line) == "");
}

TEST_CASE("a template prints as it is written") {
  CHECK(to_text(xid_line(), kNames) ==
        "NVRM: Xid (PCI:{gpu}): {code}{?, a_long_name={name}?}{...}");
  LineTemplate line;
  line.parts = {literal("{a}"), part(PartKind::Skip, Reader::U8), part(PartKind::Skip),
                part(PartKind::Gap)};
  CHECK(to_text(line, kNames) == "{{a}}{_:u8}{_}{..}");
}

}  // namespace
}  // namespace attrib::model
