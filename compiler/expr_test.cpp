#include "compiler/limits.h"
#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

// A decode whose condition is `where`, over an event with fields of many types.
std::string with(const std::string& where, const std::string& more = "") {
  return "event E on Gpu { code u16 unit word? level (Fatal | Nonfatal)? wait ms peer Node? "
         "coll Collective? share dec up bool }\n"
         "symptom a.b on Node { tags [hot] role origin domain gpu }\n" +
         more + "decode d { on x: E where " + where + " emit a.b at x.node {} }";
}
void good(const std::string& where, const std::string& more = "") {
  expect_good(with(where, more));
}
void bad(const std::string& where, const std::string& codes, const std::string& part,
         const std::string& more = "") {
  expect_bad(with(where, more), codes, part);
}

// The IR of a demote's where, from a fixed pair of symptoms.
std::string demote(const std::string& where) {
  return "symptom c.c on Node { wait ms retry_after ms? tags [fatal] role origin domain gpu }\n"
         "symptom e.e on Rank { wait ms spare ms? role victim domain application }\n"
         "demote d { param slack = 60s range 0s..30m cause c: c.c effect e: e.e " +
         where + " because \"b\" }";
}

TEST_CASE("values compare with their like") {
  good("x.code == 149 and x.code in [48, 0x5f]");
  good("x.share > 95% and x.share >= 1");
  good("x.wait > 10m and x.up == true and not x.up");
  good("x.wait + 5m > x.wait - 1s");
  bad("x.code == 10s", "RL0305", "a number cannot be compared with a duration");
  bad("x.code < true", "RL0305", "cannot be compared");
  bad("x.up < true", "RL0305", "cannot be compared");
  bad("x.begin < x.seen", "RL0305", "times are intervals");
  bad("x.node < x.node", "RL0305", "only == and !=");
  bad("x.node == x.rank", "RL0305", "a Node cannot be compared with a Rank");
  bad("x == 3", "RL0301", "a whole fact or row");
}

TEST_CASE("a bare number is no duration") {
  bad("x.wait > 600", "RL0302", "write `600s`");
  bad("x.wait + 5 > 1m", "RL0302", "write `5s`");
}

TEST_CASE("numbers that a field cannot hold are refused") {
  bad("x.code == 70000", "RL0325", "outside the range of u16");
  bad("x.code in [1, -1]", "RL0325", "-1");
}

TEST_CASE("words of a field's type are checked, other words are free") {
  good("has x.level and x.level == Fatal");
  bad("has x.level and x.level == Fatl", "RL0209", "did you mean `Fatal`?");
  good("has x.unit and x.unit in [NETIR, \"RLW\"]");
}

TEST_CASE("an optional field needs a guard") {
  bad("x.unit == \"A\"", "RL0303", "add `has x.unit` before it");
  good("has x.unit and x.unit == \"A\"");
  good("x.unit == \"A\" and has x.unit");
  good("not has x.unit or x.unit == \"A\"");
  bad("has x.unit or x.unit == \"A\"", "RL0303", "x.unit");
  bad("x.unit == \"A\" and x.unit != \"B\"", "RL0303 RL0303", "x.unit");
  good("not (not has x.unit or x.unit == \"A\")");
}

TEST_CASE("an earlier clause guards a later one, not the other way round") {
  const std::string head =
      "event E on Gpu { unit word? }\nsymptom a.b on Node { unit word role end }\n";
  expect_good(head +
              "decode d { on x: E when has x.unit when x.unit == \"A\" emit a.b at x.node { unit: "
              "x.unit } }");
  expect_bad(head +
                 "decode d { on x: E when x.unit == \"A\" when has x.unit emit a.b at x.node { "
                 "unit: x.unit } }",
             "RL0303", "x.unit");
}

TEST_CASE("relations and sets lead from one kind of entity to another") {
  good("x.entity.node == x.node and x.gpu.node == x.node");
  good("has x.coll and x.rank in x.coll.ranks and x.rank in x.node.comm_ranks");
  good("x.rank in attempt.ranks");
  bad("x.node.rnaks == x.node", "RL0210", "did you mean `ranks`?");
  bad("x.code.node == x.node", "RL0210", "a number has no field `node`");
  bad("x.coed == 3", "RL0210", "did you mean `code`?");
  bad("x.rank in x.node.gpus", "RL0305", "cannot be compared");
  bad("x.rank in x.node", "RL0301", "a set of entities");
}

TEST_CASE("symptom attributes are not for events") {
  bad("x.count == 3", "RL0210", "no field `count`");
  bad("x.tags has hot", "RL0307", "`tags` of an event");
}

TEST_CASE("an unknown variable is named with the nearest") {
  bad("y.code == 3", "RL0201", "no variable is called `y`");
  bad("contains(unitt, \"A\")", "RL0201", "no variable is called `unitt`");
}

TEST_CASE("text tests take words") {
  good("has x.unit and contains(x.unit, \"LINK\") and not starts_with(x.unit, \"N\")");
  bad("contains(x.code, \"1\")", "RL0301", "a word or text is wanted");
  bad("contains(x.code)", "RL0306", "`contains` takes");
}

TEST_CASE("a let is a predicate over its parameters") {
  good("fatal(x.code)", "let fatal(c: u16) = c in [48, 79]\n");
  good("both(x)", "let both(f: E) = f.code == 1 and has f.unit and f.unit == \"A\"\n");
  good("has x.unit and named(x.unit)", "let named(u: word) = u == \"A\"\n");
  good("maybe(x.unit)", "let maybe(u: word?) = has u and u == \"A\"\n");
  bad("maybe(x.code)", "RL0303", "`u` may be null here", "let maybe(u: word?) = u == \"A\"\n");
  bad("named(x.unit)", "RL0303", "x.unit", "let named(u: word) = u == \"A\"\n");
  bad("fatal(x.wait)", "RL0301", "a duration", "let fatal(c: u16) = c in [48, 79]\n");
  bad("fatal()", "RL0306", "1 arguments", "let fatal(c: u16) = c in [48, 79]\n");
  bad("fatl(x.code)", "RL0201", "did you mean `fatal`?", "let fatal(c: u16) = c in [48, 79]\n");
}

TEST_CASE("a let sees nothing of where it is used") {
  bad("odd(x.code)", "RL0201", "no variable is called `x`", "let odd(c: u16) = x.code == c\n");
}

TEST_CASE("a let may not lead back to itself") {
  bad("a(x.code)", "RL0219 RL0219", "through `b`",
      "let a(c: u16) = b(c)\nlet b(c: u16) = a(c) or c == 1\n");
  good("a(x.code)", "let a(c: u16) = b(c) or b(c)\nlet b(c: u16) = c == 1\n");
}

TEST_CASE("lets that double in size each time end at the limit") {
  std::string lets = "let l0(c: u16) = c == 1\n";
  for (int i = 1; i <= 15; ++i) {
    lets += fmt::format("let l{}(c: u16) = l{}(c) or l{}(c)\n", i, i - 1, i - 1);
  }
  Checked checked;
  check_text(&checked, with("l15(x.code)", lets));
  CHECK(checked.says("RL0501"));
}

TEST_CASE("lets inside one another are limited") {
  std::string lets = "let l0(c: u16) = c == 1\n";
  for (std::size_t i = 1; i <= kMaxLetDepth; ++i) {
    lets += fmt::format("let l{}(c: u16) = l{}(c)\n", i, i - 1);
  }
  good(fmt::format("l{}(x.code)", kMaxLetDepth - 1), lets);
  bad(fmt::format("l{}(x.code)", kMaxLetDepth), "RL0501", "lets inside one another", lets);
}

TEST_CASE("stages read only what comes before them") {
  bad("count of s: a.b >= 2", "RL0307", "an aggregate has no meaning in a decode rule");
  bad("tied(x, x)", "RL0307", "tied");
  bad("value rises", "RL0307", "rises");
  bad("label(\"gpu\") == \"4\"", "RL0307", "label");
  bad("label(\"gpu\", u8) == 4", "RL0307", "label");
  expect_bad("symptom a.b on Node { role end }\ndecode d { on x: a.b emit a.b at x.node {} }",
             "RL0307", "symptom `a.b` has no meaning in a decode rule");
}

TEST_CASE("windows are durations of parameters and fields of both sides") {
  expect_good(demote("within -slack..e.wait + 5m from c.begin to e.begin"));
  expect_good(demote("within 0s..c.wait from e.seen to c.last"));
  expect_good(demote("where has e.spare within 0s..e.spare from c.begin to e.begin"));
  expect_bad(demote("within 0s..e.spare from c.begin to e.begin"), "RL0303", "e.spare");
  expect_bad(demote("within 0..60 from c.begin to e.begin"), "RL0302 RL0302", "write `60s`");
  expect_bad(demote("within 0s..60s from c.begin to c.last"), "RL0324", "a point of the other");
  expect_bad(demote("within 0s..60s from c.begin to e.end"), "RL0209", "point of a window");
  expect_bad(demote("within 0s..60s from c to e.begin"), "RL0324", "a window runs from");
}

TEST_CASE("a parameter lies in its range") {
  const std::string head =
      "symptom a.b on Node { role origin domain gpu }\ndemote d { cause c: a.b effect e: a.b "
      "within 0s..p from c.begin to e.begin because \"b\" param p = ";
  expect_good(head + "60s range 0s..30m }");
  expect_bad(head + "60s range 5m..30m }", "RL0309", "1m, outside its range 5m..30m");
  expect_bad(head + "60s range 0s..30 }", "RL0302", "write `30s`");
  expect_bad(head + "60 range 0..90 }", "RL0301", "a duration is wanted");
}

TEST_CASE("tags are words that some symptom has") {
  expect_good(demote("where c.tags has fatal within 0s..1m from c.begin to e.begin"));
  expect_bad(demote("where c.tags has fatl within 0s..1m from c.begin to e.begin"), "RL0220",
             "did you mean `fatal`?");
}

TEST_CASE("a variable over several types reads the fields that all have") {
  const std::string head =
      "symptom a.a on Node { x u8 n Node role origin domain gpu }\n"
      "symptom b.b on Rank { y u8 n Node x u8? role victim domain application }\n";
  const std::string tail = " within 0s..1m from c.begin to e.begin because \"b\" }";
  expect_good(head + "demote d { cause c: a.a | b.b effect e: a.a where c.n == e.n" + tail);
  expect_good(head + "demote d { cause c: a.a | b.b effect e: a.a where has c.x and c.x == e.x" +
              tail);
  expect_bad(head + "demote d { cause c: a.a | b.b effect e: a.a where c.x == e.x" + tail, "RL0303",
             "c.x");
  expect_bad(head + "demote d { cause c: a.a | b.b effect e: a.a where c.y == 1" + tail, "RL0210",
             "symptom `a.a` has no field `y`");
  expect_good(
      head + "demote d { cause c: any where c.role == origin effect e: any where e.symptom == b.b" +
      tail);
  expect_bad(head + "demote d { cause c: any where c.x == 1 effect e: a.a" + tail, "RL0210",
             "a symptom of any type has no field `x`");
  expect_bad(head + "demote d { cause c: any where c.role == orign effect e: a.a" + tail, "RL0209",
             "did you mean `origin`?");
}

}  // namespace
}  // namespace attrib::compiler
