#include "evidence/raw_reader.h"

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

TEST_CASE("lines are named by file and number, and keep the file's order") {
  const Evidence e = must_read({log_input("app@a=job.log", "one\r\n\ntwo\nthree")});
  REQUIRE(e.observations.size() == 3);
  CHECK(e.observations[0].ids.at(0) == "job.log:1");
  CHECK(e.observations[0].message == "one");
  CHECK(e.observations[1].ids.at(0) == "job.log:3");
  CHECK(e.observations[2].ids.at(0) == "job.log:4");
  CHECK(e.observations[2].file == "job.log");
  CHECK(e.observations[0].position < e.observations[1].position);
}

TEST_CASE("the parts of a container's long line are joined, each output for itself") {
  const Evidence e = must_read({log_input("k8s@a=0.log",
                                          "2026-05-18T08:00:00.1Z stderr P [rank3]: Traceback \n"
                                          "2026-05-18T08:00:00.1Z stdout F other\n"
                                          "2026-05-18T08:00:00.2Z stderr P (most recent \n"
                                          "2026-05-18T08:00:00.3Z stderr F call last):\n"
                                          "2026-05-18T08:00:00.4Z stderr P cut off\n")});
  REQUIRE(e.observations.size() == 3);
  CHECK(e.observations[0].message == "other");
  CHECK(e.observations[1].message == "cut off");
  CHECK(e.observations[1].ids.at(0) == "0.log:5");
  CHECK(e.observations[2].message == "Traceback (most recent call last):");
  CHECK(e.observations[2].ids.at(0) == "0.log:1");
  CHECK(e.observations[2].rank == 3U);
}

TEST_CASE("parts without end do not grow without end") {
  std::string text;
  const std::string part = "2026-05-18T08:00:00.1Z stdout P " + std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 40; ++i) text += part;
  text += "2026-05-18T08:00:00.3Z stdout F end\n2026-05-18T08:00:00.4Z stdout F next\n";
  const Evidence e = must_read({log_input("k8s@a=0.log", text)});
  CHECK(e.observations.size() == 1);
  CHECK(e.problems ==
        std::vector<std::string>{"0.log:1: line of 1048577 bytes: expected at most 1048576"});
}

TEST_CASE("a line at the limit is read, one past it is named and the next one read") {
  const std::string text = std::string(kMaxObservationBytes, 'x') + "\n" +
                           std::string(kMaxObservationBytes + 1, 'y') + "\nnext\n" +
                           std::string(100'000'000, 'z');
  const Evidence e = must_read({log_input("app@a=x", text)});
  CHECK(e.observations.size() == 2);
  CHECK(e.counters.truncated == 1);
  CHECK(e.problems ==
        std::vector<std::string>{"x:2: line of 1048577 bytes: expected at most 1048576",
                                 "x:4: line of 100000000 bytes: expected at most 1048576"});
}

TEST_CASE("invalid UTF-8 is escaped and counted") {
  const Evidence e = must_read({log_input("app@a=x", "a\xFF\nb\n")});
  CHECK(e.observations.at(0).message == "a\\xFF");
  CHECK(e.counters.escaped == 1);
}

TEST_CASE("a journal export is read by its entries") {
  const Evidence e =
      must_read({log_input("journald=j",
                           "__CURSOR=a\n__REALTIME_TIMESTAMP=1779093065123456\n"
                           "_HOSTNAME=node-07\n_TRANSPORT=kernel\nMESSAGE=NVRM: Xid\n\n"
                           "__CURSOR=b\nPRIORITY=3\n\n")});
  REQUIRE(e.observations.size() == 1);
  CHECK(e.observations[0].node == "node-07");
  CHECK(e.observations[0].message == "NVRM: Xid");
  CHECK((e.observations[0].speaks & model::source_bit(model::SourceKind::Kernel)) != 0);
  CHECK(e.problems == std::vector<std::string>{"j:7: journal entry without MESSAGE"});
}

TEST_CASE("labels become ranks only where the workload's shape makes that certain") {
  const auto ranks = [](const std::string& workload, const std::string& spec,
                        const std::string& text) {
    const Evidence e =
        must_read({json_input("{\"workload\": " + workload + "}"), log_input(spec, text)});
    std::vector<int> out;
    for (const Observation& o : e.observations)
      out.push_back(o.rank ? static_cast<int>(*o.rank) : -1);
    std::sort(out.begin(), out.end());
    return out;
  };
  const std::string tasks = "0: a\n1: b\n2: c\n3: d\n";
  CHECK(ranks(R"({"ranks": 4})", "slurm=j", tasks) == std::vector<int>{0, 1, 2, 3});
  CHECK(ranks(R"({"ranks": 32})", "slurm=j", tasks) == std::vector<int>{-1, -1, -1, -1});
  CHECK(ranks("{}", "slurm=j", tasks) == std::vector<int>{-1, -1, -1, -1});
  const std::string placed =
      R"({"ranks_per_node": 2, "placement": [{"rank": 6, "node": "a"}, {"rank": 7, "node": "a"}]})";
  CHECK(ranks(placed, "app@a=j", "[default0]:x\n[default1]:y\n[default2]:z\n") ==
        std::vector<int>{-1, 6, 7});
  CHECK(ranks(R"({"nodes": ["a"]})", "app@a=j", "[default1]:y\n") == std::vector<int>{1});
  CHECK(ranks(R"({"nodes": ["a", "b"]})", "app@a=j", "[default1]:y\n") == std::vector<int>{-1});
}

TEST_CASE("host names of frames become the workload's names for them") {
  const auto node = [](const std::string& nodes, const std::string& host) {
    const Evidence e =
        must_read({json_input("{\"workload\": {\"nodes\": " + nodes + "}}"),
                   log_input("syslog=s", "2026-05-18T08:00:00Z " + host + " cron[1]: x\n")});
    return e.observations.at(0).node;
  };
  CHECK(node(R"(["node-07"])", "node-07.cluster.example") == "node-07");
  CHECK(node(R"(["node-07.cluster.example"])", "node-07") == "node-07.cluster.example");
  CHECK(node(R"(["node-07.a", "node-07.b"])", "node-07") == "node-07");
  CHECK(node(R"(["node-07.a"])", "node-07.b") == "node-07.b");
}

TEST_CASE("a host with and without its domain is one node where no second domain claims the name") {
  const auto nodes = [](const std::vector<std::string>& hosts, const std::string& header = "{}") {
    std::vector<Input> inputs = {json_input(header)};
    for (std::size_t i = 0; i < hosts.size(); ++i)
      inputs.push_back(log_input(fmt::format("kernel@{}=k{}", hosts[i], i), "NVRM: x\n"));
    const Evidence e = must_read(inputs);
    std::vector<std::string> out;
    for (const Observation& o : e.observations) out.push_back(o.node);
    std::sort(out.begin(), out.end());
    // The sources are renamed along with what they hold.
    for (const SourceStatus& s : e.sources)
      CHECK(std::find(out.begin(), out.end(), s.node) != out.end());
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(nodes({"node-7", "node-7.cluster.local"}) == Names{"node-7", "node-7"});
  CHECK(nodes({"node-7.a", "node-7.b"}) == Names{"node-7.a", "node-7.b"});
  CHECK(nodes({"node-7", "node-7.a", "node-7.b"}) == Names{"node-7", "node-7.a", "node-7.b"});
  CHECK(nodes({"node-7.a"}) == Names{"node-7.a"});
  CHECK(nodes({"10.0.0.1", "10"}) == Names{"10", "10.0.0.1"});
  CHECK(nodes({"node-7", "node-70.a"}) == Names{"node-7", "node-70.a"});
  const std::string header = R"({"workload": {"nodes": ["node-7.a"]}})";
  CHECK(nodes({"node-7"}, header) == Names{"node-7.a"});
  CHECK(nodes({"node-7", "node-7.b"}, header) == Names{"node-7", "node-7.b"});
  CHECK(nodes({"node-7"}, R"({"workload": {"nodes": ["node-7", "node-7.a"]}})") == Names{"node-7"});
}

TEST_CASE("the path of a container's log says which container it is") {
  const auto of = [](const std::string& path) {
    const Evidence e = must_read({log_input("k8s=" + path, "2026-05-18T08:00:00.1Z stdout F x\n")});
    const Observation& o = e.observations.at(0);
    const auto name_space = o.labels.find("namespace");
    return fmt::format("{}/{}/{}", name_space == o.labels.end() ? "" : name_space->second, o.pod,
                       o.container);
  };
  const std::string pods = "/var/log/pods/ml_trainer-0_0f9d3a4e-aaaa-bbbb-cccc-1234567890ab/main/";
  CHECK(of(pods + "0.log") == "ml/trainer-0/main");
  CHECK(of("copied" + pods + "12.log.20260518-083105.gz") == "ml/trainer-0/main");
  CHECK(of(pods + "main.log") == "//");
  CHECK(of("/var/log/pods/ml_trainer-0/main/0.log") == "//");
  CHECK(of("/var/log/other/ml_trainer-0_1/main/0.log") == "//");
  const std::string id(64, 'a');
  CHECK(of("/var/log/containers/trainer-0_ml_main-" + id + ".log") == "ml/trainer-0/main");
  CHECK(of("/var/log/containers/trainer-0_ml_main-a.log") == "//");
}

TEST_CASE("Docker's parts without end do not grow without end") {
  std::string text;
  const std::string part = R"({"log":")" + std::string(100'000, 'x') +
                           R"(","stream":"stdout","time":"2026-05-18T08:00:00Z"})" + "\n";
  for (int i = 0; i < 40; ++i) text += part;
  text += R"({"log":"end\n","stream":"stdout","time":"2026-05-18T08:00:00Z"})"
          "\n";
  text += R"({"log":"next\n","stream":"stdout","time":"2026-05-18T08:00:00Z"})"
          "\n";
  const Evidence e = must_read({log_input("app@a=d", text)});
  REQUIRE(e.observations.size() == 1);
  CHECK(e.observations[0].message == "next");
  CHECK(e.problems ==
        std::vector<std::string>{"d:1: line of 1048577 bytes: expected at most 1048576"});
}

}  // namespace
}  // namespace attrib::evidence
