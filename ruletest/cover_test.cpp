// What counts as covered, on a small pack whose tests leave some of it out.

#include "ruletest/cover.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/generate.h"
#include "compiler/testing.h"
#include "dsl/parse.h"
#include "ruletest/check_names.h"
#include "ruletest/cover_report.h"

namespace attrib::ruletest {
namespace {

constexpr std::string_view kPack = R"rules(
pack small 1.0.0
language 1
event Fault on Node { code u16 }
event Slow on Node { code u16 }
event Timeout on Rank { seq u64  coll Collective }
event Entered on Rank { coll Collective }
extract fault from kernel as Fault {
  line   "devices: fault {code}"
  line   "devices: broken, code {code}"
  sample "devices: fault 79"
  sample "devices: broken, code 80"
  reject "devices: faulty 79"
}
extract slow from kernel as Slow {
  line   "devices: slow {code}"
  sample "devices: slow 1"
}
extract timeout from app as Timeout {
  line   "collective {seq} timed out"
  set    coll = collective("world", seq)
  sample "collective 42 timed out"
  reject "collective 42 ended"
}
extract entered from app as Entered {
  line   "entered collective {seq:u64}"
  set    coll = collective("world", seq)
  sample "entered collective 42"
  reject "left collective 42"
}
symptom host.fault on Node { code u16  role origin  domain host  tags [bad] }
symptom host.hot on Node { code u16  role origin  domain power_cooling  tags [bad] }
symptom host.slow on Node { code u16  role relay  domain host }
symptom app.timeout on Rank { coll Collective  role victim  domain application }
symptom app.entered on Rank { coll Collective  role note }
symptom app.missing on Rank { coll Collective  role relay  domain application }
symptom app.maybe_missing on Rank { coll Collective  role note }
symptom job.ended on Attempt { word word?  role end }
decode some_faults { on x: Fault where x.code == 79  emit host.fault at x.node { code: x.code } }
decode hot { on x: Fault where x.code == 81  emit host.hot at x.node { code: x.code } }
decode all_slow { on x: Slow  emit host.slow at x.node { code: x.code } }
decode timeouts { on t: Timeout  emit app.timeout at t.rank { coll: t.coll } }
decode enters { on n: Entered  emit app.entered at n.rank { coll: n.coll } }
decode ended { on j: JobState where has j.state  emit job.ended at attempt { word: j.state } }
infer missing {
  each    w: app.timeout
  absent  n: app.entered where n.rank == w.rank and n.coll == w.coll during w.begin - 5m .. w.seen
          covered by app of w.rank
  emit    app.missing at w.rank { coll: w.coll }
  unknown emit app.maybe_missing at w.rank { coll: w.coll }
}
demote behind_faults {
  cause   c: any where c.tags has bad
  effect  e: app.timeout
  within  0s..1m from c.begin to e.begin
  because "a faulty host ends no collective"
}
outcome failed { on j: job.ended where has j.word and j.word == "FAILED"  gives failed  rank 10 }
ambiguous two {
  among   a, b: root of job
  when    tied(a, b) and not related(a, b)
  verdict undecided
  report  "{a} or {b}"
}
)rules";

struct Suite {
  SourceMap sources;
  Cover covered;

  explicit Suite(const std::string& tests, std::string_view pack = kPack,
                 const CoverOptions& options = {}) {
    DiagnosticSink sink;
    std::vector<dsl::File> files;
    files.push_back(dsl::parse(sources, sources.add("small.rules", std::string(pack)), sink));
    files.push_back(dsl::parse(
        sources, sources.add("small_test.rules", "pack small 1.0.0\nlanguage 1\n" + tests), sink));
    const auto module = compiler::check(files, sources, compiler::MemoryData(), {}, sink);
    if (module) check_names(files, *module, sink);
    REQUIRE(render_diagnostics(sink, sources, false) == "");
    auto program = program::verify(compiler::generate(*module, sources));
    REQUIRE(program);
    covered = cover(files, sources, *module, program.value(), options);
  }

  // "fires decode some_faults" of all that is not covered.
  [[nodiscard]] std::vector<std::string> missing() const {
    std::vector<std::string> out;
    for (const CoverItem& item : covered.items) {
      if (item.covered) continue;
      std::string text = std::string(to_text(item.kind)) + " " + item.rule.substr(6);
      if (item.missing.find("emit") != std::string::npos) text += " " + item.missing.substr(4, 9);
      out.push_back(text);
    }
    return out;
  }
  [[nodiscard]] bool misses(const std::string& what) const {
    const auto all = missing();
    return std::find(all.begin(), all.end(), what) != all.end();
  }
};

std::string test_of(const std::string& clauses) {
  return "test \"t\" { job { world: 8, nodes: [\"n1\", \"n2\"], state: FAILED, end: 1000s }\n" +
         clauses + "  expect outcome failed }\n";
}
std::string kernel(const std::string& node, int seconds, const std::string& line) {
  return "log kernel of \"" + node + "\" { " + std::to_string(seconds) + "s \"" + line + "\" }\n";
}
std::string app(int rank, int seconds, const std::string& line) {
  return "log app of rank " + std::to_string(rank) + " { " + std::to_string(seconds) + "s \"" +
         line + "\" }\n";
}
using Lines = std::vector<std::string>;

TEST_CASE("without tests every rule lacks its case, and each with a condition its near miss") {
  CHECK(Suite("").missing() ==
        Lines{"rejects slow", "fires some_faults", "near_misses some_faults", "fires hot",
              "near_misses hot", "fires all_slow", "fires timeouts", "fires enters", "fires ended",
              "near_misses ended", "fires missing", "near_misses missing",
              "fires missing `unknown ", "fires behind_faults", "near_misses behind_faults",
              "fires failed", "near_misses failed", "fires two", "near_misses two"});
}

TEST_CASE("a decode's near miss is an event of its type for which it does not fire") {
  const Suite fires(test_of(kernel("n1", 5, "devices: fault 79")));
  CHECK_FALSE(fires.misses("fires some_faults"));
  CHECK(fires.misses("near_misses some_faults"));
  const Suite quiet(test_of(kernel("n1", 5, "devices: broken, code 80")));
  CHECK(quiet.misses("fires some_faults"));
  CHECK_FALSE(quiet.misses("near_misses some_faults"));
  CHECK_FALSE(
      Suite(test_of(kernel("n1", 5, "devices: fault 79") + kernel("n1", 6, "devices: fault 7")))
          .misses("near_misses some_faults"));
}

TEST_CASE("a demotion's near miss has a cause and an effect that it does not connect") {
  const std::string fault = kernel("n1", 5, "devices: fault 79");
  const Suite fires(test_of(fault + app(3, 30, "collective 42 timed out")));
  CHECK_FALSE(fires.misses("fires behind_faults"));
  CHECK(fires.misses("near_misses behind_faults"));
  const Suite late(test_of(fault + app(3, 300, "collective 42 timed out")));
  CHECK(late.misses("fires behind_faults"));
  CHECK_FALSE(late.misses("near_misses behind_faults"));
  // `any` is narrowed by its tag: a slow host is no cause of this rule.
  const Suite other(
      test_of(kernel("n1", 5, "devices: slow 1") + app(3, 30, "collective 42 timed out")));
  CHECK(other.misses("near_misses behind_faults"));
  CHECK_FALSE(Suite(test_of(fault + app(3, 30, "collective 42 timed out") +
                            app(4, 300, "collective 43 timed out")))
                  .misses("near_misses behind_faults"));
}

TEST_CASE("an infer rule's other emissions fire by themselves and are its near misses") {
  const std::string wait = app(3, 500, "collective 42 timed out");
  const std::string covers = "source app of rank 3 covers 0s..1000s\n";
  const Suite fires(test_of(covers + wait));
  CHECK_FALSE(fires.misses("fires missing"));
  CHECK(fires.misses("near_misses missing"));
  CHECK(fires.misses("fires missing `unknown "));
  const Suite unknown(test_of(wait));
  CHECK(unknown.misses("fires missing"));
  CHECK_FALSE(unknown.misses("near_misses missing"));
  CHECK_FALSE(unknown.misses("fires missing `unknown "));
  const Suite entered(test_of(covers + wait + app(3, 400, "entered collective 42")));
  CHECK(entered.misses("fires missing"));
  CHECK_FALSE(entered.misses("near_misses missing"));
}

TEST_CASE("an ambiguous rule stays quiet where one of two causes explains more") {
  const std::string two = kernel("n1", 5, "devices: fault 79") +
                          kernel("n2", 5, "devices: fault 81") +
                          app(3, 30, "collective 42 timed out");
  const Suite fires(test_of(two));
  CHECK_FALSE(fires.misses("fires two"));
  CHECK(fires.misses("near_misses two"));
  const Suite quiet(test_of(kernel("n1", 5, "devices: fault 79") +
                            kernel("n1", 5, "devices: slow 1") +
                            app(3, 30, "collective 42 timed out")));
  CHECK(quiet.misses("fires two"));
  CHECK_FALSE(quiet.misses("near_misses two"));
}

TEST_CASE("an outcome's near miss is its symptom with another word") {
  CHECK(Suite(test_of("")).misses("near_misses failed"));
  CHECK_FALSE(Suite(test_of("") + "test \"u\" { job { state: LATE } expect outcome unknown }\n")
                  .misses("near_misses failed"));
}

TEST_CASE("a sample that framing cuts in two reaches nothing, and a test line may instead") {
  const std::string pack =
      "pack small 1.0.0\nlanguage 1\nevent E on Node { code u16 }\n"
      "extract e from kernel as E {\n"
      "  line   \"[   12.5] devices: fault {code}\"\n"
      "  sample \"[   12.5] devices: fault 79\"\n"
      "  reject \"[   12.5] devices: faulty 79\"\n"
      "}\n";
  const Suite cut("", pack);
  CHECK(cut.missing() == Lines{"alternatives e"});
  CHECK(cut.covered.tested_alternatives == 0);
  const Suite whole("", std::string(kPack));
  CHECK_FALSE(whole.misses("alternatives fault"));
  CHECK(Suite(test_of(kernel("n1", 5, "devices: fault 79"))).covered.tested_alternatives == 1);
}

// "where x.code == 79" of all conditions that no near miss is about.
Lines untested(const std::string& tests) {
  const Suite suite(tests, kPack, {.conditions = true});
  Lines out;
  for (const CoverItem& item : suite.covered.items) {
    if (item.kind != CoverKind::Condition || item.covered) continue;
    out.push_back(item.rule.substr(6) + ": " + item.missing.substr(item.missing.find(": ") + 2));
  }
  return out;
}

TEST_CASE("a condition is covered where it alone keeps its rule quiet") {
  const Lines all = {"some_faults: where x.code == 79",
                     "hot: where x.code == 81",
                     "missing: absent n: app.entered where n.rank == w.rank and n.coll == w.coll "
                     "during w.begin - 5m "
                     ".. w.seen cove...",
                     "behind_faults: where c.tags has bad",
                     "behind_faults: within 0s..1m",
                     "failed: where j.word == \"FAILED\""};
  CHECK(untested("") == all);
  const auto lacks = [](const std::string& tests, const std::string& condition) {
    const Lines found = untested(tests);
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& each) { return each.starts_with(condition); });
  };
  const std::string fault = kernel("n1", 5, "devices: fault 79");
  const std::string soon = app(3, 30, "collective 42 timed out");
  CHECK(lacks(test_of(fault), "some_faults"));
  CHECK_FALSE(lacks(test_of(kernel("n1", 5, "devices: fault 80")), "some_faults"));
  // The pair is in the window and has the tag: nothing is missing. Then only the time, only the
  // tag.
  CHECK(lacks(test_of(fault + soon), "behind_faults: within"));
  CHECK(lacks(test_of(fault + soon), "behind_faults: where"));
  CHECK_FALSE(
      lacks(test_of(fault + app(3, 300, "collective 42 timed out")), "behind_faults: within"));
  CHECK_FALSE(lacks(test_of(kernel("n1", 5, "devices: slow 1") + soon), "behind_faults: where"));
  // Both are missing: neither condition is tested by that, though it is a near miss.
  const std::string both =
      test_of(kernel("n1", 5, "devices: slow 1") + app(3, 300, "collective 42 timed out"));
  CHECK(lacks(both, "behind_faults: within"));
  CHECK(lacks(both, "behind_faults: where"));
  const std::string covers = "source app of rank 3 covers 0s..1000s\n";
  CHECK(lacks(test_of(covers + app(3, 500, "collective 42 timed out")), "missing: absent"));
  CHECK_FALSE(lacks(test_of(covers + app(3, 500, "collective 42 timed out") +
                            app(3, 400, "entered collective 42")),
                    "missing: absent"));
}

TEST_CASE("rows of tables count only if asked for, and not the default one") {
  const std::string pack =
      "pack small 1.0.0\nlanguage 1\nevent E on Node { code u16 }\n"
      "extract e from kernel as E {\n"
      "  line \"devices: fault {code}\"  sample \"devices: fault 1\"  reject \"devices: faulty "
      "1\"\n"
      "}\n"
      "symptom s.s on Node { what word  role origin  domain host }\n"
      "table t (code u16) -> (what word) {\n  match first\n  | 1 => one\n  | 2 => two\n"
      "  default => other\n}\n"
      "decode d { on x: E  lookup t[x.code] as row  emit s.s at x.node { what: row.what } }\n";
  const std::string test = "test \"t\" {\n" + kernel("n1", 5, "devices: fault 2") +
                           kernel("n1", 6, "devices: fault 3") + "expect symptom s.s }\n";
  CHECK(Suite(test, pack).missing().empty());
  const Suite rows(test, pack, {.rows = true});
  CHECK(rows.missing() == Lines{"rows t"});
  const CoverReport report(rows.covered, "");
  CHECK(report.text().find("small.rules:10: table small.t: no test looks this row up\n") == 0);
  CHECK(report.text().find("\nrows              1 of     2") != std::string::npos);
}

TEST_CASE("a test that fails covers nothing") {
  const Suite failed("test \"t\" { job { world: 8, state: FAILED, end: 100s }\n" +
                     kernel("n1", 5, "devices: fault 79") + " expect outcome completed }\n");
  CHECK(failed.covered.failed == 1);
  CHECK(failed.covered.failures.find("FAIL small_test.rules:") == 0);
  CHECK(failed.misses("fires some_faults"));
}

TEST_CASE("percentages are rounded down, and nothing of nothing is all") {
  CHECK(CoverCount{2999, 3000}.permille() == 999);
  CHECK(CoverCount{3000, 3000}.permille() == 1000);
  CHECK(CoverCount{}.permille() == 1000);
}

TEST_CASE("the report lists places, packs and kinds, as text and as data") {
  const Suite suite(test_of(kernel("n1", 5, "devices: fault 79")));
  const CoverReport all(suite.covered, "");
  CHECK(all.text().find("small.rules:15: extract small.slow: it has no `reject`\n") == 0);
  CHECK(all.text().find("\nsmall     ") != std::string::npos);
  const auto json = nlohmann::json::parse(all.json());
  CHECK(json["schema"] == "attrib.cover/1");
  CHECK(json["tests"]["passed"] == 1);
  CHECK(json["kinds"]["alternatives"]["percent"] == 100.0);
  CHECK(json["missing"][0]["rule"] == "small.slow");
  CHECK(json["missing"][0]["kind"] == "rejects");
  CHECK(json["missing"][0]["line"] == 15);
  CHECK(json["missing"].size() == all.all().total - all.all().covered);
  const CoverReport one(suite.covered, "small.some_faults");
  CHECK(one.all().total == 2);
  CHECK(one.all().covered == 1);
}

}  // namespace
}  // namespace attrib::ruletest
