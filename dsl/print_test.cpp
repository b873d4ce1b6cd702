#include "dsl/print.h"

#include <doctest/doctest.h>

#include "dsl/sample_test.h"

namespace attrib::dsl {
namespace {

void check_round_trip(std::string_view text) {
  const Parsed first = parse_text(text);
  REQUIRE(first.report() == "");
  const std::string printed = print(first.file);
  const Parsed second = parse_text(printed);
  REQUIRE(second.report() == "");
  CHECK(print(second.file) == printed);
  CHECK(second.file.decls.size() == first.file.decls.size());
}

std::string printed_expr(const std::string& text) {
  const LetDecl let = parse_one<LetDecl>("let f() = " + text);
  return print(*let.body);
}

TEST_CASE("what is printed parses back to the same print, for every construct") {
  check_round_trip(kEveryConstruct);
}

TEST_CASE("the print keeps every clause of every construct") {
  const std::string printed = print(parse_text(kEveryConstruct).file);
  for (const std::string_view part :
       {"pack vendor.sample 1.4.0-rc.1\n",
        "use core.job, core.gpu, core.nccl\n",
        "  level (Fatal | Nonfatal)?\n",
        "  progress\n",
        "  line start \"Xid {{literal}} {{braces}} A\\t{code}\"\n",
        "  line \"first {code}\" next \"second\" next start \"third\" within 5 lines slow "
        "\"short\"\n",
        "  regex \"Xid (?P<code>\\\\d+)\" slow \"shown\"\n",
        "  set match = -3 + 0x10\n",
        "  begin seen - 60s .. seen - 4s\n",
        "  keep last\n",
        "  keep first by comm, size\n",
        "nested: { a: [1, 2], \"odd key\": -1 }",
        "extract node_fail from slurm or k8s record as SlurmState {\n",
        "learn place rank on node gpu busid",
        "  | 149 | NETIR_LINK_EVT | ------000100----------0111000110 | 0 => link.si | \"a | b\"\n",
        "  | -3 | \"quoted\" | 0x03f003ff/0x010001c6 | {1, 2, x} | 1.5 =>  | \n",
        "  | * |  | * | 3..7 | -2..-1 => other | true\n",
        "  from \"x.csv\" columns (code = xid, name = \"Odd Header\", plain)\n",
        " begin x.seen - 1m .. x.seen\n",
        "  each r: Rank in w.coll.ranks where r != w.rank\n",
        " during w.begin - 1h .. w.seen covered by flight_recorder or app of r\n",
        "  uncovered emit rank.uncovered at r {} begin w.seen\n",
        "  param slack = 60s range 0s .. 30m\n",
        "  within -slack .. e.timeout + 5m from c.begin to e.begin\n",
        "  of job\n",
        "  report \"Both fit: {a} and {b}, {{not a hole}}.\"\n",
        "  clock \"n1\" offset -180ms error 250ms\n",
        "  source app of rank 3 on \"n1\" covers -1s..600s\n",
        "    0s \"a line\" => xid { code: 149 } => vendor.sample.other {}\n",
        "  expect symptom rank.never at attempt { a: 1 } role relay confidence hint\n",
        "  expect ambiguous between a.b, c.d\n",
        "  expect exclude []\n"}) {
    CHECK_MESSAGE(printed.find(part) != std::string::npos, std::string(part));
  }
}

TEST_CASE("the blocks of the language page print and parse back") {
  const std::string page = read_page(ATTRIB_SOURCE_DIR "/docs/language.md");
  std::string blocks;
  for (std::size_t at = page.find("```rules\n"); at != std::string::npos;
       at = page.find("```rules\n", at)) {
    const std::size_t begin = at + 9;
    at = page.find("```", begin);
    blocks += page.substr(begin, at - begin);
  }
  REQUIRE(blocks.size() > 1000);
  check_round_trip(blocks);
}

TEST_CASE("expressions print with the brackets they need and no others") {
  CHECK(printed_expr("((a and b)) or (c)") == "a and b or c");
  CHECK(printed_expr("a and (b or c)") == "a and (b or c)");
  CHECK(printed_expr("a - (b - c) - d") == "a - (b - c) - d");
  CHECK(printed_expr("not (a == b)") == "not a == b");
  CHECK(printed_expr("(not a) == b") == "(not a) == b");
  CHECK(printed_expr("-(a + b)") == "-(a + b)");
  CHECK(printed_expr("- -a") == "--a");
  CHECK(printed_expr("not not a") == "not not a");
  CHECK(printed_expr("(a in b) == (c in [d])") == "(a in b) == (c in [d])");
  CHECK(printed_expr("count of v: t where v.a == b >= 2") == "(count of v: t where v.a == b) >= 2");
}

}  // namespace
}  // namespace attrib::dsl
