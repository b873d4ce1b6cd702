#include "dsl/parse.h"

#include <doctest/doctest.h>

#include "dsl/sample_test.h"
#include "dsl/syntax.h"

namespace attrib::dsl {
namespace {

template <typename T>
const T& body_of(const LetDecl& let) {
  return std::get<T>(let.body->node);
}

TEST_CASE("no rule of the grammar can loop without progress") { CHECK(grammar_problems() == 0); }

TEST_CASE("declarations come in the order of the file") {
  const Parsed parsed = parse_text(kEveryConstruct);
  CHECK(parsed.report() == "");
  REQUIRE(parsed.file.decls.size() == 28);
  CHECK(std::holds_alternative<PackDecl>(parsed.file.decls[0]));
  CHECK(std::get<UseDecl>(parsed.file.decls[2]).packs.size() == 3);
  CHECK(std::holds_alternative<TestDecl>(parsed.file.decls[27]));
}

TEST_CASE("spans cover what was written and nothing after it") {
  const Parsed parsed = parse_text("event  Xid on Gpu {\n  code u16?  # why\n}\n# end\n");
  const auto& event = std::get<EventDecl>(parsed.file.decls[0]);
  CHECK(parsed.sources.text(event.span) == "event  Xid on Gpu {\n  code u16?  # why\n}");
  CHECK(parsed.sources.text(event.name.span) == "Xid");
  CHECK(parsed.sources.text(event.fields[0].type.span) == "u16?");
}

TEST_CASE("the span of an expression ends with its last token") {
  const Parsed parsed = parse_text("let f() = a.b +  1   # c\n");
  CHECK(parsed.sources.text(std::get<LetDecl>(parsed.file.decls[0]).body->span) == "a.b +  1");
}

TEST_CASE("literals carry their value in the unit of their kind") {
  const auto literal = [](const std::string& text) {
    return body_of<Literal>(parse_one<LetDecl>("let f() = " + text));
  };
  CHECK(literal("0x95").number == 0x95);
  CHECK(literal("0x95").hex);
  CHECK(literal("1.5").number == 1'500'000);
  CHECK(literal("1.5").kind == LiteralKind::Decimal);
  CHECK(literal("95%").number == 950'000);
  CHECK(literal("95%").kind == LiteralKind::Decimal);
  CHECK(literal("250ms").number == 250'000'000);
  CHECK(literal("1.5s").number == 1'500'000'000);
  CHECK(literal("1d").number == 86'400'000'000'000);
  CHECK(literal("10m").kind == LiteralKind::Duration);
  CHECK(literal("64MiB").number == 64 << 20);
  CHECK(literal("5GiB").kind == LiteralKind::Size);
  CHECK(literal("9223372036854775807").number == INT64_MAX);
  CHECK(literal("true").number == 1);
  CHECK(literal("\"a\\\"\\\\\\n\\t\\x41\\{\"").text == "a\"\\\n\tA{");
}

TEST_CASE(
    "and binds stronger than or, comparisons stronger than not, sums stronger than comparisons") {
  const LetDecl let = parse_one<LetDecl>("let f() = a or not b == c + d and e");
  const auto& either = body_of<BinaryExpr>(let);
  CHECK(either.op == BinaryOp::Or);
  const auto& both = std::get<BinaryExpr>(either.right->node);
  CHECK(both.op == BinaryOp::And);
  const auto& negation = std::get<UnaryExpr>(both.left->node);
  CHECK_FALSE(negation.negate);
  const auto& equal = std::get<BinaryExpr>(negation.operand->node);
  CHECK(equal.op == BinaryOp::Equal);
  CHECK(std::get<BinaryExpr>(equal.right->node).op == BinaryOp::Add);
}

TEST_CASE("a comparison after an aggregate compares the aggregate") {
  const LetDecl let =
      parse_one<LetDecl>("let f() = count of v: t where v.a == b and v.c >= 2 >= 3");
  const auto& compare = body_of<BinaryExpr>(let);
  CHECK(compare.op == BinaryOp::GreaterEqual);
  const auto& count = std::get<AggregateExpr>(compare.left->node);
  CHECK(std::get<BinaryExpr>(count.where->node).op == BinaryOp::And);
}

TEST_CASE("words of operators and aggregates are names where nothing else can stand") {
  const LetDecl let = parse_one<LetDecl>("let f() = x.count + least + odd - count + info");
  CHECK(body_of<BinaryExpr>(let).op == BinaryOp::Add);
}

TEST_CASE("a range may touch its ends") {
  const DemoteDecl demote = parse_one<DemoteDecl>(
      "demote d {\n cause c: a\n effect e: b\n within -slack..e.timeout+5m from c.begin to "
      "e.begin\n because \"x\"\n}");
  CHECK(std::get<UnaryExpr>(demote.within->from->node).negate);
  CHECK(std::get<BinaryExpr>(demote.within->to->node).op == BinaryOp::Add);
}

TEST_CASE("a backslash before a brace keeps it from being a hole") {
  const ExtractDecl extract =
      parse_one<ExtractDecl>("extract x from app as E { line \"\\{a\\} {b}\" sample \"\\{a\\}\" }");
  CHECK(extract.lines[0].lines[0].text.value == "{{a}} {b}");
  CHECK(extract.samples[0].lines[0].value == "{a}");
}

TEST_CASE("a table row ends with its line and may leave cells empty") {
  const TableDecl table = parse_one<TableDecl>(
      "table t (a u8) -> (b word?, c word?) {\n  | 1 => |\n  | 2 => x |   # c\n  default => | y }");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].results.size() == 2);
  CHECK(table.rows[0].results[1].kind == CellDecl::Kind::Empty);
  CHECK(table.rows[1].results[0].kind == CellDecl::Kind::Value);
  CHECK(table.default_row->results[0].kind == CellDecl::Kind::Empty);
}

TEST_CASE("times of test lines may lie before the job's start") {
  const TestDecl test =
      parse_one<TestDecl>("test \"t\" { log app { -1500ms \"x\" } clock \"n\" offset -2s }");
  CHECK(test.logs[0].lines[0].at == -1'500'000'000);
  CHECK(test.clocks[0].offset == -2'000'000'000);
  CHECK(test.clocks[0].error == 0);
}

TEST_CASE("line ends of Windows and a byte order mark change nothing") {
  CHECK(parse_text("\xEF\xBB\xBFpack a 1.0\r\nlanguage 1\r\ntable t (a u8) -> (b word) {\r\n  | 1 "
                   "=> x\r\n  default => y\r\n}\r\n")
            .file.decls.size() == 3);
}

TEST_CASE("an empty file and a file of comments have no declarations and no errors") {
  CHECK(parse_text("").report() == "");
  CHECK(parse_text("# nothing\n\n  # here").report() == "");
}

}  // namespace
}  // namespace attrib::dsl
