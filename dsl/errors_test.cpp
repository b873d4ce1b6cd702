// What the parser says about wrong text. Each case shows the whole report: place, message, caret,
// notes and hints.

#include <doctest/doctest.h>

#include "dsl/sample_test.h"

namespace attrib::dsl {
namespace {

std::string report(std::string_view text) { return parse_text(text).report(); }
bool reports(std::string_view text, std::string_view part) {
  const std::string all = report(text);
  if (all.find(part) != std::string::npos) return true;
  MESSAGE(all);
  return false;
}

TEST_CASE("a single = in a condition is told from ==") {
  CHECK(report("decode d {\n  on x: Xid where x.code = 79\n}") ==
        "t.rules:2:26: error[RL0103]: `=` compares nothing\n"
        "    on x: Xid where x.code = 79\n"
        "                           ^\n"
        "  hint: write `==`\n"
        "1 error\n");
}

TEST_CASE("an entity after emit needs its at") {
  CHECK(report("decode d {\n  on x: Xid\n  emit gpu.fault x.gpu { code: x.code }\n}") ==
        "t.rules:3:18: error[RL0115]: expected `at` before the entity, found `x.gpu`\n"
        "    emit gpu.fault x.gpu { code: x.code }\n"
        "                   ^~~~~\n"
        "  hint: write `at x.gpu`\n"
        "1 error\n");
}

TEST_CASE("a window needs from and to") {
  CHECK(report("demote d {\n  within 0s..60s\n  because \"x\"\n}") ==
        "t.rules:3:3: error[RL0101]: expected `from ... to ...` after the window, found `because`\n"
        "    because \"x\"\n"
        "    ^~~~~~~\n"
        "  hint: write `within A..B from c.begin to e.begin`\n"
        "1 error\n");
  CHECK(reports("demote d { within 0s..60s from c.begin }",
                "expected `to` and the point where the window ends, found `}`"));
}

TEST_CASE("the last line of a stream may be kept, or the first by captures, said once") {
  CHECK(report("extract e from app as E {\n  line \"x\"\n  keep first\n}") ==
        "t.rules:3:8: error[RL0101]: expected `last`, or `first by` and captures, found `first`\n"
        "    keep first\n"
        "         ^~~~~\n"
        "1 error\n");
  CHECK(reports("extract e from app as E { line \"x\" keep last keep last }",
                "error[RL0113]: a second `keep last` in one block"));
  CHECK(reports("extract e from app as E { line \"x\" keep first by }",
                "error[RL0101]: expected captures, such as `code`, found `}`"));
  CHECK(reports("extract e from app as E { line \"x\" keep first by a keep first by b, c }",
                "error[RL0113]: a second `keep first` in one block"));
}

TEST_CASE("a misspelt clause word gets the nearest one") {
  CHECK(report("demote d {\n  efect e: b\n}") ==
        "t.rules:2:3: error[RL0117]: `efect` is not a clause of `demote`\n"
        "    efect e: b\n"
        "    ^~~~~\n"
        "  hint: did you mean `effect`?\n"
        "1 error\n");
  CHECK(reports("decode d { zzz }",
                "hint: the clauses of `decode` are `on`, `lookup`, `when`, `emit`, `confidence`"));
  CHECK(reports("symptom s on Node { titel \"x\" }", "hint: did you mean `title` for `titel`?"));
}

TEST_CASE("several wrong clauses of one block are all reported, also those after them") {
  const std::string all = report(
      "demote d {\n  cause c = x\n  effect e: b\n  within 0s..60s\n  because why\n}\ndecode q {\n  "
      "on x Xid\n}\nlet f( = 3\n");
  CHECK(all.find("t.rules:2:11: error[RL0101]: expected `:`, found `=`") != std::string::npos);
  CHECK(all.find("t.rules:5:3: error[RL0101]: expected `from ... to ...`") != std::string::npos);
  CHECK(all.find("t.rules:5:11: error[RL0101]: expected a text in double quotes, found `why`") !=
        std::string::npos);
  CHECK(all.find("t.rules:8:8: error[RL0101]: expected `:`, found `Xid`") != std::string::npos);
  CHECK(all.find("t.rules:10:8: error[RL0101]: expected `)`, found `=`") != std::string::npos);
  CHECK(all.find("5 errors\n") != std::string::npos);
}

TEST_CASE("a declaration with an error is left out and the others are kept") {
  const Parsed parsed = parse_text("let a() = true\nlet b() = =\nlet c() = true\n");
  CHECK(parsed.file.decls.size() == 2);
  CHECK(parsed.sink.error_count() == 1);
}

TEST_CASE("a misspelt declaration gets the nearest keyword") {
  CHECK(report("evnet Xid on Gpu {\n}\npack a 1.0\n") ==
        "t.rules:1:1: error[RL0102]: `evnet` does not start a declaration\n"
        "  evnet Xid on Gpu {\n"
        "  ^~~~~\n"
        "  hint: did you mean `event`?\n"
        "1 error\n");
  CHECK(
      reports("let a() = b\nevnet X on Gpu { }\n", "expected the next declaration, found `evnet`"));
  CHECK(reports("pack a 1.0\n}\n", "error[RL0106]: `}` closes nothing"));
  CHECK(reports("pack a 1.0\n;\n", "error[RL0102]: `;` does not start a declaration"));
}

TEST_CASE("a text without end is reported where it begins, and the next declaration is read") {
  const Parsed parsed = parse_text("demote d {\n  because \"why\n}\nlet a() = true\n");
  CHECK(parsed.report() ==
        "t.rules:2:11: error[RL0104]: this text has no closing quote on its line\n"
        "    because \"why\n"
        "            ^~~~\n"
        "1 error\n");
  CHECK(parsed.file.decls.size() == 1);
}

TEST_CASE("a brace that is never closed is shown, and the declarations after it are read") {
  const Parsed parsed =
      parse_text("event A on Node {\n  a u8\n\nevent B on Node { b u8 }\nevent C on Node {\n");
  CHECK(parsed.report() ==
        "t.rules:1:17: error[RL0105]: the block that opens here is never closed\n"
        "  event A on Node {\n"
        "                  ^\n"
        "t.rules:4:1: note: the block should have ended before this place\n"
        "  event B on Node { b u8 }\n"
        "  ^\n"
        "t.rules:5:17: error[RL0105]: the block that opens here is never closed\n"
        "  event C on Node {\n"
        "                  ^\n"
        "t.rules:6:1: note: the block should have ended before this place\n"
        "  \n"
        "  ^\n"
        "2 errors\n");
  CHECK(parsed.file.decls.size() == 1);
}

TEST_CASE("an error inside a block that is never closed names the block too") {
  CHECK(reports("decode d {\n  emit a.b at x { c: x.d\n  confidence likely\n}\nlet a() = true\n",
                "t.rules:3:3: error[RL0101]: expected `,` or `}`, found `confidence`\n"));
  CHECK(reports("decode d {\n  emit a.b at x { c: x.d\n  confidence likely\n}\nlet a() = true\n",
                "t.rules:1:10: note: the block that opens here is never closed\n"));
}

TEST_CASE("numbers with a wrong unit, too many digits or no unit where one belongs") {
  CHECK(reports("let a() = 10min", "error[RL0109]: `10min` has the unknown unit `min`"));
  CHECK(reports("let a() = 0xZZ", "error[RL0109]: `0xZZ` has the unknown unit `xZZ`"));
  CHECK(reports("let a() = 9223372036854775808",
                "error[RL0110]: `9223372036854775808` is out of range"));
  CHECK(reports("let a() = 0xffffffffffffffff", "error[RL0110]"));
  CHECK(reports("let a() = 1.1234567", "error[RL0110]"));
  CHECK(reports("let a() = 99999999d", "error[RL0110]"));
  CHECK(reports("test \"t\" { clock \"n\" offset 5 }", "error[RL0114]: `5` is not a duration\n"));
  CHECK(reports("test \"t\" { log app { 60 \"x\" } }", "hint: write `60s` for seconds"));
  CHECK(reports("language 1s", "expected a whole number, found `1s`"));
}

TEST_CASE("escapes that do not exist, and texts that are not UTF-8") {
  CHECK(reports("demote d { because \"a\\q\" }",
                "t.rules:1:23: error[RL0107]: `\\q` is not an escape"));
  CHECK(reports("demote d { because \"\\xff\" }",
                "error[RL0108]: the value of this text is not UTF-8 text"));
  CHECK(reports("demote d { because \"\\x00\" }", "error[RL0108]"));
  CHECK(report("demote d { because \"\\xc3\\xa9\" }") == "");
  CHECK(reports("let a() = true\n# \xff\n",
                "t.rules:2:3: error[RL0108]: this byte is not UTF-8 text"));
  CHECK(reports(std::string_view("let a() = true\0\n", 16),
                "t.rules:1:15: error[RL0108]: a NUL byte is not UTF-8 text"));
}

TEST_CASE("a bit pattern of another length than 32 is counted") {
  CHECK(reports("table t (a ternary32) -> (b word) {\n  | ------0001 => x\n}",
                "error[RL0116]: a bit pattern has 32 characters, this one 10"));
  CHECK(reports("table t (a ternary32) -> (b word) {\n  | 01-------1 => x\n}", "this one 10"));
}

TEST_CASE("a clause that may stand once is refused the second time, with the first one shown") {
  CHECK(reports("demote d { because \"a\" because \"b\" }",
                "error[RL0113]: a second `because` in one block"));
  CHECK(reports("symptom s on Node {\n role end\n role end\n}",
                "t.rules:2:2: note: the first one is here"));
  CHECK(reports("decode d { emit a.b at x { } role a role b }", "error[RL0113]: a second `role`"));
}

TEST_CASE("a detail that an expectation does not take is refused") {
  CHECK(reports("test \"t\" { expect root a.b by c }",
                "error[RL0118]: `by` does not belong to `expect root`"));
  CHECK(reports("test \"t\" { expect demoted a.b role end }",
                "error[RL0118]: `role` does not belong to `expect demoted`"));
  CHECK(reports("test \"t\" { expect }", "expected an expectation: `root`"));
}

TEST_CASE("nesting up to the limit is read, one more is refused") {
  const auto nested = [](std::size_t depth) {
    return "let a() = " + std::string(depth, '(') + "b" + std::string(depth, ')');
  };
  CHECK(report(nested(kMaxNesting)) == "");
  CHECK(reports(nested(kMaxNesting + 1),
                "error[RL0111]: brackets and operators are nested more than 64 deep"));
  CHECK(reports(nested(100000), "error[RL0111]"));
  const auto chain = [](std::size_t operators) {
    std::string text = "let a() = b";
    for (std::size_t i = 0; i < operators; ++i) text += " + b";
    return text;
  };
  CHECK(report(chain(kMaxNesting - 1)) == "");
  CHECK(reports(chain(kMaxNesting), "error[RL0111]"));
  CHECK(reports(chain(100000), "1 error\n"));
  std::string objects = "test \"t\" { job ";
  for (std::size_t i = 0; i < 1000; ++i) objects += "{ a: ";
  CHECK(reports(objects + "1" + std::string(1000, '}') + "}", "error[RL0111]"));
}

TEST_CASE("a file over the size limit is refused, one at the limit is read") {
  CHECK(report(std::string(kMaxFileBytes, '\n')) == "");
  CHECK(
      reports(std::string(kMaxFileBytes + 1, '\n'),
              "error[RL0112]: the file has 16777217 bytes, more than the 16777216 that are read"));
}

TEST_CASE("many open braces are read in linear time") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "event A on Node {\n";
  const Parsed parsed = parse_text(text);
  CHECK(parsed.sink.error_count() == 20'000);
}

}  // namespace
}  // namespace attrib::dsl
