#include "service/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "service/cache.h"
#include "service/test_service.h"
#include "service/workers.h"

namespace attrib::service {
namespace {

const std::string kXid =
    R"~({"ts":"2026-05-18T12:31:05.120Z","source":"kernel","node":"node-b","message":"NVRM: Xid (PCI:0000:04:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000)"})~";
const std::string kWorkload =
    R"({"workload":{"id":"7","state":"FAILED","start":"2026-05-18T12:00:00Z","end":"2026-05-18T12:42:00Z","nodes":["node-a","node-b"]}})";

std::string watchdog(int rank) {
  return fmt::format(
      R"({{"ts":"2026-05-18T12:41:0{}.5Z","source":"app","node":"node-a","rank":{},"message":"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=42, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600028 milliseconds"}})",
      rank % 10, rank);
}

std::size_t runs(const TestService& service) {
  const std::string page = service.metrics();
  std::size_t out = 0;
  for (std::size_t at = page.find("attribd_verdict_seconds_count"); at != std::string::npos;
       at = page.find("attribd_verdict_seconds_count", at + 1))
    out += static_cast<std::size_t>(std::stoi(page.substr(page.find("} ", at) + 2)));
  return out;
}

TEST_CASE("a GET after the answer to a POST sees it, and costs a run only when something changed") {
  TestService service;
  const std::string id = service.make(kWorkload);
  const Answer before = service.attribution(id);
  CHECK(before.status == 200);
  const Answer posted = service.post(id, kXid);
  REQUIRE(posted.status == 201);
  const Answer after = service.attribution(id);
  CHECK(after.json()["affected_nodes"] == Json::array({"node-b"}));
  CHECK(after.headers.at("ETag") != before.headers.at("ETag"));
  CHECK(runs(service) == 2);
  CHECK(service.post(id, kXid).status == 200);
  CHECK(service.attribution(id).text == after.text);
  CHECK(runs(service) == 2);
  CHECK(service
            .ask("GET", "/v2/attributors/" + id + "/attribution", "",
                 {{"if-none-match", after.headers.at("ETag")}})
            .status == 304);
}

TEST_CASE("the order of posts decides nothing") {
  TestService service;
  std::vector<std::string> posts = {kXid};
  for (int rank = 0; rank < 9; ++rank) posts.push_back(watchdog(rank));
  std::mt19937 random(7);
  std::string first, first_v1;
  for (int round = 0; round < 4; ++round) {
    const std::string id = service.make(kWorkload);
    for (const std::string& each : posts) REQUIRE(service.post(id, each).status == 201);
    const std::string text = service.attribution(id, "?explain=1").text;
    const std::string v1 = service.ask("GET", "/latest/attributor/" + id + "/attribution").text;
    if (round == 0) first = text, first_v1 = v1;
    CHECK(text == first);
    CHECK(v1 == first_v1);
    std::shuffle(posts.begin(), posts.end(), random);
  }
  // The same in one post, and in none.
  std::string all;
  for (const std::string& each : posts) all += each + "\n";
  const std::string id = service.make(kWorkload);
  REQUIRE(service.post(id, all).status == 201);
  CHECK(service.attribution(id, "?explain=1").text == first);
  CHECK(service.ask("POST", "/v2/attribute?explain=1", kWorkload + "\n" + all).text == first);
}

TEST_CASE("V1 and V2 give one verdict for one evidence") {
  TestService service;
  const std::string one = service.make(kWorkload), two = service.make(kWorkload);
  REQUIRE(service.post(one, kXid).status == 201);
  const Json observation = Json::parse(kXid);
  const Json inner = {{"body", observation["message"]},
                      {"attributes", {{"hostname", "node-b"}, {"appname", "kernel"}}}};
  const Json loki = Json::array(
      {{{"stream", Json::object()},
        {"values", Json::array({Json::array({"1779107465120000000", inner.dump()})})}}});
  const Json post = {{"context", {{"source", "syslog"}, {"format", "raw_loki_streams"}}},
                     {"body", loki.dump()}};
  const Answer posted =
      service.ask("POST", "/latest/attributor/" + two + "/observation", post.dump());
  REQUIRE_MESSAGE(posted.status == 200, posted.text);
  CHECK(service.attribution(one).text == service.attribution(two).text);
}

TEST_CASE("those who ask at once for one verdict share a run") {
  TestService service({.workers = 2});
  const std::string id = service.make(kWorkload);
  std::string many;
  for (int i = 0; i < 20'000; ++i)
    many += fmt::format(
        "{{\"seq\":{},\"source\":\"app\",\"node\":\"node-a\",\"rank\":1,\"message\":\"iteration {} "
        "done\"}}\n",
        i, i);
  REQUIRE(service.post(id, many + kXid).status == 201);
  std::vector<std::future<Answer>> asked;
  for (int i = 0; i < 20; ++i)
    asked.push_back(service.begin("GET", "/v2/attributors/" + id + "/attribution"));
  std::string text;
  for (auto& each : asked) {
    const Answer answer = each.get();
    CHECK(answer.status == 200);
    if (text.empty()) text = answer.text;
    CHECK(answer.text == text);
  }
  CHECK(runs(service) == 1);
}

TEST_CASE("verdicts wait for each other's memory, and all come") {
  TestService service({.workers = 4, .cache_bytes = 0, .verdict_bytes = 2000});
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) {
    ids.push_back(service.make(kWorkload));
    REQUIRE(service.post(ids.back(), kXid + "\n" + watchdog(i)).status == 201);
  }
  std::vector<std::future<Answer>> asked;
  for (int round = 0; round < 5; ++round) {
    for (const std::string& id : ids)
      asked.push_back(service.begin("GET", "/v2/attributors/" + id + "/attribution"));
  }
  for (auto& each : asked) CHECK(each.get().status == 200);
}

TEST_CASE("evidence past the bound is read by what rules need, to the same verdict") {
  TestService exact, sparing({.verdict_bytes = 4000});
  std::string texts[2];
  TestService* const services[] = {&exact, &sparing};
  for (int i = 0; i < 2; ++i) {
    const std::string id = services[i]->make(kWorkload);
    REQUIRE(services[i]->post(id, kXid + "\n" + watchdog(1) + "\n" + watchdog(2)).status == 201);
    texts[i] = services[i]->attribution(id).text;
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("what contradicts the attributor is not stored") {
  TestService service;
  const std::string id = service.make(kWorkload);
  const Answer refused =
      service.post(id, R"({"workload":{"id":"8"},"observations":[{"message":"x"}]})");
  CHECK(refused.status == 409);
  CHECK(refused.json()["field"] == "workload.id");
  CHECK(service.ask("GET", "/v2/attributors/" + id).json()["posts"] == 0);
  CHECK(service.post(id, R"({"workload":{"id":"7","ranks":4},"observations":[{"message":"x"}]})")
            .status == 201);
  CHECK(service.ask("GET", "/v2/attributors/" + id).json()["workload"]["ranks"] == 4);
}

TEST_CASE("who may not is told so before the body is read") {
  TestService service;
  const NewToken reader = make_token("r", "read").value();
  {
    std::ofstream out(service.file("tokens.toml"));
    out << reader.entry;
  }
  std::filesystem::permissions(service.file("tokens.toml"), std::filesystem::perms::owner_read);
  REQUIRE(service.tokens().load(service.file("tokens.toml")).ok());
  const auto admit = [&](const std::string& method, const std::string& path,
                         const std::string& token) {
    const auto made = service.request(method, path, "", {{"authorization", token}});
    return service.api().admit(made.head).refusal;
  };
  REQUIRE(admit("POST", "/v2/attributors", "").has_value());
  CHECK(admit("POST", "/v2/attributors", "")->status == 401);
  CHECK(admit("POST", "/v2/attributors", "Bearer " + reader.token)->status == 403);
  CHECK(admit("POST", "/latest/attributor", "Bearer " + reader.token)->status == 403);
  CHECK_FALSE(admit("GET", "/v2/attributors", "Bearer " + reader.token).has_value());
  CHECK(admit("GET", "/metrics", "")->status == 401);
  CHECK_FALSE(admit("GET", "/healthz", "").has_value());
}

TEST_CASE("attributors are listed in pages, in the order in which they were made") {
  TestService service;
  std::vector<std::string> made, listed;
  for (int i = 0; i < 25; ++i) made.push_back(service.make());
  std::string after;
  do {
    Json page =
        service.ask("GET", "/v2/attributors" + (after.empty() ? "" : "?after=" + after)).json();
    if (after.empty()) page = service.ask("GET", "/v2/attributors?limit=19").json();
    for (const Json& each : page["attributors"])
      listed.push_back(each["attributor_id"].get<std::string>());
    after = page["next"].is_null() ? "" : page["next"].get<std::string>();
  } while (!after.empty());
  CHECK(listed == made);
}

TEST_CASE("a server that drains is not ready, and goes on answering") {
  TestService service;
  CHECK(service.ask("GET", "/readyz").status == 200);
  service.api().draining();
  CHECK(service.ask("GET", "/readyz").status == 503);
  CHECK(service.ask("GET", "/healthz").status == 200);
  CHECK(service.ask("POST", "/v2/attributors", "{}").status == 201);
}

TEST_CASE("too many that wait are asked to come again") {
  TestService service({.workers = 1, .waiting = 3});
  const std::string id = service.make(kWorkload);
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += "{\"message\":\"x\"}\n";
  std::vector<std::future<Answer>> asked;
  for (int i = 0; i < 30; ++i)
    asked.push_back(service.begin("POST", "/v2/attributors/" + id + "/observations", many));
  std::size_t refused = 0;
  for (auto& each : asked) {
    const Answer answer = each.get();
    CHECK((answer.status == 429 || answer.status < 300));
    if (answer.status != 429) continue;
    ++refused;
    CHECK(answer.headers.contains("Retry-After"));
  }
  CHECK(refused > 0);
}

TEST_CASE("a cache forgets what was not used for longest") {
  const auto text = [](std::size_t size) { return std::make_shared<const std::string>(size, 'x'); };
  Cache cache(3000);
  cache.put("a", text(1000));
  cache.put("b", text(1000));
  CHECK(cache.find("a") != nullptr);
  cache.put("c", text(1000));
  CHECK(cache.find("b") == nullptr);
  CHECK(cache.find("a") != nullptr);
  CHECK(cache.find("c") != nullptr);
  cache.put("d", text(5000));
  CHECK(cache.find("d") == nullptr);
  CHECK(cache.bytes() <= 3000);
}

TEST_CASE("workers take posts and verdicts in turn, and end with nothing undone") {
  std::atomic<int> quick = 0, verdicts = 0, most = 0, now = 0;
  {
    Workers workers(3, 1000);
    for (int i = 0; i < 200; ++i) {
      REQUIRE(workers.post(Workers::Lane::Quick, [&] { ++quick; }));
      workers.go_on(i % 2 == 0 ? Workers::Lane::Big : Workers::Lane::Verdict, [&, i] {
        if (i % 2 != 0) {
          ++verdicts;
          return;
        }
        const int here = ++now;
        int seen = most;
        while (here > seen && !most.compare_exchange_weak(seen, here)) {
        }
        ++verdicts;
        --now;
      });
    }
  }
  CHECK(quick == 200);
  CHECK(verdicts == 200);
  CHECK(most <= 2);
}

TEST_CASE("big verdicts leave a worker to posts and small verdicts") {
  Workers workers(2, 1000);
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  for (int i = 0; i < 3; ++i) workers.go_on(Workers::Lane::Big, [open] { open.wait(); });
  std::promise<void> quick, small;
  workers.go_on(Workers::Lane::Verdict, [&] { small.set_value(); });
  REQUIRE(workers.post(Workers::Lane::Quick, [&] { quick.set_value(); }));
  small.get_future().wait();
  quick.get_future().wait();
  gate.set_value();
}

std::string metrics_of(int from, int count) {
  std::string out;
  for (int i = from; i < from + count; ++i)
    out += fmt::format("{{\"name\":\"m\",\"value\":1,\"node\":\"n{}\"}}\n", i);
  return out;
}

TEST_CASE("big verdicts wait for each other, and small ones pass them") {
  TestService service({.workers = 2, .verdict_bytes = 400'000});
  std::vector<std::future<Answer>> big;
  for (int i = 0; i < 4; ++i)
    big.push_back(service.begin("POST", "/v2/attribute", metrics_of(i, 3'000)));
  const Answer small = service.ask("POST", "/v2/attribute", kXid);
  CHECK(small.status == 200);
  CHECK(big.back().wait_for(std::chrono::seconds(0)) != std::future_status::ready);
  for (auto& each : big) CHECK(each.get().status == 200);
}

TEST_CASE("texts that wait for a verdict are bounded") {
  TestService service({.workers = 2, .verdict_bytes = 200'000});
  std::vector<std::future<Answer>> asked;
  for (int i = 0; i < 20; ++i)
    asked.push_back(service.begin("POST", "/v2/attribute", metrics_of(i, 3'000)));
  std::size_t refused = 0, done = 0;
  for (auto& each : asked) {
    const Answer answer = each.get();
    ++(answer.status == 200 ? done : refused);
    if (answer.status == 200) continue;
    CHECK(answer.status == 429);
    CHECK(answer.headers.contains("Retry-After"));
    CHECK(answer.text.find("limits.verdicts") != std::string::npos);
  }
  CHECK(done > 0);
  CHECK(refused > 0);
}

TEST_CASE("a verdict that would keep too many observations is refused, and says by which limit") {
  TestService service({.observations = 100});
  const auto by_both_ways = [&](const std::string& body) {
    const std::string id = service.make(kWorkload);
    REQUIRE(service.post(id, body).status == 201);
    const Answer stored = service.attribution(id);
    const Answer once = service.ask("POST", "/v2/attribute", body);
    CHECK(stored.status == once.status);
    if (stored.status == 413) {
      CHECK(stored.json()["detail"] == once.json()["detail"]);
      CHECK(stored.text.find("more than 100 observations") != std::string::npos);
      CHECK(stored.text.find("limits.observations") != std::string::npos);
    }
    return stored.status;
  };
  CHECK(by_both_ways(metrics_of(0, 100)) == 200);
  CHECK(by_both_ways(metrics_of(0, 101)) == 413);
  std::string nodes, lines;
  for (int i = 0; i < 101; ++i) {
    nodes += fmt::format("{{\"node\":\"n{}\",\"message\":\"a\"}}\n", i);
    lines += fmt::format(
        "{{\"ts\":\"2026-05-18T12:31:05.{:03}Z\",\"source\":\"app\",\"node\":\"node-a\","
        "\"rank\":1,\"message\":\"iteration {} done\"}}\n",
        i, i);
  }
  CHECK(by_both_ways(nodes) == 413);
  CHECK(by_both_ways(lines) == 200);  // No rule reads them.
  // The same in several posts.
  const std::string id = service.make(kWorkload);
  REQUIRE(service.post(id, metrics_of(0, 60)).status == 201);
  CHECK(service.attribution(id).status == 200);
  REQUIRE(service.post(id, metrics_of(60, 60)).status == 201);
  CHECK(service.attribution(id).status == 413);
}

TEST_CASE("an ETag of one start is none of the next: a backup that is restored repeats revisions") {
  TestService one, two;
  CHECK(one.attribution(one.make(kWorkload)).headers.at("ETag") !=
        two.attribution(two.make(kWorkload)).headers.at("ETag"));
}

TEST_CASE("a listing goes on where the last attributor of a page was deleted") {
  TestService service;
  std::vector<std::string> made;
  for (int i = 0; i < 4; ++i) made.push_back(service.make());
  const Json page = service.ask("GET", "/v2/attributors?limit=2").json();
  REQUIRE(service.ask("DELETE", "/v2/attributors/" + made[1]).status == 204);
  const Answer rest =
      service.ask("GET", "/v2/attributors?after=" + page["next"].get<std::string>());
  REQUIRE(rest.status == 200);
  REQUIRE(rest.json()["attributors"].size() == 2);
  CHECK(rest.json()["attributors"][0]["attributor_id"] == made[2]);
  CHECK(service.ask("GET", "/v2/attributors?after=" + made[1]).status == 422);
}

}  // namespace
}  // namespace attrib::service
