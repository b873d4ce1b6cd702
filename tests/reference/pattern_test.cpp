#include "tests/reference/pattern.h"

#include <doctest/doctest.h>

#include "model/line_matcher.h"

using namespace attrib;
using namespace attrib::reference;

namespace {

model::TemplatePart part(model::PartKind kind, const std::string& text = "",
                         std::uint16_t capture = 0, model::Reader reader = model::Reader::Word) {
  return {kind, text, capture, reader};
}

model::Type type_of(model::Reader reader) {
  model::Type type;
  type.reader = reader;
  type.kind = model::info(reader).kind;
  return type;
}

// What both matchers say; they must agree.
std::optional<Captures> match(const model::LineTemplate& line,
                              const std::vector<model::Type>& types, const std::string& text) {
  const std::vector<std::string> names(types.size(), "c");
  Captures mine(types.size());
  Captures other(types.size());
  const bool matched = match_line(line, names, types, text, mine);
  const model::LineMatcher re2(line, names, types);
  REQUIRE(re2.error().empty());
  CHECK(re2.match(text, &other) == matched);
  if (!matched) return std::nullopt;
  CHECK(mine == other);
  return mine;
}

}  // namespace

TEST_CASE("a hole takes what its reader reads and no more") {
  model::LineTemplate line;
  line.parts = {part(model::PartKind::Literal, "code="),
                part(model::PartKind::Hole, "", 0, model::Reader::U16),
                part(model::PartKind::Literal, ",")};
  const auto types = std::vector{type_of(model::Reader::U16)};
  const auto found = match(line, types, "xid code=149, more");
  REQUIRE(found);
  CHECK((*found)[0]->number == 149);
  CHECK_FALSE(match(line, types, "code=x,"));
  line.at_start = true;
  CHECK_FALSE(match(line, types, "xid code=149,"));
  CHECK(match(line, types, "code=149,"));
}

TEST_CASE("an optional part is taken when it can be, and left out when the rest needs it") {
  model::LineTemplate line;
  line.parts = {
      part(model::PartKind::Literal, "a"), part(model::PartKind::OptionalBegin),
      part(model::PartKind::Blank),        part(model::PartKind::Hole, "", 0, model::Reader::Word),
      part(model::PartKind::OptionalEnd),  part(model::PartKind::Literal, " end")};
  const auto types = std::vector{type_of(model::Reader::Word)};
  CHECK((*match(line, types, "a  b end"))[0]->text == "b");
  CHECK_FALSE((*match(line, types, "a end"))[0].has_value());
  CHECK((*match(line, types, "a end end"))[0]->text == "end");
}

TEST_CASE("gaps are short, text is shortest, the rest is all") {
  model::LineTemplate line;
  line.parts = {
      part(model::PartKind::Literal, "<"),  part(model::PartKind::Gap),
      part(model::PartKind::Literal, "k="), part(model::PartKind::Hole, "", 0, model::Reader::Text),
      part(model::PartKind::Literal, ";"),  part(model::PartKind::Rest)};
  const auto types = std::vector{type_of(model::Reader::Text)};
  CHECK((*match(line, types, "<x k=one; k=two; three"))[0]->text == "one");
}

TEST_CASE("expressions: groups, alternatives, classes, repeats") {
  model::LineTemplate line;
  line.regex = "(?:ab|a)(?P<c>[^ ,]{2,3}|x*)(?: \\.)?";
  const auto types = std::vector{type_of(model::Reader::Word)};
  CHECK((*match(line, types, "zz abcdef"))[0]->text == "cde");
  CHECK((*match(line, types, "ab,"))[0]->text.empty());
}
