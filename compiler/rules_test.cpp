#include "compiler/rules.h"

#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

const std::string kHead =
    "event E on Rank { code u16 unit word? }\n"
    "symptom a.a on Rank { code u16 unit word? role origin domain gpu }\n"
    "symptom b.b on Rank { role victim domain application }\n"
    "symptom c.c on Rank { role victim domain application }\n"
    "symptom z.end on Attempt { word word? role end }\n";

TEST_CASE("an emission gives every field that is not optional, and no other") {
  expect_good(kHead + "decode d { on x: E emit a.a at x.rank { code: x.code, unit: x.unit } }");
  expect_bad(kHead + "decode d { on x: E emit a.a at x.rank { unit: x.unit } }", "RL0304",
             "`code`");
  expect_bad(kHead + "decode d { on x: E emit a.a at x.rank { code: x.code, uint: x.unit } }",
             "RL0210", "did you mean `unit`?");
  expect_bad(kHead + "decode d { on x: E emit a.a at x.rank { code: x.unit } }", "RL0303",
             "x.unit");
  expect_bad(kHead + "decode d { on x: E emit a.a at x.rank { code: 70000 } }", "RL0325", "u16");
  expect_bad(kHead + "decode d { on x: E emit a.a at x.rank { code: \"A\" } }", "RL0301",
             "a number for field `code`");
}

TEST_CASE("an emission is about an entity of the symptom's kinds") {
  expect_bad(kHead + "decode d { on x: E emit a.a at x.node { code: 1 } }", "RL0308",
             "about a Rank, not about a Node");
  expect_bad(kHead + "decode d { on x: E emit a.a { code: 1 } }", "RL0218", "at ENTITY");
  expect_good(kHead + "decode d { on x: E emit z.end { word: \"X\" } }");
  expect_bad(kHead + "decode d { on x: E emit a.a at x { code: 1 } }", "RL0301", "`.entity`");
}

TEST_CASE("an emission may change the words of its type") {
  expect_good(kHead +
              "decode d { on x: E emit b.b at x.rank {} role relay domain storage severity info "
              "blame none retry after_fix action \"A\" title \"T\" }");
  expect_bad(kHead + "decode d { on x: E emit b.b at x.rank {} role releay }", "RL0209",
             "did you mean `relay`?");
  expect_bad(kHead + "decode d { on x: E emit b.b at x.rank {} role x.code }", "RL0301",
             "a role is wanted");
}

TEST_CASE("confidence is a band") {
  expect_bad(kHead + "decode d { on x: E emit b.b at x.rank {} confidence likly }", "RL0209",
             "did you mean `likely`?");
}

TEST_CASE("infer rules get layers by what they read") {
  Checked checked;
  check_text(&checked, kHead +
                           "infer second { each x: b.b emit c.c at x.rank {} }\n"
                           "infer first { each x: a.a emit b.b at x.rank {} }\n"
                           "infer third { each x: c.c when count of y: b.b where y.rank == x.rank "
                           ">= 2 emit z.end {} }\n");
  REQUIRE_MESSAGE(checked.module, checked.report());
  CHECK(checked.module->infer_strata == 3);
  std::vector<std::string> order;
  for (const Rule& rule : checked.module->rules) order.push_back(rule.name);
  CHECK(order == std::vector<std::string>{"first", "second", "third"});
}

TEST_CASE("a cycle of infer rules is printed") {
  const std::string two =
      "infer f { each x: b.b emit c.c at x.rank {} }\n"
      "infer g { each x: a.a absent y: c.c where y.rank == x.rank during x.begin .. x.seen covered "
      "by app emit b.b at x.rank {} }\n";
  expect_bad(kHead + two, "RL0401",
             "`t.f` emits `c.c`, read by `t.g`, which emits `b.b`, read by `t.f`");
  expect_bad(kHead + "infer f { each x: b.b emit b.b at x.rank {} }\n", "RL0401",
             "`t.f` emits `b.b`, read by `t.f`");
}

TEST_CASE("nothing reads what an outcome emits but verdict and demotion") {
  const std::string outcome =
      "outcome o { on x: b.b gives failed rank 1 emit z.end { word: \"X\" } }\n";
  expect_good(kHead + outcome);
  expect_bad(kHead + outcome + "infer f { each x: z.end emit b.b at x.rank {} }", "RL0402",
             "emitted here");
  expect_bad(kHead + outcome + "outcome p { on x: z.end gives failed rank 2 }", "RL0402", "z.end");
}

TEST_CASE("members, absence and aggregates are typed") {
  expect_good(kHead +
              "infer f { each x: a.a each r: Rank in x.node.comm_ranks where r != x.rank\n"
              "absent n: b.b where n.rank == r during x.begin - 1h .. x.seen covered by app or "
              "kernel of r\n"
              "when bursts(x, 24h) >= 2 and solo(x, 1h) and count distinct y.rank of y: b.b >= 2\n"
              "emit c.c at r {} unknown emit c.c at r {} }");
  expect_bad(kHead + "infer f { each r: Node in attempt.ranks emit c.c at attempt {} }", "RL0301",
             "a set of Node");
  expect_bad(kHead +
                 "infer f { each x: a.a absent n: b.b during x.begin .. x.seen covered by "
                 "nccl_debug emit c.c at x.rank {} }",
             "RL0209", "is not a source");
  expect_bad(kHead + "infer f { each x: a.a when bursts(x, 24) > 1 emit c.c at x.rank {} }",
             "RL0302", "write `24s`");
  expect_bad(
      kHead + "infer f { each x: a.a when least y.rank of y: b.b == x.rank emit c.c at x.rank {} }",
      "RL0301", "a Rank");
  expect_bad(kHead +
                 "infer f { each x: a.a when count of y: b.b where y.rnak == x.rank > 1 emit c.c "
                 "at x.rank {} }",
             "RL0210", "did you mean `rank`?");
}

TEST_CASE("a demote rule says when, and why") {
  const std::string pair = "demote d { cause c: a.a effect e: b.b ";
  expect_good(kHead + pair + "within 0s..1m from c.begin to e.begin because \"x\" }");
  expect_bad(kHead + pair + "because \"x\" }", "RL0218", "needs `within`");
  expect_bad(kHead + pair + "within 0s..1m from c.begin to e.begin }", "RL0218", "needs `because`");
  expect_bad(
      kHead + "demote d { cause c: a.a within 0s..1m from c.begin to e.begin because \"x\" }",
      "RL0218", "needs `effect`");
}

TEST_CASE("every kind of rule may say where it is written") {
  const std::string text =
      kHead +
      "demote d { cause c: a.a effect e: b.b within 0s..1m from c.begin to e.begin "
      "because \"x\" references \"r1\", \"r2\" references \"r3\" }\n"
      "infer f { each x: a.a emit c.c at x.rank {} references \"r4\" }\n";
  Checked checked;
  check_text(&checked, text);
  REQUIRE_MESSAGE(checked.module, checked.report());
  std::vector<std::string> all;
  for (const Rule& rule : checked.module->rules) {
    all.insert(all.end(), rule.references.begin(), rule.references.end());
  }
  CHECK(all == std::vector<std::string>{"r4", "r1", "r2", "r3"});
  expect_bad(kHead + "outcome o { on x: b.b gives failed rank 1 references \"\" }", "RL0306",
             "not empty");
}

TEST_CASE("an outcome has a word of the vocabulary and a rank") {
  expect_bad(kHead + "outcome o { on x: b.b gives faild rank 1 }", "RL0209",
             "did you mean `failed`?");
  expect_bad(kHead + "outcome o { on x: b.b gives failed }", "RL0218", "needs `rank`");
}

TEST_CASE("texts of ambiguous rules name their roots") {
  const std::string head = "ambiguous u { among a, b: root of job when tied(a, b) report ";
  Checked checked;
  check_text(&checked, kHead + head + "\"{a} or {b}, {{really}}\" ask \"look at {a.node}\" }");
  REQUIRE_MESSAGE(checked.module, checked.report());
  const Rule& rule = checked.module->rules[0];
  CHECK(rule.report.texts == std::vector<std::string>{"", " or ", ", {really}"});
  CHECK(rule.report.facts[1] == VarId{1});
  REQUIRE(rule.asks.size() == 1);
  CHECK(rule.asks[0].values[0].valid());
  expect_bad(kHead + head + "\"{c}\" }", "RL0201", "no fact of this rule is called `c`");
  expect_bad(kHead + head + "\"{a\" }", "RL0326", "opens no");
  expect_bad(kHead + head + "\"{a.begin}\" }", "RL0326", "a time cannot be printed");
  expect_bad(kHead + head + "\"{a.noed}\" }", "RL0210", "did you mean `node`?");
}

TEST_CASE("a variable is declared once") {
  expect_bad(kHead + "infer f { each x: a.a each x: b.b emit c.c at x.rank {} }", "RL0202",
             "variable `x`");
}

}  // namespace
}  // namespace attrib::compiler
