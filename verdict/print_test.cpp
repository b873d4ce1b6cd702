#include "verdict/print.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "verdict/format.h"
#include "verdict/narrate.h"
#include "verdict/samples_test.h"

using namespace attrib;
using namespace attrib::verdict;

namespace {

std::string quote(std::string_view id) {
  if (id == "o1") {
    return "NVRM: Xid (PCI:0000:04:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 "
           "0x00000000 0x00000000)";
  }
  return id.starts_with("app:") ? "Watchdog caught collective operation timeout" : "";
}

Verdict told(Verdict v) {
  narrate(v);
  return v;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

bool holds(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("JSON has the fields of the schema in its order") {
  const auto json = nlohmann::ordered_json::parse(to_json(told(samples::faulty_link())));
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  CHECK(names == std::vector<std::string>{
                     "schema",         "workload", "program",      "outcome",  "endings",
                     "status",         "domain",   "confidence",   "summary",  "root_causes",
                     "affected_nodes", "symptoms", "alternatives", "suspects", "where",
                     "reports",        "ask",      "coverage",     "advice",   "counters"});
  const auto& root = json["root_causes"][0];
  CHECK(root["fields"].dump() == R"({"link":8,"fatal":true,"intr":"0x004505c6"})");
  CHECK(root["begin"].dump() == R"(["2026-05-18T08:31:04.75Z","2026-05-18T08:31:05.25Z"])");
  CHECK(root["first"] == "2026-05-18T08:31:05Z");
  CHECK(root["entity"].dump() == R"({"kind":"node","id":"node-b"})");
  CHECK(root["rank"].is_null());
  const auto& demoted = json["symptoms"][1];
  CHECK(demoted["role"] == "demoted");
  CHECK(demoted["fields"].dump() == R"({"timeout":"10m"})");
  CHECK(
      demoted["demoted_by"].dump() ==
      R"([{"cause":0,"rule":"nccl.behind_nvlink_si","because":"a failing NVLink keeps a collective from ending","strength":"strong"}])");
  CHECK_FALSE(demoted.contains("count"));
  CHECK_FALSE(demoted.contains("proof"));
}

TEST_CASE("only an attributed verdict has a confidence") {
  Verdict v = samples::tied();
  v.confidence = model::Band::Likely;
  const auto json = nlohmann::json::parse(to_json(told(v)));
  CHECK(json["confidence"].is_null());
  CHECK(json["alternatives"].size() == 2);
  CHECK(json["alternatives"][1]["node"] == "node-d");
  CHECK(json["alternatives"][1]["why"] == "tied");
}

TEST_CASE("explain adds proofs and margins, a mask hides the digest") {
  const auto json = nlohmann::json::parse(
      to_json(told(samples::faulty_link()), {.mask_digest = true, .explain = true}));
  CHECK(json["program"]["digest"] == "sha256:masked");
  CHECK(json["symptoms"][0]["proof"]["table_row"] == "xid-tables/nvlink5.csv:12");
  CHECK(json["symptoms"][1]["demoted_by"][0]["margin"]["least_ns"] == 595'000'000'000);
}

TEST_CASE("a job of ten thousand ranks prints under a megabyte and within sixty lines") {
  Verdict v = told(samples::large_job(10239, 8));
  fold(v);
  const std::string json = to_json(v);
  CHECK(json.size() < 100'000);
  const auto entry = nlohmann::json::parse(json)["symptoms"][1];
  CHECK(entry["count"] == 10239);
  CHECK(entry["ranks"] == "0-10238");
  CHECK(entry["nodes"]["total"] == 1280);
  const std::string text = to_text(v, quote);
  CHECK(lines_of(text).size() <= 60);
  CHECK(holds(text, "10,239 ranks on 1,280 nodes"));
}

TEST_CASE("the document is laid out and escaped as a JSON library does it") {
  Verdict v = told(samples::faulty_link());
  v.workload_id =
      "a \"b\" \\ /\n\t\r\b\f\x01\x1f\x7f \xc3\xa9 \xe2\x80\xae \xf0\x9f\x94\xa5";
  v.symptoms[0].fields.push_back({"least", model::int_constant(-9'223'372'036'854'775'807), {}});
  v.symptoms[0].fields.push_back({"odd", model::truth_constant(true), {}});
  v.symptoms[0].fields.back().value.number = 1;
  v.symptoms[1].absences = {{"gpu.xid", "node \"c\"", samples::kStart, samples::kStart + 1, true}};
  v.incomplete = {{"total", "edges", 4'000'000}};
  v.provisional = true;
  v.where.push_back({});
  v.counters["edges"] = std::uint64_t{1} << 63U;
  for (const Verdict& each : {v, Verdict(), told(samples::tied())}) {
    for (const bool explain : {false, true}) {
      const std::string text = to_json(each, {.mask_digest = false, .explain = explain});
      CHECK(text == nlohmann::ordered_json::parse(text).dump(2) + "\n");
    }
  }
  CHECK(nlohmann::json::parse(to_json(v))["workload"]["id"] == v.workload_id);
}

TEST_CASE("a flood of unlike symptoms stays readable in a ticket and in a picture") {
  Verdict v = samples::tied();
  const Symptom victim = samples::victim(1, "node-b");
  for (std::int64_t i = 0; i < 3000; ++i) {
    v.symptoms.push_back(victim);
    v.symptoms.back().symptom = "app.kind" + std::to_string(i);
    if (i < 40) {
      v.alternatives.push_back({{static_cast<std::uint32_t>(v.symptoms.size() - 1)}, "tied"});
    }
  }
  v.symptoms.back().role = model::Role::End;
  narrate(v);
  const std::string ticket = to_markdown(v, quote);
  CHECK(lines_of(ticket).size() < 150);
  CHECK(holds(ticket, "34 more are left out."));
  const std::string dot = to_dot(v);
  CHECK(lines_of(dot).size() < 600);
  CHECK(holds(dot, "more symptoms are left out"));
  CHECK(holds(dot, fmt::format("s{} [label", v.symptoms.size() - 1)));  // The end is drawn.
  CHECK_FALSE(holds(dot, fmt::format("s{} [label", v.symptoms.size() - 2)));
  CHECK(lines_of(to_mermaid(v)).size() < 900);
}

TEST_CASE("bytes that are no UTF-8 cannot break the document") {
  Verdict v = told(samples::faulty_link());
  v.symptoms[0].node = "node\xFF";
  CHECK(nlohmann::json::accept(to_json(v)));
}

TEST_CASE(
    "text gives headline, cause with its lines, timeline, what it explains, gaps and next steps in "
    "order") {
  const std::string text = to_text(told(samples::faulty_link()), quote);
  std::size_t from = 0;
  for (const std::string_view part :
       {"FAILED: NVLink signal integrity fault on node-b", "attributed, likely", "ROOT CAUSE",
        "> o1: NVRM: Xid (PCI:0000:04:00): 149", "TIMELINE", "EXPLAINED BY OTHERS",
        "because a failing NVLink keeps a collective from ending", "MISSING",
        "kernel of node-c: empty", "WHAT TO DO NEXT", "Reset the GPU", "leave out node-b"}) {
    const std::size_t found = text.find(part, from);
    CHECK_MESSAGE(found != std::string::npos, part);
    if (found != std::string::npos) from = found;
  }
  for (const std::string& line : lines_of(text)) CHECK(columns(line) <= 80);
}

TEST_CASE("text stays within sixty lines of eighty columns whatever the verdict holds") {
  Verdict v = samples::large_job(15, 1);
  for (int i = 0; i < 40; ++i) {
    Symptom s = v.symptoms[1];
    s.symptom = "app.error" + std::to_string(i);
    s.title = std::string(60, 'x') + std::to_string(i);
    s.state = SymptomState::Unexplained;
    s.demoted_by.clear();
    v.symptoms.push_back(s);
    v.coverage.push_back(
        {model::SourceKind::App, "n" + std::to_string(i), "failed", std::string(200, 'r')});
    v.ask.push_back(std::string(300, 'q'));
    v.root_causes.push_back(1);
  }
  v.symptoms[0].evidence = {"o1", "o2", "o3", "o4", "o5"};
  const auto endless = [](std::string_view) { return std::string(4000, 'w') + " end"; };
  const std::vector<std::string> lines = lines_of(to_text(told(v), endless));
  CHECK(lines.size() <= 60);
  for (const std::string& line : lines) CHECK(columns(line) <= 80);
  CHECK(lines_of(to_text(v, endless, {.explain = true})).size() > 60);
}

TEST_CASE("a terminal escape in a log line is shown, not obeyed") {
  const auto evil = [](std::string_view) { return std::string("\x1b]0;owned\x07 boom"); };
  Verdict v = told(samples::faulty_link());
  v.symptoms[0].node = "n\x1b[31m";
  v.affected_nodes = v.exclude_nodes = {"n\x1b[31m"};
  v.summary += " \x1b[2J";
  for (const std::string& text :
       {to_text(v, evil), to_markdown(v, evil), to_dot(v), to_mermaid(v)}) {
    CHECK_FALSE(holds(text, "\x1b"));
    CHECK_FALSE(holds(text, "\x07"));
  }
  CHECK(holds(to_text(v, evil), "\\x1B]0;owned\\x07 boom"));
}

TEST_CASE("colour is added only when asked for") {
  const Verdict v = told(samples::faulty_link());
  CHECK_FALSE(holds(to_text(v, quote), "\x1b"));
  CHECK(holds(to_text(v, quote, {.color = true}), "\x1b[1m"));
}

TEST_CASE("explain shows lines, rule, table row, margins and coverage of every claim") {
  Verdict v = told(samples::faulty_link());
  v.symptoms[1].absences = {
      {"nccl.enter", "rank 3", samples::kStart, samples::kStart + model::kHour, true}};
  const std::string text = to_text(v, quote, {.explain = true});
  for (const std::string_view part :
       {"PROOF", "lines o1", "by nvidia.nvlink.nvlink_si, from nvidia.nvlink.xid",
        "xid-tables/nvlink5.csv:12", "9m55s .. 9m56s", "no nccl.enter of rank 3",
        "covered"}) {
    CHECK_MESSAGE(holds(text, part), part);
  }
}

TEST_CASE("an ambiguous verdict lists what ties and accuses nobody") {
  const std::string text = to_text(told(samples::tied()), quote);
  CHECK(holds(text, "FITTING EQUALLY WELL"));
  CHECK(holds(text, "1. NVLink signal integrity fault on node-b"));
  CHECK(holds(text, "2. Lustre client evicted on node-d"));
  CHECK(holds(text, "Compare the NVLink counters"));
  CHECK_FALSE(holds(text, "leave out"));
}

TEST_CASE("markdown keeps log text from becoming markup") {
  Verdict v = told(samples::faulty_link());
  const auto evil = [](std::string_view) { return std::string("``` <script> # head"); };
  v.symptoms[1].title = "a|b <img src=x> [x](http://e)";
  const std::string text = to_markdown(v, evil);
  CHECK(holds(text, "````text\n"));
  CHECK(holds(text, "a\\|b &lt;img src=x&gt; \\[x\\](http://e)"));
  CHECK_FALSE(holds(text, "<img"));
  CHECK(text.starts_with("# NVLink signal integrity fault on node-b"));
}

TEST_CASE("graphs quote their labels and draw weak edges dashed") {
  Verdict v = told(samples::faulty_link());
  v.symptoms[0].title = "a\"]; x [\\";
  v.symptoms[1].demoted_by[0].strong = false;
  const std::string dot = to_dot(v);
  CHECK(holds(dot, "a\\\"]; x [\\\\"));
  CHECK(holds(dot, "s0 -> s1 [label=\"nccl.behind_nvlink_si\", style=dashed];"));
  CHECK(holds(dot, "subgraph cluster_0"));
  const std::string mermaid = to_mermaid(v);
  CHECK(mermaid.starts_with("flowchart LR\n"));
  CHECK(holds(mermaid, "a#quot;]; x ["));
  CHECK(holds(mermaid, "s0 -.->|\"nccl.behind_nvlink_si\"| s1"));
}
