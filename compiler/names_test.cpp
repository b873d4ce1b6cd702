#include "compiler/names.h"

#include "compiler/limits.h"
#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

const std::string kHead = "pack t 1.0.0\nlanguage 1\n";
const std::string kSymptom = "symptom a.b on Node { role origin domain gpu }\n";

void expect_files(const Files& files, const std::string& codes, const std::string& part) {
  Checked checked;
  check_files(&checked, files);
  CHECK_MESSAGE(checked.codes() == codes, checked.report());
  CHECK_MESSAGE(checked.says(part), checked.report());
}

TEST_CASE("an unknown event comes with the nearest one and its place") {
  expect_bad(
      "event Xid on Gpu { code u16 }\n" + kSymptom + "decode d { on x: Xdi emit a.b at x.node {} }",
      "RL0201", "did you mean `Xid`?");
  expect_bad(
      "event Xid on Gpu { code u16 }\n" + kSymptom + "decode d { on x: Xdi emit a.b at x.node {} }",
      "RL0201", "t.rules:3:7: note: `Xid` is declared here");
}

TEST_CASE("names resolve over all files and packs that are used") {
  Checked checked;
  check_files(&checked, {{"a.rules", "pack one 1.0.0\nlanguage 1\nevent Xid on Gpu { code u16 }\n"},
                         {"b.rules", "pack two 1.0.0\nlanguage 1\nuse one\n" + kSymptom +
                                         "decode d { on x: Xid emit a.b at x.node {} }"}});
  CHECK_MESSAGE(checked.module.has_value(), checked.report());
  REQUIRE(checked.module);
  REQUIRE(checked.module->packs.size() == 2);
  CHECK(checked.module->packs[1].uses == std::vector<std::string>{"one"});
}

TEST_CASE("a name of a pack that is not used is refused") {
  expect_files({{"a.rules", "pack one 1.0.0\nlanguage 1\nevent Xid on Gpu { code u16 }\n"},
                {"b.rules", "pack two 1.0.0\nlanguage 1\n" + kSymptom +
                                "decode d { on x: Xid emit a.b at x.node {} }"}},
               "RL0205", "add `use one`");
}

TEST_CASE("duplicates point at both places, whatever pack they are in") {
  expect_files({{"a.rules", "pack one 1.0.0\nlanguage 1\nevent Xid on Gpu { code u16 }\n"},
                {"b.rules", "pack two 1.0.0\nlanguage 1\nevent Xid on Gpu { code u16 }\n"}},
               "RL0202", "a.rules:3:7: note: first declared here");
}

TEST_CASE("rules of different kinds share their names") {
  expect_bad("event E on Node { code u8 }\n" + kSymptom +
                 "decode d { on x: E emit a.b at x.node {} }\n"
                 "outcome d { on s: a.b gives failed rank 1 }",
             "RL0202", "rule `d` is declared twice");
}

TEST_CASE("a file begins with its pack") {
  expect_files({{"a.rules", "language 1\n" + kSymptom}}, "RL0203", "does not begin with");
}

TEST_CASE("a pack that was not given is refused with the nearest") {
  expect_files({{"a.rules", "pack nvidia.gpu 1.0.0\nlanguage 1\n"},
                {"b.rules", "pack b 1.0.0\nlanguage 1\nuse nvidia.gpus\n"}},
               "RL0204", "did you mean `nvidia.gpu`?");
}

TEST_CASE("one pack has one version") {
  expect_files(
      {{"a.rules", "pack p 1.0.0\nlanguage 1\n"}, {"b.rules", "pack p 1.0.1\nlanguage 1\n"}},
      "RL0206", "1.0.1 here and 1.0.0 elsewhere");
}

TEST_CASE("another language is refused") {
  expect_files({{"a.rules", "pack p 1.0.0\nlanguage 2\n"}}, "RL0207", "language 2");
}

TEST_CASE("override is refused, not ignored") {
  expect_bad("override t.r { set window = 300s }", "RL0208", "not supported in language 1");
}

TEST_CASE("names keep to the style of their kind") {
  expect_bad("event xid_error on Gpu { code u16 }", "RL0211", "CamelCase");
}

TEST_CASE("a test file holds nothing but tests") {
  expect_files({{"a_test.rules", kHead + kSymptom}}, "RL0213", "may hold only tests");
}

TEST_CASE("an old name still works and says so") {
  expect_bad(
      "event E on Node { code u8 }\n"
      "symptom a.b on Node { role origin domain gpu was a.old }\n"
      "decode d { on x: E emit a.old at x.node {} }",
      "RL0215", "`a.old` is now called `a.b`");
}

TEST_CASE("an old name may not be a name in use") {
  expect_bad(kSymptom + "symptom a.c on Node { role origin domain gpu was a.b }", "RL0202",
             "first declared here");
}

TEST_CASE("using a deprecated symptom is a warning") {
  const std::string text =
      "event E on Node { code u8 }\n"
      "symptom a.b on Node { role origin domain gpu deprecated \"since 1.2 use a.c\" }\n"
      "decode d { on x: E emit a.b at x.node {} }";
  expect_bad(text, "RL0214", "since 1.2 use a.c");
  Checked checked;
  check_text(&checked, text);
  CHECK(checked.module.has_value());
}

TEST_CASE("the built-in pack cannot be declared") {
  expect_files({{"a.rules", "pack core 1.0.0\nlanguage 1\n"}}, "RL0202", "`core` is built in");
}

TEST_CASE("too many types are refused at the limit") {
  std::string text;
  for (std::size_t i = 0; i < kMaxTypes; ++i) {
    text += fmt::format("symptom s.n{} on Node {{ role end }}\n", i);
  }
  expect_good(text);
  expect_bad(text + "symptom one.more on Node { role end }\n", "RL0501", "4097 symptom types");
}

TEST_CASE("tests of any file change the digest of tests only") {
  Checked one, two;
  check_files(&one, {{"a.rules", kHead + kSymptom}});
  check_files(&two, {{"a.rules", kHead + kSymptom},
                     {"a_test.rules", kHead + "test \"x\" { expect unattributed }\n"}});
  REQUIRE(one.module);
  REQUIRE(two.module);
  CHECK(one.module->tests_digest != two.module->tests_digest);
  CHECK(to_text(*one.module) == to_text(*two.module));
}

}  // namespace
}  // namespace attrib::compiler
