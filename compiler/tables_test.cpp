#include "compiler/tables.h"

#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

std::string table(const std::string& rows, const std::string& match = "unique") {
  return "table faults (code u16, unit word, bits ternary32) -> (bucket word, action text?) {\n  "
         "match " +
         match + "\n" + rows + "\n  default => other | \"look it up\"\n}\n";
}

MemoryData csv(const std::string& text) {
  MemoryData data;
  data.files["f.csv"] = text;
  return data;
}
std::string from_csv(const std::string& columns = "") {
  return "table faults (code u16, bits ternary32) -> (name word, action text?) {\n"
         "  match unique\n  from \"f.csv\" " +
         columns + "\n  default => unknown | \"\"\n}\n";
}

TEST_CASE("rows hold values, sets, ranges and bits") {
  Checked checked;
  check_text(&checked, table("  | 149 | NETIR | ------000100----------0111000110 => si | \"fix\"\n"
                             "  | {1, 2} | * | 0x03f003ff/0x010001c6 => two |\n"
                             "  | 3..7 | \"A B\" | * => range | \"x\""));
  REQUIRE_MESSAGE(checked.module, checked.report());
  const model::Table& made = checked.module->tables[0];
  REQUIRE(made.rows.size() == 3);
  CHECK(made.rows[0].keys[2].mask == 0x03f003ff);
  CHECK(made.rows[0].keys[2].bits == 0x004001c6);
  CHECK(made.rows[1].keys[0].kind == model::KeyCell::Kind::Set);
  CHECK(made.rows[1].results[1].kind == model::ValueKind::Null);
  CHECK(made.rows[2].keys[0].kind == model::KeyCell::Kind::Range);
  CHECK(made.rows[2].place == "t.rules:7");
  CHECK(made.default_row.results[0].text == "other");
}

TEST_CASE("rows of match unique that share a key are reported with both places") {
  const std::string rows = "  | 1 | A | 0x3/0x1 => a | \"\"\n  | 0..9 | * | 0x5/0x1 => b | \"\"\n";
  expect_bad(table(rows), "RL0317", "t.rules:6:3: error[RL0317]");
  expect_bad(table(rows), "RL0317", "t.rules:5:3: note: the other row: 1 | A | 0x3/0x1");
  expect_good(table("  | 1 | A | 0x3/0x1 => a | \"\"\n  | 0..9 | * | 0x5/0x4 => b | \"\"\n"));
}

TEST_CASE("a row that an earlier one covers is unreachable in match first") {
  expect_good(table("  | 1 | A | * => a | \"\"\n  | 0..9 | * | * => b | \"\"\n", "first"));
  expect_bad(table("  | 0..9 | * | * => b | \"\"\n  | {1, 2} | A | * => a | \"\"\n", "first"),
             "RL0318", "this row comes first");
}

TEST_CASE("overlap is found among many rows without comparing all pairs") {
  std::string text = "code,bits,name,action\n";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{},,n,\n", i);
  expect_good(from_csv(), csv(text));
  expect_bad(from_csv(), "RL0317", "data/f.csv:20002:1", csv(text + "777,0x1/0x1,n,\n"));
}

TEST_CASE("too many wide rows are refused, not compared for ever") {
  std::string text = "code,bits,name,action\n";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{}..{},,n,\n", 3 * i, 3 * i + 1);
  expect_bad(from_csv(), "RL0502", "too many rows", csv(text));
}

TEST_CASE("default and match are mandatory") {
  expect_bad("table f (code u16) -> (a word) { match unique\n | 1 => x\n }", "RL0218", "default");
  expect_bad("table f (code u16) -> (a word) {\n | 1 => x\n default => y\n }", "RL0218",
             "match unique");
  expect_bad("table f (code u16) -> (a word) { match frist\n | 1 => x\n default => y\n }", "RL0209",
             "did you mean `first`?");
}

TEST_CASE("a cell fits its column") {
  expect_bad(table("  | 70000 | A | * => a | \"\""), "RL0319", "`70000`");
  expect_bad(table("  | 1 | A | 0x1/0x2 => a | \"\""), "RL0319", "ternary32");
  expect_bad(table("  | 9..3 | A | * => a | \"\""), "RL0319", "9..3");
  expect_bad(table("  | 1 | A | * => 3 | \"\""), "RL0319", "column `bucket`");
  expect_bad(table("  | 1 | A | * => | \"\""), "RL0321", "may not be empty");
  expect_bad(table("  | 1 | A => a | \"\""), "RL0320", "3 key and 2 result");
}

TEST_CASE("a data file gives rows with their places") {
  Checked checked;
  check_text(&checked, from_csv("columns (code = xid, name, action)"),
             csv("xid,bits,name,more,action\r\n1,,One,z,\"say \"\"hi\"\", twice\"\r\n"
                 "\"{2, 3}\",0x3/0x1,Two,z,\n4..6,,Three,z,x\n"));
  REQUIRE_MESSAGE(checked.module, checked.report());
  const model::Table& made = checked.module->tables[0];
  REQUIRE(made.rows.size() == 3);
  CHECK(made.rows[0].results[1].text == "say \"hi\", twice");
  CHECK(made.rows[0].place == "data/f.csv:2");
  CHECK(made.rows[1].keys[0].kind == model::KeyCell::Kind::Set);
  CHECK(made.rows[1].results[1].kind == model::ValueKind::Null);
  CHECK(made.rows[2].keys[0].kind == model::KeyCell::Kind::Range);
}

TEST_CASE("what is wrong in a data file is shown there") {
  expect_bad(from_csv(), "RL0810", "no data file `f.csv`");
  expect_bad(from_csv(), "RL0319", "data/f.csv:2:1: error[RL0319]: `many`",
             csv("code,bits,name,action\nmany,,n,\n"));
  expect_bad(from_csv(), "RL0321", "data/f.csv:2:4", csv("code,bits,name,action\n1,,,\n"));
  expect_bad(from_csv(), "RL0812", "did you mean `nmae`?", csv("code,bits,nmae,action\n1,,x,\n"));
  expect_bad(from_csv("columns (cod = code)"), "RL0201", "did you mean `code`?",
             csv("code,bits,name,action\n1,,x,\n"));
  expect_bad(from_csv(), "RL0811", "this row has 3 cells, the header 4",
             csv("code,bits,name,action\n1,,x\n"));
  expect_bad(from_csv(), "RL0811", "is not closed", csv("code,bits,name,action\n1,,\"x,\n"));
  expect_bad(from_csv(), "RL0811", "inside a cell", csv("code,bits,name,action\n1,,x\"y,\n"));
  expect_bad(from_csv(), "RL0811", "no header", csv(""));
}

TEST_CASE("a look-up has the keys of its table") {
  const std::string head =
      "event E on Node { code u16 unit word bits bits32 }\n"
      "symptom a.b on Node { what word role end }\n" +
      table("  | 1 | A | * => link | \"x\"");
  expect_good(head +
              "decode d { on x: E lookup faults[x.code, x.unit, x.bits] as row when row.bucket == "
              "link emit a.b at x.node { what: row.bucket } }");
  expect_bad(head +
                 "decode d { on x: E lookup faults[x.unit, x.unit, x.bits] as row emit a.b at "
                 "x.node { what: row.bucket } }",
             "RL0301", "a number for key `code`");
  expect_bad(head +
                 "decode d { on x: E lookup faults[x.code] as row emit a.b at x.node { what: "
                 "row.bucket } }",
             "RL0306", "3 keys");
  expect_bad(head +
                 "decode d { on x: E lookup fautls[x.code, x.unit, x.bits] as row emit a.b at "
                 "x.node { what: row.bucket } }",
             "RL0201", "did you mean `faults`?");
  expect_bad(head +
                 "decode d { on x: E lookup faults[x.code, x.unit, x.bits] as row emit a.b at "
                 "x.node { what: row.bukcet } }",
             "RL0210", "did you mean `bucket`?");
  expect_bad(head +
                 "decode d { on x: E lookup faults[x.code, x.unit, x.bits] as row when row.bucket "
                 "== lnik emit a.b at x.node { what: row.bucket } }",
             "RL0323", "did you mean `link`?");
  expect_bad(head +
                 "decode d { on x: E lookup faults[x.code, x.unit, x.bits] as row emit a.b at "
                 "x.node { what: row.action } }",
             "RL0303", "row.action");
  expect_good(head +
              "decode d { on x: E lookup faults[x.code, x.unit, x.bits] as row when has row.action "
              "emit a.b at x.node { what: row.action } }");
}

TEST_CASE("a column used as role holds only roles") {
  const std::string head =
      "event E on Node { code u16 }\nsymptom a.b on Node { role note domain gpu }\n"
      "table t (code u16) -> (role word, domain word?) { match unique\n | 1 => origin | gpu\n | 2 "
      "=> ";
  const std::string tail =
      " \n default => note | \n }\n"
      "decode d { on x: E lookup t[x.code] as row emit a.b at x.node {} role row.role domain "
      "row.domain }";
  expect_good(head + "victim | storage" + tail);
  expect_bad(head + "victm | storage" + tail, "RL0322", "did you mean `victim`?");
}

TEST_CASE("ternary text has 32 digits or a mask that holds its value") {
  CHECK(parse_ternary(std::string(32, '-'))->mask == 0);
  CHECK(parse_ternary("0xff/0x0f")->bits == 0x0f);
  CHECK(!parse_ternary("0xff/0x100"));
  CHECK(!parse_ternary(std::string(31, '1')));
  CHECK(!parse_ternary("255/1"));
  CHECK(!parse_ternary("0x/0x1"));
  CHECK(!parse_ternary("0x1ffffffff/0x1"));
}

}  // namespace
}  // namespace attrib::compiler
