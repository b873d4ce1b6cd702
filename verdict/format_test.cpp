#include "verdict/format.h"

#include <doctest/doctest.h>

#include "verdict/samples_test.h"

using namespace attrib;
using namespace attrib::verdict;

TEST_CASE("times are RFC 3339 with no more digits than they need") {
  CHECK(rfc3339(0) == "1970-01-01T00:00:00Z");
  CHECK(rfc3339(samples::kStart + 123456789) == "2026-05-18T08:00:00.123456789Z");
  CHECK(rfc3339(samples::kStart + 120 * model::kMillisecond) == "2026-05-18T08:00:00.12Z");
  CHECK(rfc3339(-1) == "1969-12-31T23:59:59.999999999Z");
  CHECK(rfc3339(951782400 * model::kSecond) == "2000-02-29T00:00:00Z");
  CHECK(rfc3339(-model::kForever).size() >= 20);
}

TEST_CASE("a stamp is the line's own time, not the edge of the clock bound") {
  CHECK(stamp(model::moment_at(1000, 250)) == 1000);
  model::Moment before = model::moment_at(1000, 250);
  before.lo = -model::kForever;  // A line without a stamp, before one that has one.
  CHECK(open_before(before));
  CHECK(stamp(before) == 1000);
}

TEST_CASE("ranks print as ranges") {
  CHECK(rank_ranges({}) == "");
  CHECK(rank_ranges({0, 1, 2, 3, 7, 9, 10}) == "0-3,7,9-10");
}

TEST_CASE("digits are grouped by three") {
  CHECK(grouped(999) == "999");
  CHECK(grouped(10239) == "10,239");
  CHECK(grouped(1000000) == "1,000,000");
}

TEST_CASE("nothing in a log line can drive the terminal") {
  CHECK(printable("\x1b[2Jgone") == "\\x1B[2Jgone");
  CHECK(printable("a\rb\nc\td\x7f") == "a\\x0Db\\x0Ac\\x09d\\x7F");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\u{009B}31m");  // C1 control sequence introducer
  CHECK(printable("\xE2\x80\xAE"
                  "txt.exe") == "\\u{202E}txt.exe");  // right-to-left override
  CHECK(printable("\xFF\xFE") == "\\xFF\\xFE");
  CHECK(printable("Köln, 深圳") == "Köln, 深圳");
}

TEST_CASE("words wrap and a word too long for the line is cut") {
  CHECK(wrapped("aa bb cc", 8) == std::vector<std::string>{"aa bb cc"});
  CHECK(wrapped("aaaa bbbb cccc", 9) == std::vector<std::string>{"aaaa bbbb", "cccc"});
  CHECK(wrapped("0123456789abcdef", 8) == std::vector<std::string>{"01234567", "89abcdef"});
  CHECK(wrapped("", 8) == std::vector<std::string>{""});
}

TEST_CASE("a symptom is described by its title, its place and what tells it from others") {
  const Verdict v = samples::faulty_link();
  CHECK(describe(v.symptoms[0]) ==
        "NVLink signal integrity fault on node-b (GPU 0000:04:00, link 8)");
  CHECK(describe(v.symptoms[1]) == "NCCL watchdog time-out on rank 3 (node-a)");
  Symptom unknown = v.symptoms[0];
  unknown.entity = {model::EntityKind::Gpu, ""};
  unknown.node.reset();
  unknown.gpu.reset();
  unknown.fields.clear();
  CHECK(describe(unknown) == "NVLink signal integrity fault on an unknown GPU");
}
