#include "service/v1_observation.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "evidence/read.h"
#include "service/json.h"
#include "service/v1_words.h"

namespace attrib::service {
namespace {

constexpr std::int64_t kBase = 1'779'107'465'120'000'000;  // 2026-05-18T12:31:05.12Z

struct Entry {
  std::int64_t at;
  std::string text;
  std::string node = "node-b";
  std::string program = "kernel";
};

Json stream(const std::vector<Entry>& entries, const std::string& job = "j") {
  Json out;
  out["stream"] = {
      {"job", job}, {"app", job == "nvrx" ? "dmesg" : "kernel"}, {"hostname", "label-node"}};
  out["values"] = Json::array();
  for (const Entry& each : entries) {
    const Json inner = {
        {"body", each.text},
        {"severity", "err"},
        {"attributes", {{"hostname", each.node}, {"appname", each.program}, {"facility", 0}}},
        {"resources", Json::object()}};
    out["values"].push_back(Json::array({fmt::format("{}", each.at), inner.dump()}));
  }
  return out;
}

std::string body(const Json& payload, const std::string& source = "syslog",
                 const std::string& format = "raw_loki_streams") {
  const Json out = {
      {"context",
       {{"time_interval",
         {{"start", "2026-05-18T12:30:00+00:00"}, {"end", "2026-05-18T12:42:00+00:00"}}},
        {"resources", "AllJobResources"},
        {"source", source},
        {"format", format}}},
      {"body", payload.dump()}};
  return out.dump();
}

Ingested good(const std::string& text) {
  V1Read out = ingest_v1(text);
  const auto* problem = std::get_if<Problem>(&out.ingest);
  REQUIRE_MESSAGE(problem == nullptr, (problem == nullptr ? "" : problem->detail));
  return std::get<Ingested>(std::move(out.ingest));
}

std::vector<Json> lines(const Ingested& read, bool with_sources = false) {
  std::vector<Json> out;
  std::string_view text = read.content;
  while (!text.empty()) {
    const Json line = Json::parse(text.substr(0, text.find('\n')));
    if (with_sources || !line.contains("sources")) out.push_back(line);
    text.remove_prefix(text.find('\n') + 1);
  }
  return out;
}

TEST_CASE("real stamps stay exact, and what was delivered is covered") {
  const Ingested read = good(body(Json::array(
      {stream({{kBase, "NVRM: Xid (PCI:0000:04:00): 79, x"}, {kBase + 1'000'000'000, "y"}})})));
  const auto got = lines(read);
  REQUIRE(got.size() == 2);
  CHECK(got[0] == Json({{"ts", "2026-05-18T12:31:05.120Z"},
                        {"source", "kernel"},
                        {"node", "node-b"},
                        {"message", "NVRM: Xid (PCI:0000:04:00): 79, x"}}));
  const Json sources = lines(read, true)[0]["sources"];
  REQUIRE(sources.size() == 2);  // Of the lines' node, and of the one that the label names.
  CHECK(sources[1]["node"] == "node-b");
  CHECK(sources[1]["coverage"] ==
        Json::array({Json::array({"2026-05-18T12:30:00Z", "2026-05-18T12:42:00Z"})}));
}

TEST_CASE("stamps a nanosecond apart are made up: order and window are all they tell") {
  const Ingested read = good(body(Json::array(
      {stream({{kBase, "[   10.000000] a", "n1"}, {kBase + 1, "[   40.500000] b", "n1"}}),
       stream({{kBase + 2, "c", "n2"}, {kBase + 3, "c", "n2"}})})));
  const auto got = lines(read);
  REQUIRE(got.size() == 4);
  // Five seconds for what `dmesg` takes the window's start for; the seconds since boot between both
  // lines are known.
  CHECK(got[0]["ts"] == "2026-05-18T12:29:55Z");
  CHECK(got[0]["until"] == "2026-05-18T12:41:29.5Z");
  CHECK(got[1]["ts"] == "2026-05-18T12:30:25.5Z");
  CHECK(got[1]["until"] == "2026-05-18T12:42:00Z");
  CHECK(got[1]["seq"] == 1);
  CHECK(got[2]["until"] == "2026-05-18T12:42:00Z");
  CHECK(got[2]["file"] != got[0]["file"]);
  CHECK(lines(read, true).size() ==
        4);  // Nobody knows what the client left out: nothing is covered.
  const auto read_back = evidence::read({{"in", std::nullopt, read.content}}, {});
  REQUIRE(read_back.ok());
  const auto& all = read_back.value().observations;
  REQUIRE(all.size() == 4);  // Equal lines of one window are repeats, no copies.
  for (const auto& one : all) {
    for (const auto& other : all) {
      if (one.node != other.node)
        CHECK(model::before(one.seen, other.seen) == model::Truth::Unknown);
    }
  }
}

TEST_CASE("one line of the public client is made up too, and of another one is not") {
  CHECK(lines(good(body(Json::array({stream({{kBase, "a"}}, "nvrx")}))))[0].contains("until"));
  CHECK_FALSE(lines(good(body(Json::array({stream({{kBase, "a"}})}))))[0].contains("until"));
  // Loki sets equal stamps a nanosecond apart; among others they are real.
  const auto real = lines(good(
      body(Json::array({stream({{kBase, "a"}, {kBase + 1, "b"}, {kBase + 5'000'000'000, "c"}})}))));
  for (const Json& each : real) CHECK_FALSE(each.contains("until"));
}

TEST_CASE("a source is known by the context and by the program that wrote the line") {
  const auto kind = [](const std::string& source, const std::string& program) {
    return lines(
        good(body(Json::array({stream({{kBase, "a", "n", program}})}), source)))[0]["source"];
  };
  CHECK(kind("syslog", "kernel") == "kernel");
  CHECK(kind("syslog", "sshd") == "syslog");
  CHECK(kind("syslog", "nv-fabricmanager") == "fabric_manager");
  CHECK(kind("syslog", "slurmd") == "slurm");
  CHECK(kind("applog", "kernel") == "app");
  CHECK(kind("unknown", "kernel") == "kernel");
  const auto message = [](const std::string& text) {
    return lines(good(body(Json::array({stream({{kBase, text, "n", "systemd"}})}))))[0]["message"];
  };
  CHECK(message("System is powering down") == "systemd: System is powering down");
  CHECK(message("systemd[1]: System is powering down") == "systemd[1]: System is powering down");
}

TEST_CASE("a line that is no JSON is the line; its node is the stream's") {
  Json payload = Json::array({stream({})});
  payload[0]["values"].push_back(Json::array({"1779107465000000000", "plain text"}));
  payload[0]["values"].push_back(Json::array({"1779107467000000000", "{\"log\": 1}"}));
  const auto got = lines(good(body(payload, "applog")));
  CHECK(got[0] == Json({{"ts", "2026-05-18T12:31:05Z"},
                        {"source", "app"},
                        {"node", "label-node"},
                        {"message", "plain text"}}));
  CHECK(got[1]["message"] == "{\"log\": 1}");
  CHECK(lines(good(body(
            {{"status", "success"}, {"data", {{"resultType", "streams"}, {"result", payload}}}},
            "applog"))) == got);
  CHECK(lines(good(body({{"streams", payload}}, "applog"))) == got);
}

TEST_CASE("a line without a program is of the stream's") {
  Json payload = Json::array({stream({})});
  payload[0]["values"].push_back(Json::array({"1779107465000000000", "NVRM: x"}));
  CHECK(lines(good(body(payload)))[0]["source"] == "kernel");
  payload[0]["stream"]["app"] = "promtail";
  CHECK(lines(good(body(payload)))[0]["source"] == "syslog");
}

TEST_CASE("bad entries are named by their place") {
  Json payload = Json::array({stream({{kBase, "fine"}}), 7});
  payload[0]["values"].push_back(Json::array({"soon", "x"}));
  payload[0]["values"].push_back(Json::array({"1", 2}));
  const Ingested read = good(body(payload));
  CHECK(read.accepted == 1);
  REQUIRE(read.problems.size() == 3);
  CHECK(read.problems[0].starts_with("streams[1]: "));
  CHECK(read.problems[1].starts_with("streams[0].values[1]: expected"));
  CHECK(good(body(Json::array())).accepted == 0);
}

TEST_CASE("so many streams of a delivery are read, and so many nodes are covered") {
  std::string payload = "[";
  for (int i = 0; i < 65'540; ++i)
    payload += fmt::format(R"({{"stream":{{"hostname":"n{}"}},"values":[]}},)", i);
  payload.back() = ']';
  Collector collector;
  V1Context context;
  context.start = 0;
  context.end = model::kHour;
  REQUIRE(collect_loki(payload, context, &collector));
  const auto read = std::move(collector).finish(true);
  REQUIRE(std::holds_alternative<Problem>(
      read));  // Nothing is said of any node, and four streams are rejected.
  CHECK(std::get<Problem>(read).problems.size() == 4);
}

TEST_CASE("vectors and matrices are samples with their labels") {
  const Json vector = {
      {"resultType", "vector"},
      {"result",
       {{{"metric", {{"__name__", "up"}, {"instance", "node-a:9400"}, {"job", "dcgm"}}},
         {"value", {1779107465.12, "7.3e+08"}}}}}};
  const auto one = lines(
      good(body({{"status", "success"}, {"data", vector}}, "node_metrics", "prometheus_metrics")));
  REQUIRE(one.size() == 1);
  CHECK(one[0]["node"] == "node-a");
  CHECK(one[0]["name"] == "up");
  CHECK(one[0]["value"] == 7.3e8);
  CHECK(one[0]["ts"] == 1779107465.12);
  CHECK(one[0]["labels"] == Json({{"instance", "node-a:9400"}, {"job", "dcgm"}}));
  const Json matrix = {
      {"result",
       {{{"metric", {{"__name__", "x"}, {"Hostname", "node-b"}, {"instance", "1.2.3.4:9400"}}},
         {"values", {{1, "1"}, {2, "NaN"}, {3, "-0.5"}}}}}}};
  const Ingested read = good(body(matrix, "node_metrics", "prometheus_metrics"));
  CHECK(read.accepted == 2);
  CHECK(read.problems[0].starts_with("result[0].values[1]: expected a number"));
  CHECK(lines(read)[1]["node"] == "node-b");
}

TEST_CASE("labels past their bound are not read") {
  Json long_stream = stream({{kBase, "a", ""}});
  long_stream["stream"]["x"] = std::string(70'000, 'x');
  CHECK_FALSE(lines(good(body(Json::array({long_stream}))))[0].contains("node"));
  const Json series = {{"metric", {{"__name__", "x"}, {"label", std::string(70'000, 'l')}}},
                       {"value", Json::array({1, "1"})}};
  const Json fine = {{"metric", {{"__name__", "x"}}}, {"value", Json::array({1, "1"})}};
  const Ingested read =
      good(body(Json::array({series, fine}), "node_metrics", "prometheus_metrics"));
  CHECK(read.accepted == 1);
  CHECK(read.problems[0].starts_with("result[0]: "));
}

TEST_CASE("so many nodes are covered, and past them none is") {
  std::string payload = "[";
  const auto add = [&](int count) {
    payload = "[";
    for (int i = 0; i < count; ++i)
      payload +=
          fmt::format(R"({{"stream":{{"hostname":"n{}"}},"values":[["1000000000","x"]]}},)", i);
    payload.back() = ']';
  };
  V1Context context;
  context.start = 0;
  context.end = model::kHour;
  for (const auto& [count, covered] : {std::pair(32'768, true), std::pair(32'769, false)}) {
    add(count);
    Collector collector;
    REQUIRE(collect_loki(payload, context, &collector));
    const auto read = std::move(collector).finish();
    REQUIRE(std::holds_alternative<Ingested>(read));
    CHECK((std::get<Ingested>(read).content.find("coverage") != std::string::npos) == covered);
  }
}

TEST_CASE("labels that a body writes once do not make it endless") {
  Json series = {{"metric", {{"__name__", "x"}, {"label", std::string(60'000, 'l')}}},
                 {"values", Json::array()}};
  for (int i = 0; i < 2000; ++i) series["values"].push_back({i, "1"});
  const V1Read read = ingest_v1(body(Json::array({series}), "node_metrics", "prometheus_metrics"));
  REQUIRE(std::holds_alternative<Problem>(read.ingest));
  CHECK(std::get<Problem>(read.ingest).status == 413);
}

TEST_CASE("seconds since boot are read as dmesg prints them") {
  CHECK(since_boot("[    1.000001] x") == 1'000'001'000);
  CHECK(since_boot("[171167.620236] [ T1946] x") == 171'167'620'236'000);
  for (const char* text : {"", "[", "[1]", "[1.]", "[x.1]", "1.0] x", "[-1.0] x",
                           "[99999999999999999999.0] x", "[1.0"})
    CHECK_MESSAGE(!since_boot(text), text);
}

}  // namespace
}  // namespace attrib::service
