#include "compiler/limits.h"
#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

const std::string kEvent = "event E on Node { code u16 unit word? level (Up | Down)? }\n";

std::string lines(const std::string& body) {
  return kEvent + "extract e from app as E {\n" + body + "\n}\n";
}

TEST_CASE("a template becomes parts, with the readers of its fields") {
  Checked checked;
  check_text(
      &checked,
      lines("line start \"failure {{{code}}}  of {unit}{? at {level}?} {..} took {t:ms}{...}\"\n"
            "begin seen - t\n"
            "sample \"failure {7} of X at Up or so took 12.5 ms\" gives { code: 7, unit: X, level: "
            "Up, t: 12500us }"));
  REQUIRE_MESSAGE(checked.module, checked.report());
  const Extract& made = checked.module->extracts[0];
  const model::LineTemplate& line = made.alternatives[0].lines[0];
  CHECK(line.at_start);
  REQUIRE_FALSE(made.alternatives[0].literals.empty());
  for (const std::string& each : made.alternatives[0].literals) CHECK(each.starts_with("failure"));
  CHECK(model::to_text(line, {"code", "unit", "level", "t"}) ==
        "failure {{{code}}} of {unit}{? at {level}?} {..} took {t}{...}");
  REQUIRE(made.captures.size() == 4);
  CHECK(made.captures[3].type.kind == model::ValueKind::Duration);
}

TEST_CASE("slips in a template are shown where they stand") {
  const auto slip = [](const std::string& text, const std::string& part) {
    expect_bad(lines("line \"" + text + "\" slow \"x\"\nset code = 1\n"), "RL0310", part);
  };
  slip("failure {unit", "a hole that is not closed");
  slip("failure }", "closes nothing");
  slip("failure {?a {?b?}?}", "do not nest");
  slip("failure {?a", "not closed by");
  slip("failure {Unit}", "is no hole");
  slip("failure {...} after", "nothing may follow");
  slip("failure {..}", "nothing follows it");
  slip("failure {_:wrod}", "no reader is called `wrod`");
  slip("", "is empty");
}

TEST_CASE("holes are fields, kinds of entities, or locals with a reader") {
  expect_good(
      lines("line \"failure {code} on {gpu} of {node} {x:word}\"\nsample \"failure 7 on 0000:01:00 "
            "of n1 y\" gives { gpu: \"0000:01:00\", node: n1, x: y }"));
  expect_bad(lines("line \"failure {coed}\"\nset code = 1"), "RL0201", "did you mean `code`?");
  expect_bad(lines("line \"failure {x}\"\nset code = 1"), "RL0201", "`{x:word}`");
  expect_bad(lines("line \"failure {code:ms}\""), "RL0312 RL0301", "a reader of u16");
  expect_bad(lines("line \"failure {code} {code}\""), "RL0202", "capture `code`");
  expect_bad(lines("line \"failure {code} {t:ms}\"\nline \"failure: {code} {t:word}\""), "RL0328",
             "`t` is word here, but ms elsewhere");
}

TEST_CASE("each alternative gives the mandatory fields") {
  expect_bad(lines("line \"failure of {unit}\""), "RL0312", "the field `code`");
  expect_bad(lines("line \"failure{? {code}?}\""), "RL0312", "the field `code`");
  expect_good(
      lines("line \"failure of {unit}\"\nset code = 9\nsample \"failure of x\" gives { code: 9 }"));
  expect_bad(lines("line \"failure {code}\"\nset code = 9"), "RL0202", "value of field `code`");
  expect_bad(lines("line \"failure {unit}\"\nset coed = 9"), "RL0312 RL0210",
             "did you mean `code`?");
  expect_bad(lines("line \"failure {unit}\"\nset code = 70000"), "RL0325", "u16");
}

TEST_CASE("the last line may be kept where one line can stand for those before it") {
  const std::string sample = "\nsample \"failure 7 ab\"";
  expect_good(lines("line \"failure {code}\" keep last" + sample));
  Checked checked;
  check_text(&checked, lines("keep last line \"failure {code} \" where code > 3" + sample));
  REQUIRE_MESSAGE(checked.module, checked.report());
  CHECK(checked.module->extracts[0].keep_last);
  expect_bad(lines("line \"failure {code}\" next \"ab\" within 1 lines keep last"), "RL0307",
             "`keep last` has no meaning in an extract with `next` lines");
  const std::string subject = "an extract whose lines say whom they are about";
  expect_bad(lines("line \"failure {code} of {node}\" keep last\nsample \"failure 7 of n1\""),
             "RL0307", subject);
  expect_bad(lines("line \"failure {code} of {rank:Rank}\" keep last\nsample \"failure 7 of 3\""),
             "RL0307", subject);
  expect_bad(
      lines("line \"failure {code} of {n:Node}\" keep last\nsample \"failure 7 of n1\""),
      "RL0307", "another `n`");
  expect_bad(kEvent + "extract e from metric as E { where name == \"N\" set code = 1 keep last }",
             "RL0307", "an extract from metrics or records");
  expect_bad("extract w from app learn world n { line \"world failure {n:u32}\" keep last sample "
             "\"world failure 8\" }",
             "RL0307", "an extract that learns a relation");
}

TEST_CASE("the first line may be kept where it can stand for those behind it") {
  const std::string sample = "\nsample \"failure 7 ab\"";
  Checked checked;
  check_text(&checked, lines("line \"failure {code} {what:word}\" keep first by what, code" + sample));
  REQUIRE_MESSAGE(checked.module, checked.report());
  CHECK(checked.module->extracts[0].keep_first_by == std::vector<std::uint32_t>{1, 0});
  expect_bad(lines("line \"failure {code}\" keep first by cod" + sample), "RL0201", "no capture is called `cod`");
  expect_bad(lines("line \"failure {code}\" next \"ab\" within 1 lines keep first by code"), "RL0307",
             "`keep first` has no meaning in an extract with `next` lines");
  expect_bad(lines("line \"failure {code}\" keep last keep first by code" + sample), "RL0113",
             "a second `keep last or keep first`");
  const std::string of_rank = "line \"failure {code} of {rank:Rank}\"\nsample \"failure 7 of 3\"\nkeep first by code";
  expect_bad(lines(of_rank), "RL0307", "write `rank` behind `by` too");
  expect_good(lines(of_rank + ", rank"));
  expect_bad(kEvent + "extract e from metric as E { where name == \"N\" set code = 1 keep first by code }",
             "RL0307", "an extract from metrics or records");
  expect_bad("extract w from app learn world n { line \"world failure {n:u32}\" keep first by n sample "
             "\"world failure 8\" }",
             "RL0307", "an extract that learns a relation");
}

TEST_CASE("a weak text to look for is warned about, unless there is a reason") {
  expect_bad(lines("line \"err{code}\"\nsample \"err7\""), "RL0311", "`err`, is weak: short");
  expect_good(lines("line \"err{code}\" slow \"short\"\nsample \"err7\""));
  expect_good(lines("line \"retrain: {code}\"\nsample \"retrain: 7\""));
  expect_bad(lines("line \"e{?failures?}{code}\"\nsample \"e7\""), "RL0311", "`e`");
  expect_bad(lines("line \" NCCL INFO {code}\"\nsample \"a NCCL INFO 7\""), "RL0311", "frequent");
}

TEST_CASE("a line without any text to look for needs a reason") {
  expect_bad(lines("line \"{unit} {code}\"\nsample \"a 7\""), "RL0330", "`slow");
  expect_good(lines("line \"{unit} {code}\" slow \"a table\"\nsample \"a 7\""));
  expect_bad(lines("regex \"[Ff]+(?P<code>[0-9]+)\"\nsample \"F7\""), "RL0330",
             "`slow");
}

TEST_CASE("a reason that is none is warned about") {
  expect_bad(lines("line \"errors: {code}\" slow \"why\"\nsample \"errors: 7\""), "RL0331",
             "`errors:");
  expect_bad(lines("regex \"failure (?P<code>[0-9]+)\" slow \"why\"\nsample \"failure 7\""),
             "RL0331", "`failure");
}

TEST_CASE("what others look for costs less, what stands in many rules costs more") {
  // Each of the first three alone would take any of its words.
  const std::string shared =
      "line \"alphabetic rotorblade\" line \"gammaglobe rotorblade\" line \"deltafield "
      "rotorblade\"\nset code = 1\n"
      "sample \"alphabetic rotorblade\" sample \"gammaglobe rotorblade\" sample \"deltafield "
      "rotorblade\"";
  Checked checked;
  check_text(&checked, lines(shared));
  REQUIRE_MESSAGE(checked.module, checked.report());
  const auto& few = checked.module->extracts[0].alternatives;
  CHECK(few[0].literals == few[1].literals);
  CHECK(few[1].literals == few[2].literals);
  std::string many = "set code = 1\n";
  for (int i = 0; i < 60; ++i) {
    many += "line \"qvzx" + std::to_string(1000 + i) + "x rotorblade\"\nsample \"qvzx" +
            std::to_string(1000 + i) + "x rotorblade\"\n";
  }
  Checked crowd;
  check_text(&crowd, lines(many));
  REQUIRE_MESSAGE(crowd.module, crowd.report());
  const auto& all = crowd.module->extracts[0].alternatives;
  CHECK(all[0].literals != all[1].literals);
}

TEST_CASE("a word of ordinary lines is not looked for while there is a rarer one") {
  // Even where many could share it.
  std::string text = "set code = 1\n";
  for (const std::string word : {"rotorblade", "gammaglobe", "deltafield", "alphasigma"}) {
    text += "line \"iteration {_:u64} {..}" + word + "\"\nsample \"iteration 7 " + word + "\"\n";
  }
  Checked checked;
  check_text(&checked, lines(text));
  REQUIRE_MESSAGE(checked.module, checked.report());
  for (const model::Alternative& each : checked.module->extracts[0].alternatives) {
    for (const std::string& literal : each.literals) {
      CAPTURE(literal);
      CHECK(literal.find("iteration") == std::string::npos);
    }
  }
}

TEST_CASE("the texts of a regex that ignores case are looked for in any case") {
  Checked checked;
  check_text(&checked, lines("regex \"(?i)Failure (?P<code>[0-9]+)\"\n"
                             "sample \"FAILURE 7\" gives { code: 7 }\nsample \"failure 8\""));
  REQUIRE_MESSAGE(checked.module, checked.report());
  const model::Alternative& made = checked.module->extracts[0].alternatives[0];
  CHECK(made.literals == std::vector<std::string>{"failure "});
  CHECK(made.any_case);
}

TEST_CASE("a regex is compiled") {
  expect_good(lines("regex \"failure (?P<code>[0-9]+)\"\nsample \"failure 7\" gives { code: 7 }"));
  expect_bad(lines("regex \"failure (?P<code>[0-9]+\" slow \"why\""), "RL0312 RL0327", "missing )");
  expect_bad(lines("regex \"failure (?P<coed>[0-9]+)\" slow \"why\"\nset code = 1"), "RL0201",
             "`code`");
}

TEST_CASE("every alternative is exercised by a sample of its own") {
  const std::string two = "line \"failure {code} of {unit}\"\nline \"failure {code}\"\n";
  expect_bad(lines(two + "sample \"failure 7 of x\""), "RL0313", "an earlier alternative takes it");
  expect_bad(lines(two + "sample \"failure 7\""), "RL0313", "alternative 1 of extract `e`");
  expect_good(lines(two + "sample \"failure 7 of x\"\nsample \"failure 7\""));
}

TEST_CASE("samples and rejects are run") {
  const std::string one = "line \"failure {code}\"\nwhere code > 5\nsample \"failure 7\"\n";
  expect_bad(lines(one + "sample \"fail 7\""), "RL0314", "wants the text `failure`");
  expect_bad(lines(one + "sample \"failure 3\""), "RL0314", "`where` does not hold");
  expect_bad(lines(one + "sample \"failure 8\" gives { code: 9 }"), "RL0315",
             "gives `code` the value `8`, not `9`");
  expect_bad(lines(one + "sample \"failure 8\" gives { unit: x }"), "RL0315", "null, not `x`");
  expect_bad(lines(one + "sample \"failure 8\" gives { uint: x }"), "RL0201",
             "did you mean `unit`?");
  expect_bad(lines(one + "reject \"failure 9\""), "RL0316", "alternative 1 matches it");
  expect_good(lines(one + "reject \"failure 3\"\nreject \"none\""));
  expect_bad(lines(one + "sample { a: 1 }"), "RL0301", "a line");
}

TEST_CASE("where reads the message") {
  const std::string one =
      "line \"failure {code}\"\nwhere not contains(message, \"harmless\")\nsample \"failure 7\"\n";
  expect_good(lines(one + "reject \"a harmless failure 7\""));
  expect_bad(lines(one + "reject \"a failure 7\""), "RL0316", "should reject");
}

TEST_CASE("the next line is the first later one that matches, within the distance") {
  const std::string record = "line \"failure begins\" next \"code {code}\" within 2 lines\n";
  expect_good(
      lines(record + "sample \"failure begins\" next \"noise\" next \"code 7\" gives { code: 7 }"));
  expect_bad(lines(record + "sample \"failure begins\" next \"a\" next \"b\" next \"code 7\""),
             "RL0313 RL0314", "does not match");
  expect_bad(lines("line \"failure begins\" next \"code {code}\""), "RL0218", "within N lines");
}

TEST_CASE("metrics and records are sampled by objects") {
  const std::string metric =
      "event Row on Node { index word? }\nextract m from metric as Row {\n"
      "where name == \"ROWS\" and value > 0.5\nset index = label(\"gpu\")\n";
  expect_good(metric +
              "sample { name: \"ROWS\", value: 1, labels: { gpu: \"4\" } } gives { index: \"4\" }\n"
              "reject { name: \"ROWS\", value: 0 } }");
  expect_bad(metric + "sample { name: \"ROW\", value: 1 } }", "RL0313 RL0314", "does not hold");
  expect_bad(metric + "sample { nmae: \"ROWS\", value: 1 } }", "RL0313 RL0314 RL0201",
             "did you mean `name`?");
  const std::string record =
      "event State on Attempt { state word }\nextract r from slurm record as State {\n";
  expect_good(record +
              "where record(\"State\") == \"NODE_FAIL\"\nset state = record(\"State\")\n"
              "sample { State: \"NODE_FAIL\" } gives { state: NODE_FAIL } }");
  const std::string restarts =
      "event Restarts on Attempt { n u8? }\nextract r from slurm record as Restarts {\n";
  const std::string typed = restarts + "set n = record(\"Restarts\", u8)\n";
  expect_good(typed + "sample { Restarts: \"7\" } gives { n: 7 } }");
  expect_bad(typed + "sample { Restarts: \"700\" } gives { n: 255 } }", "RL0315", "null");
  const std::string sure =
      "event Restarts on Attempt { n u8 }\nextract r from slurm record as Restarts {\n";
  expect_good(sure +
              "where record(\"Restarts\", u8) > 0\nset n = record(\"Restarts\", u8)\n"
              "sample { Restarts: \"7\" }\nreject { Restarts: \"seven\" } }");
  expect_bad(sure +
                 "where record(\"Restarts\") != \"0\"\nset n = record(\"Restarts\", u8)\n"
                 "sample { Restarts: \"7\" } }",
             "RL0303", "record(\"Restarts\", u8)");
  expect_bad(restarts + "set n = record(\"Restarts\", choice)\nsample { } }", "RL0306",
             "how to read it");
  expect_bad(restarts + "set n = record(\"Restarts\")\nsample { } }", "RL0301", "a number");
  expect_bad(record + "set state = record(\"State\")\nsample { State: \"X\" } }", "RL0303",
             "record(\"State\")");
  expect_bad(record + "where record(\"State\") == \"X\"\nsample { State: \"X\" } }", "RL0304",
             "add `set state = ...`");
}

TEST_CASE("a rising value may say what came before it") {
  const std::string metric =
      "event Row on Node { }\nextract m from metric as Row {\nwhere name == \"R\" and value "
      "rises\n";
  expect_good(metric +
              "sample { name: \"R\", value: 2, previous: 1 }\nreject { name: \"R\", value: 1, "
              "previous: 1 } }");
  expect_good(metric + "sample { name: \"R\", value: 2 } }");
}

TEST_CASE("learn takes captures of the right types") {
  expect_good(
      "extract p from app learn place rank on node gpu busid {\nline \"placement: rank {rank:u32} "
      "bus {busid:pci}\"\nsample \"placement: rank 3 bus 0000:01:00.0\" }");
  expect_bad(
      "extract p from app learn world n {\nline \"placement: {n:word}\"\nsample \"placement: x\" }",
      "RL0301", "a number is wanted");
}

TEST_CASE("sources and families are words") {
  expect_bad(kEvent + "extract e from kernle as E { line \"failure {code}\" sample \"failure 1\" }",
             "RL0209", "did you mean `kernel`?");
  expect_bad(lines("line \"failure {code}\" family kernal sample \"failure 1\""), "RL0209",
             "did you mean `kernel`?");
}

TEST_CASE("at gives an entity of the event's kind") {
  expect_good(lines("line \"failure {code} at {peer:Node}\"\nat peer\nsample \"failure 1 at n2\""));
  expect_bad(lines("line \"failure {code} at {peer:Rank}\"\nat peer\nsample \"failure 1 at 2\""),
             "RL0308", "about a Node, not about a Rank");
}

TEST_CASE("begin uses captures that every alternative has") {
  expect_bad(lines("line \"failure {code} ran {t:ms}\"\nline \"failure {code}\"\nbegin seen - t"),
             "RL0303", "`t` may be null here");
}

TEST_CASE("captures and alternatives are limited") {
  std::string holes;
  for (std::size_t i = 0; i <= kMaxCaptures; ++i) holes += fmt::format(" {{h{}:u8}}", i);
  expect_bad(lines("line \"failures" + holes + "\"\nset code = 1"), "RL0501", "65 captures");
}

}  // namespace
}  // namespace attrib::compiler
