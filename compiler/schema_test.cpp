#include "compiler/schema.h"

#include "compiler/limits.h"
#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

TEST_CASE("events take their fields' types from readers, kinds and words") {
  Checked checked;
  check_text(&checked, "event E on Rank { a u16 b Gpu? c (Up | Down) progress }");
  REQUIRE(checked.module);
  const model::EventType& event = checked.module->events[0];
  CHECK(event.name == "E");
  CHECK(event.on == model::EntityKind::Rank);
  CHECK(event.progress);
  REQUIRE(event.fields.size() == 3);
  CHECK(event.fields[0].type.reader == model::Reader::U16);
  CHECK(event.fields[1].type.entity == model::EntityKind::Gpu);
  CHECK(event.fields[1].optional);
  CHECK(event.fields[2].type.words == std::vector<std::string>{"Up", "Down"});
  CHECK(checked.module->events[1].name == "JobState");
}

TEST_CASE("unknown types and kinds come with the nearest") {
  expect_bad("event E on Rank { a u61 }", "RL0201", "did you mean `u16`?");
  expect_bad("event E on Rnak { a u16 }", "RL0201", "did you mean `Rank`?");
}

TEST_CASE("a field is declared once and not under a reserved name") {
  expect_bad("event E on Rank { a u16 a word }", "RL0202", "field `a`");
  expect_bad("event E on Rank { seen u16 }", "RL0212", "`seen`");
  expect_bad("event E on Rank { node word }", "RL0212", "a field `node` has type Node");
  expect_bad("symptom a.b on Node { count u16 role end }", "RL0212", "`count`");
}

TEST_CASE("a symptom without clauses beside the mandatory ones has the documented defaults") {
  Checked checked;
  check_text(&checked, "symptom a.b on Node | Gpu { x u8 y u8? role origin domain gpu }");
  REQUIRE(checked.module);
  const model::SymptomType& s = checked.module->symptoms[0];
  CHECK(s.title == "a.b");
  CHECK(s.key == std::vector<std::uint16_t>{0, 1});
  CHECK(s.quiet == 3 * model::kMinute);
  CHECK(!s.blame);
  CHECK(s.retry == model::Retry::Unknown);
}

TEST_CASE("every clause of a symptom is read") {
  Checked checked;
  check_text(
      &checked,
      "symptom a.b on Node { x u8 y u8? role relay domain storage blame none key y quiet 10m "
      "severity critical title \"T\" owner \"O\" action \"A\" retry after_fix tags [b, a] "
      "references \"u\" locates }");
  REQUIRE_MESSAGE(checked.module, checked.report());
  const model::SymptomType& s = checked.module->symptoms[0];
  CHECK(s.role == model::Role::Relay);
  CHECK(s.domain == model::Domain::Storage);
  CHECK(s.blame == model::Blame::None);
  CHECK(s.key == std::vector<std::uint16_t>{1});
  CHECK(s.quiet == 10 * model::kMinute);
  CHECK(s.severity == model::Severity::Critical);
  CHECK(s.title == "T");
  CHECK(s.owner == "O");
  CHECK(s.action == "A");
  CHECK(s.retry == model::Retry::AfterFix);
  CHECK(s.tags == std::vector<std::string>{"a", "b"});
  CHECK(s.references == std::vector<std::string>{"u"});
  CHECK(s.locates);
}

TEST_CASE("role is mandatory, and domain unless it is a note or an end") {
  expect_bad("symptom a.b on Node { domain gpu }", "RL0218", "needs `role`");
  expect_bad("symptom a.b on Node { role victim }", "RL0218", "needs `domain`");
  expect_good("symptom a.b on Node { role note }");
  expect_good("symptom a.b on Node { role end }");
}

TEST_CASE("words of the vocabulary are checked") {
  expect_bad("symptom a.b on Node { role orgin domain gpu }", "RL0209", "did you mean `origin`?");
  expect_bad("symptom a.b on Node { role origin domain gpux }", "RL0209", "did you mean `gpu`?");
  expect_bad("symptom a.b on Node { role origin domain ambiguous }", "RL0306", "`domain`");
}

TEST_CASE("a key names fields") {
  expect_bad("symptom a.b on Node { code u8 role end key coed }", "RL0210", "did you mean `code`?");
}

TEST_CASE("quiet is a duration with its unit") {
  expect_bad("symptom a.b on Node { role end quiet 3 }", "RL0302", "write `3s`");
}

TEST_CASE("strict checking wants what a library owes its users") {
  Checked checked;
  CheckOptions options;
  options.strict = true;
  check_text(&checked, "symptom a.b on Node { role origin domain gpu owner \"o\" action \"a\" }",
             {}, options);
  CHECK(checked.codes() == "RL0329");
  CHECK(checked.says("needs `references`"));
  Checked note;
  check_text(&note, "symptom a.b on Node { role note owner \"o\" action \"a\" references \"r\" }",
             {}, options);
  CHECK(note.codes().empty());
  const std::string demote =
      "symptom a.b on Node { role origin domain gpu owner \"o\" action \"a\" references \"r\" }\n"
      "demote d { cause c: a.b effect e: a.b within 0s..1m from c.begin to e.begin because \"x\" ";
  Checked bare;
  check_text(&bare, demote + "}", {}, options);
  CHECK(bare.codes() == "RL0329");
  CHECK(bare.says("demote `d` of a library needs `references`"));
  Checked cited;
  check_text(&cited, demote + "references \"r\" }", {}, options);
  CHECK(cited.codes().empty());
}

TEST_CASE("a reference is never empty") {
  expect_bad("symptom a.b on Node { role end references \"\" }", "RL0306", "not empty");
}

TEST_CASE("fields are limited") {
  std::string fields;
  for (std::size_t i = 0; i < kMaxFields; ++i) fields += fmt::format("f{} u8\n", i);
  expect_good("event E on Node { " + fields + " }");
  expect_bad("event E on Node { " + fields + " more u8 }", "RL0501", "65 fields");
}

}  // namespace
}  // namespace attrib::compiler
