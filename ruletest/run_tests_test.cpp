// Whole test blocks against a small pack: what passes, what fails and how it is told.

#include "ruletest/run_tests.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/diagnostics_render.h"
#include "compiler/check.h"
#include "compiler/generate.h"
#include "compiler/testing.h"
#include "dsl/parse.h"
#include "ruletest/check_names.h"
#include "ruletest/test_evidence.h"

namespace attrib::ruletest {
namespace {

constexpr std::string_view kPack = R"rules(
pack small 1.0.0
language 1
event Xid on Gpu { gpu Gpu  code u16 }
event Timeout on Rank { seq u64 }
event Pending on Node { value_of word? }
extract xid from kernel as Xid {
  line   "NVRM: Xid (PCI:{gpu}): {code}, {...}"
  sample "NVRM: Xid (PCI:0000:04:00): 79, gone" gives { code: 79 }
  reject "NVRM: loading"
}
extract timeout from app as Timeout {
  line   "collective {seq} timed out"
  sample "collective 42 timed out" gives { seq: 42 }
  reject "collective 42 ended"
}
extract pending from metric as Pending {
  where  name == "PENDING" and value > 0
  set    value_of = label("gpu")
  sample { name: "PENDING", value: 1, labels: { gpu: "4" } } gives { value_of: "4" }
}
symptom gpu.fault on Gpu { code u16  role origin  domain gpu  title "GPU fault" }
symptom app.timeout on Rank { seq u64  role victim  domain application }
symptom host.pending on Node { gpu word?  role note }
decode faults { on x: Xid  emit gpu.fault at x.gpu { code: x.code } }
decode timeouts { on t: Timeout  emit app.timeout at t.rank { seq: t.seq } }
decode pendings { on p: Pending  emit host.pending at p.node { gpu: p.value_of } }
demote timeouts_behind_faults {
  cause   c: gpu.fault
  effect  e: app.timeout
  within  0s..10m from c.begin to e.begin
  because "a lost GPU ends no collective"
}
)rules";

struct Suite {
  SourceMap sources;
  DiagnosticSink sink;
  std::vector<dsl::File> files;
  std::optional<compiler::Module> module;

  explicit Suite(std::string_view tests) {
    files.push_back(dsl::parse(sources, sources.add("small.rules", std::string(kPack)), sink));
    files.push_back(dsl::parse(
        sources,
        sources.add("small_test.rules", "pack small 1.0.0\nlanguage 1\n" + std::string(tests)),
        sink));
    module = compiler::check(files, sources, compiler::MemoryData(), {}, sink);
    if (module) check_names(files, *module, sink);
  }
  [[nodiscard]] std::string diagnostics() const { return render_diagnostics(sink, sources, false); }
  TestSummary run(const std::string& filter = "") {
    REQUIRE(diagnostics() == "");
    auto program = program::verify(compiler::generate(*module, sources));
    REQUIRE(program);
    return run_tests(files, sources, program.value(), filter);
  }
};

// A job whose GPU is lost at 5 s and whose rank 3 complains at 60 s.
std::string job_with(const std::string& clauses) {
  return "test \"t\" {\n"
         "  job { world: 8, nodes: [\"n1\", \"n2\"], state: FAILED, end: 100s }\n"
         "  place rank 3 on \"n2\"\n"
         "  log kernel of \"n1\" { 5s \"NVRM: Xid (PCI:0000:04:00): 79, gone\" => xid { code: 79 } "
         "}\n"
         "  log app of rank 3 { 60s \"collective 42 timed out\" }\n" +
         clauses + "\n}\n";
}

std::string report(const std::string& clauses) { return Suite(job_with(clauses)).run().report; }

TEST_CASE("a test passes when all that it expects holds") {
  CHECK(report("expect root gpu.fault at \"n1\" { code: 79 }\n"
               "expect root gpu.fault at gpu \"00000000:04:00.0\" confidence likely\n"
               "expect demoted app.timeout at rank 3 { seq: 42 } by timeouts_behind_faults\n"
               "expect symptom app.timeout role victim\n"
               "expect symptom gpu.fault role root\n"
               "expect no host.pending\n"
               "expect no app.timeout at rank 4\n"
               "expect status attributed\n"
               "expect domain gpu\n"
               "expect affected [\"n1\"]\n"
               "expect no ambiguous") == "1 passed, 0 failed\n");
}

TEST_CASE("a failure is told in three lines: place and title, expected, actual") {
  CHECK(report("expect root gpu.fault at \"n2\"") ==
        "FAIL small_test.rules:8 \"t\"\n"
        "  expected  root gpu.fault at \"n2\"\n"
        "  actual    root gpu.fault at \"n1\" at gpu \"0000:04:00\" { code: 79 } (likely)\n"
        "FAIL small_test.rules:8 \"t\"\n"
        "  expected  no other root\n"
        "  actual    root gpu.fault at \"n1\" at gpu \"0000:04:00\" { code: 79 } (likely)\n"
        "0 passed, 1 failed\n");
}

TEST_CASE("the set of roots is closed, unless roots include is written") {
  const std::string second =
      "log kernel of \"n2\" { 5s \"NVRM: Xid (PCI:0000:05:00): 48, gone\" }\n";
  CHECK(report(second + "expect root gpu.fault { code: 79 }").find("expected  no other root") !=
        std::string::npos);
  CHECK(report(second + "expect roots include gpu.fault { code: 79 }") == "1 passed, 0 failed\n");
}

TEST_CASE("each kind of expectation can fail") {
  for (const char* clause :
       {"expect root app.timeout", "expect demoted gpu.fault",
        "expect demoted app.timeout at rank 4", "expect demoted app.timeout confidence certain",
        "expect symptom gpu.fault { code: 80 }", "expect symptom gpu.fault role victim",
        "expect symptom gpu.fault at attempt", "expect no gpu.fault",
        "expect no app.timeout at rank 3", "expect status ambiguous", "expect outcome completed",
        "expect domain nvlink", "expect affected []", "expect affected [\"n1\", \"n2\"]",
        "expect exclude [\"n2\"]", "expect ambiguous",
        "expect ambiguous between gpu.fault, app.timeout", "expect unattributed",
        "expect ask \"something\""}) {
    CHECK_MESSAGE(report(clause).find("0 passed, 1 failed\n") != std::string::npos,
                  std::string(clause));
  }
}

TEST_CASE("a line must match an extract, or say that nothing matches it") {
  CHECK(report("log kernel of \"n1\" { 1s \"NVRM: loading\" }\nexpect status attributed") ==
        "FAIL small_test.rules:8 \"t\"\n"
        "  expected  some extract matches this line (or it says `=> nothing`)\n"
        "  actual    none matches \"NVRM: loading\"\n"
        "0 passed, 1 failed\n");
  CHECK(report(
            "log kernel of \"n1\" { 1s \"NVRM: loading\" => nothing }\nexpect status attributed") ==
        "1 passed, 0 failed\n");
  CHECK(report("log app { 1s \"collective 1 timed out\" => nothing }\nexpect status attributed")
            .find("actual    small.timeout { seq: 1 }") != std::string::npos);
  CHECK(report("log app { 1s \"collective 1 timed out\" => timeout { seq: 2 } }\nexpect status "
               "attributed")
            .find("expected  event of timeout { seq: 2 }") != std::string::npos);
  CHECK(report("log app { 1s \"collective 1 timed out\" => small.xid }\nexpect status attributed")
            .find("expected  event of small.xid {}") != std::string::npos);
}

TEST_CASE("metrics and records are evidence too") {
  CHECK(report("metric of \"n1\" { 10s { name: \"PENDING\", value: 1, labels: { gpu: \"4\" } } => "
               "pending { value_of: \"4\" } }\n"
               "expect symptom host.pending at \"n1\" { gpu: \"4\" }") == "1 passed, 0 failed\n");
  CHECK(report("metric of \"n1\" { 10s { name: \"PENDING\", value: 0 } => nothing }\nexpect no "
               "host.pending") == "1 passed, 0 failed\n");
  CHECK(report("record slurm { 10s { State: NODE_FAIL } => nothing }\nexpect no host.pending") ==
        "1 passed, 0 failed\n");
}

TEST_CASE("the filter picks tests by file, line or title, and picking none is a failure") {
  Suite suite(job_with("expect domain gpu") + job_with("expect domain nvlink"));
  CHECK(suite.run("small_test.rules:3 t").report == "1 passed, 0 failed\n");
  const TestSummary none = suite.run("zzz");
  CHECK(none.report == "no test has this in its file, line or title: zzz\n0 passed, 0 failed\n");
  CHECK_FALSE(none.ok());
  CHECK_FALSE(Suite("").run().ok());
  CHECK(Suite("").run().report == "there are no tests\n0 passed, 0 failed\n");
}

TEST_CASE("unknown names, wrong words, values and empty parts are found before a test runs") {
  const auto finds = [](const std::string& clauses, std::string_view part) {
    const std::string all = Suite(job_with(clauses)).diagnostics();
    if (all.find(part) == std::string::npos) MESSAGE(all);
    return all.find(part) != std::string::npos;
  };
  CHECK(finds("", "error[RL0701]: the test expects nothing"));
  CHECK(finds("log app { }\nexpect domain gpu", "error[RL0702]: the log has no line"));
  CHECK(finds("expect root gpu.falt", "error[RL0201]: no symptom is called `gpu.falt`"));
  CHECK(finds("expect root gpu.falt", "hint: did you mean `gpu.fault`?"));
  CHECK(finds("expect demoted app.timeout by timeout_behind_faults", "no demote rule is called"));
  CHECK(
      finds("log app { 0s \"x\" => timout }\nexpect domain gpu", "no extract is called `timout`"));
  CHECK(finds("expect root gpu.fault { cod: 79 }", "symptom `gpu.fault` has no field `cod`"));
  CHECK(
      finds("log app { 0s \"x\" => timeout { sec: 1 } }\nexpect domain gpu", "has no field `sec`"));
  CHECK(finds("expect status attribute", "`attribute` is not a known status"));
  CHECK(finds("expect outcome failure", "`failure` is not a known outcome"));
  CHECK(finds("expect domain gpus", "error[RL0209]"));
  CHECK(finds("expect root gpu.fault confidence sure", "`sure` is not a known confidence"));
  CHECK(finds("expect symptom gpu.fault role rooot", "hint: did you mean `root`?"));
  CHECK(finds("log kernal { 0s \"x\" }\nexpect domain gpu", "hint: did you mean `kernel`?"));
  CHECK(finds("source app status broken\nexpect domain gpu",
              "`broken` is not a known status of a source"));
  CHECK(finds("log app { 0s { a: 1 } }\nexpect domain gpu",
              "error[RL0703]: an entry of this log must be a line in double quotes"));
  CHECK(finds("record slurm { 0s \"x\" }\nexpect domain gpu", "must be fields in braces"));
  CHECK(finds("record slurm { 0s { a: 1 + 2 } }\nexpect domain gpu", "error[RL0703]"));
  const std::string job =
      Suite("test \"t\" { job { wrld: 3, end: 100 } expect domain gpu }").diagnostics();
  CHECK(job.find("hint: did you mean `world`?") != std::string::npos);
  CHECK(job.find("error[RL0114]: `100` is not a duration") != std::string::npos);
}

dsl::TestDecl parse_test(std::string_view text) {
  SourceMap sources;
  DiagnosticSink sink;
  dsl::File file = dsl::parse(sources, sources.add("t", std::string(text)), sink);
  REQUIRE(file.decls.size() == 1);
  return std::get<dsl::TestDecl>(std::move(file.decls[0]));
}

TEST_CASE(
    "a line of a node is stamped by that node's clock, and its log says how far that may be off") {
  const dsl::TestDecl test = parse_test(
      "test \"t\" { clock \"n1\" offset 180ms error 250ms  place rank 3 on \"n1\"\n"
      "  log kernel of \"n1\" { 1s \"a\" }  log app of rank 3 { 1s \"b\" }  log app { 1s \"c\" } "
      "expect unattributed }");
  const auto json = nlohmann::json::parse(evidence_document(test));
  const std::int64_t start = json["workload"]["start"];
  CHECK(json["observations"][0]["ts"] == start + 1'180'000'000);
  CHECK(json["observations"][1]["ts"] == start + 1'180'000'000);
  CHECK(json["observations"][2]["ts"] == start + 1'000'000'000);
  REQUIRE(json["sources"].size() == 2);
  CHECK(json["sources"][0]["clock_error"] == "250000000ns");
  CHECK(json["sources"][1]["node"] == "n1");
}

TEST_CASE("sources say what they cover and that they failed") {
  const auto json = nlohmann::json::parse(evidence_document(
      parse_test("test \"t\" { source kernel of \"n1\" status failed covers 0s..10s  source app of "
                 "rank 3 on \"n2\" expect unattributed }")));
  REQUIRE(json["sources"].size() == 2);
  CHECK(json["sources"][1]["status"] == "failed");
  CHECK(json["sources"][1]["coverage"][0][1].get<std::int64_t>() -
            json["workload"]["start"].get<std::int64_t>() ==
        10'000'000'000);
  CHECK(json["sources"][0]["rank"] == 3);
  CHECK(json["sources"][0]["status"] == "ok");
}

TEST_CASE("lines that are copies of one another are found under one observation") {
  const auto made = make_evidence(parse_test(
      "test \"t\" { log app { 1s \"same\"  1s \"same\"  2s \"other\" } expect unattributed }"));
  REQUIRE(made);
  CHECK(made.value().observations[0][0] == made.value().observations[0][1]);
  CHECK(made.value().observations[0][0] != made.value().observations[0][2]);
}

TEST_CASE("the evidence of tests is written with the offsets of their clocks") {
  SourceMap sources;
  DiagnosticSink sink;
  std::vector<dsl::File> files;
  files.push_back(dsl::parse(
      sources,
      sources.add("a_test.rules",
                  "test \"one\" { clock \"n1\" offset 180ms error 250ms  log kernel of \"n1\" { 1s "
                  "\"a\" } expect unattributed }\n"
                  "test \"two\" { log app { 1s \"b\" } expect unattributed }"),
      sink));
  const auto only = nlohmann::json::parse(test_documents(files, sources, "one"));
  CHECK(only["test"] == "a_test.rules one");
  CHECK(only["clock_offsets"]["n1"] == 180'000'000);
  CHECK(only["document"]["observations"][0]["message"] == "a");
  const std::string both = test_documents(files, sources, "");
  CHECK(std::count(both.begin(), both.end(), '\n') == 2);
}

TEST_CASE("a value that evidence cannot hold is an error of its own") {
  CHECK_FALSE(make_evidence(parse_test("test \"t\" { job { world: many } expect unattributed }")));
}

}  // namespace
}  // namespace attrib::ruletest
