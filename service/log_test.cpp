#include "service/log.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

namespace attrib::service {
namespace {

TEST_CASE("a line is one JSON object with time, level, event and the fields, whatever they hold") {
  std::vector<std::string> lines;
  Log log(Level::Info, true, [&](std::string_view line) { lines.emplace_back(line); });
  log.event(Level::Warning, "started",
            {{"path", std::string("a \"b\"\n\x1b[31m\xff")},
             {"count", std::uint64_t{18446744073709551615U}},
             {"least", std::int64_t{-5}},
             {"took", 0.25},
             {"odd", std::numeric_limits<double>::infinity()},
             {"tls", true}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find('\n') == lines[0].size() - 1);
  const auto object = nlohmann::json::parse(lines[0]);
  CHECK(std::regex_match(object["ts"].get<std::string>(),
                         std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)")));
  CHECK(object["level"] == "warning");
  CHECK(object["event"] == "started");
  CHECK(object["path"] == "a \"b\"\n\x1b[31m\xEF\xBF\xBD");
  CHECK(object["count"] == 18446744073709551615U);
  CHECK(object["least"] == -5);
  CHECK(object["took"] == 0.25);
  CHECK(object["odd"].is_null());
  CHECK(object["tls"] == true);
}

TEST_CASE("what is less than the least level is not written") {
  int lines = 0;
  Log log(Level::Warning, true, [&](std::string_view) { ++lines; });
  log.event(Level::Debug, "a", {});
  log.event(Level::Info, "a", {});
  log.event(Level::Warning, "a", {});
  log.event(Level::Error, "a", {});
  CHECK(lines == 2);
}

TEST_CASE("text for people quotes what is not a plain word") {
  std::string line;
  Log log(Level::Info, false, [&](std::string_view text) { line = text; });
  log.event(
      Level::Info, "request",
      {{"route", std::string("/v2/x")}, {"name", std::string("a b\x1b")}, {"n", std::int64_t{3}}});
  CHECK(line.substr(line.find(' ')) == " info    request route=/v2/x name=\"a b\\u001b\" n=3\n");
}

TEST_CASE("lines of several threads stay whole") {
  std::string all;
  Log log(Level::Info, true, [&](std::string_view line) { all += line; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int n = 0; n < 200; ++n) log.event(Level::Info, "e", {{"n", std::int64_t{n}}});
    });
  }
  for (std::thread& each : threads) each.join();
  std::istringstream in(all);
  std::string line;
  int count = 0;
  for (; std::getline(in, line); ++count) CHECK(nlohmann::json::accept(line));
  CHECK(count == 800);
}

TEST_CASE("a reader that takes nothing does not stop the writer, and learns what it missed") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto write_line = to_descriptor(
      ends[1], [](std::uint64_t lines) { return "lost " + std::to_string(lines) + "\n"; });
  const std::string line = std::string(999, 'x') + "\n";
  const int lines = 500;  // More than any pipe holds.
  for (int n = 0; n < lines; ++n) write_line(line);
  std::string text(std::size_t{1} << 20U, '\0');
  const ssize_t got = read(ends[0], text.data(), text.size());
  REQUIRE(got > 0);
  CHECK(got % 1000 == 0);  // Whole lines.
  write_line("the next\n");
  close(ends[1]);
  const ssize_t rest = read(ends[0], text.data(), text.size());
  close(ends[0]);
  CHECK(text.substr(0, static_cast<std::size_t>(rest)) ==
        "lost " + std::to_string(lines - got / 1000) + "\nthe next\n");
}

}  // namespace
}  // namespace attrib::service
