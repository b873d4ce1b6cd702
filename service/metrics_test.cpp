#include "service/metrics.h"

#include <doctest/doctest.h>

#include <thread>

namespace attrib::service {
namespace {

bool has(const std::string& page, const std::string& line) {
  return ("\n" + page).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("counters add up by label, and a label value cannot break the line") {
  Metrics metrics;
  metrics.add(Metric::HttpRequests, 1, {"/v2/attributors", "POST", "201"});
  metrics.add(Metric::HttpRequests, 2, {"/v2/attributors", "POST", "201"});
  metrics.add(Metric::HttpRequests, 1, {"a\"b\\c\nd", "GET", "400"});
  const std::string page = metrics.page();
  CHECK(
      has(page,
          R"(attribd_http_requests_total{route="/v2/attributors",method="POST",status="201"} 3)"));
  CHECK(
      has(page, R"(attribd_http_requests_total{route="a\"b\\c\nd",method="GET",status="400"} 1)"));
  CHECK(has(page, "# TYPE attribd_http_requests_total counter"));
}

TEST_CASE("a counter without labels is there from the start, one with labels once it was counted") {
  const std::string page = Metrics().page();
  CHECK(has(page, "attribd_verdicts_cached_total 0"));
  CHECK(page.find("attribd_verdicts_total{") == std::string::npos);
}

TEST_CASE("buckets of a histogram hold what lies below them") {
  Metrics metrics;
  for (const double seconds : {0.001, 0.0011, 0.3, 99.0}) {
    metrics.observe(Metric::VerdictSeconds, seconds, {"default"});
  }
  const std::string page = metrics.page();
  const auto bucket = [](const std::string& bound, int count) {
    return "attribd_verdict_seconds_bucket{ruleset=\"default\",le=\"" + bound + "\"} " +
           std::to_string(count);
  };
  CHECK(has(page, bucket("0.001", 1)));
  CHECK(has(page, bucket("0.0025", 2)));
  CHECK(has(page, bucket("0.25", 2)));
  CHECK(has(page, bucket("0.5", 3)));
  CHECK(has(page, bucket("10", 3)));
  CHECK(has(page, bucket("+Inf", 4)));
  CHECK(has(page, "attribd_verdict_seconds_sum{ruleset=\"default\"} 99.3021"));
  CHECK(has(page, "attribd_verdict_seconds_count{ruleset=\"default\"} 4"));
}

TEST_CASE("gauges are asked when the page is read, and may count") {
  Metrics metrics;
  double sessions = 3;
  metrics.gauge(Metric::Sessions, [&] {
    metrics.add(Metric::VerdictsCached);
    return sessions;
  });
  metrics.gauge(Metric::StoreCommits, [] { return 7; });
  CHECK(has(metrics.page(), "attribd_sessions 3"));
  sessions = 4;
  const std::string page = metrics.page();
  CHECK(has(page, "attribd_sessions 4"));
  CHECK(has(page, "attribd_store_commits_total 7"));
  CHECK(has(page, "attribd_verdicts_cached_total 1"));
}

TEST_CASE("counting from several threads loses nothing") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) metrics.add(Metric::HttpBytesIn, 2);
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(has(metrics.page(), "attribd_http_received_bytes_total 8000"));
}

}  // namespace
}  // namespace attrib::service
