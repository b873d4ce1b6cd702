#include "evidence/time_parse.h"

#include <doctest/doctest.h>

#include "evidence/read.h"

namespace attrib::evidence {
namespace {

using model::kHour;
using model::kMillisecond;
using model::kSecond;
using model::Nanos;

constexpr Nanos kMay18 = 1'779'062'400 * kSecond;  // 2026-05-18T00:00:00Z
constexpr Nanos kStamp = kMay18 + 8 * kHour + 31 * model::kMinute + 5 * kSecond;

template <typename Read>
std::optional<Stamp> whole(Read read, std::string_view text) {
  Cursor cursor(text);
  const auto stamp = read(cursor);
  return stamp && cursor.done() ? stamp : std::nullopt;
}

TEST_CASE("the last digit printed is the resolution") {
  const auto seconds = read_stamp("2026-05-18T08:31:05Z");
  REQUIRE(seconds);
  CHECK(seconds->at == kStamp);
  CHECK(seconds->resolution == kSecond);
  const auto millis = read_stamp("2026-05-18T08:31:05.120Z");
  REQUIRE(millis);
  CHECK(millis->at == kStamp + 120 * kMillisecond);
  CHECK(millis->resolution == kMillisecond);
  const auto nanos = read_stamp("2026-05-18T08:31:05.123456789999Z");
  REQUIRE(nanos);
  CHECK(nanos->at == kStamp + 123'456'789);
  CHECK(nanos->resolution == 1);
}

TEST_CASE("zones are taken off, whatever their spelling") {
  for (const char* text :
       {"2026-05-18T10:31:05+02:00", "2026-05-18T01:31:05-0700", "2026-05-18t08:31:05z",
        "2026-05-18 09:31:05+01", "2026-05-18 08:31:05 UTC"}) {
    const auto stamp = read_stamp(text);
    REQUIRE_MESSAGE(stamp, text);
    CHECK(stamp->form == Stamp::Form::Absolute);
    CHECK(stamp->at == kStamp);
  }
}

TEST_CASE("without a zone a stamp is local, and what is assumed is marked") {
  const auto stamp = read_stamp("2026-05-18 08:31:05,140");
  REQUIRE(stamp);
  CHECK(stamp->form == Stamp::Form::Local);
  const auto assumed = place(*stamp, {});
  REQUIRE(assumed);
  CHECK(assumed->zone_assumed);
  CHECK(assumed->own_clock);
  CHECK(assumed->at == kStamp + 140 * kMillisecond);
  StampRules rules;
  rules.zone_offset = 2 * kHour;
  CHECK(place(*stamp, rules)->at == kStamp - 2 * kHour + 140 * kMillisecond);
  CHECK_FALSE(place(*stamp, rules)->zone_assumed);
}

TEST_CASE("Unix times are seconds, with or without a fraction, or nanoseconds") {
  CHECK(read_stamp("1779093065")->at == kStamp);
  CHECK(read_stamp("1779093065")->resolution == kSecond);
  CHECK(read_stamp("1779093065.25")->at == kStamp + 250 * kMillisecond);
  CHECK(read_stamp("1779093065.25")->resolution == 10 * kMillisecond);
  CHECK(read_stamp("1779093065000000007")->at == kStamp + 7);
  CHECK(read_stamp("1779093065000000007")->resolution == 1);
  CHECK_FALSE(read_stamp("1779093065000"));  // Milliseconds: not offered, and never guessed.
  CHECK_FALSE(read_stamp("-5"));
  CHECK_FALSE(read_stamp("1e9"));
  CHECK_FALSE(read_stamp("99999999999999999999"));
}

TEST_CASE("what is no time is refused") {
  for (const char* text :
       {"", "yesterday", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-05-18T24:00:00Z",
        "2026-05-18T08:31:05Zx", "2026-05-18", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z"}) {
    CHECK_MESSAGE(!read_stamp(text), text);
  }
}

TEST_CASE("a syslog stamp takes the year next to the workload's start") {
  const auto stamp = whole(read_syslog, "Jan  1 00:00:10");
  REQUIRE(stamp);
  CHECK(stamp->form == Stamp::Form::YearLess);
  CHECK_FALSE(place(*stamp, {}));
  StampRules rules;
  rules.near = parse_time("2025-12-31T23:00:00Z").value();
  CHECK(place(*stamp, rules)->at == parse_time("2026-01-01T00:00:10Z").value());
  rules.year = 2024;
  CHECK(place(*stamp, rules)->at == parse_time("2024-01-01T00:00:10Z").value());
  const auto leap = whole(read_syslog, "Feb 29 12:00:00");
  REQUIRE(leap);
  rules.year = 2026;
  CHECK_FALSE(place(*leap, rules));
}

TEST_CASE("ctime, glog, Fabric Manager and boot stamps") {
  const auto ctime = whole(read_ctime, "Mon Mar  6 21:34:31 2023");
  REQUIRE(ctime);
  CHECK(place(*ctime, {})->at == parse_time("2023-03-06T21:34:31Z").value());
  CHECK(whole(read_syslog, "May 18 2026 08:31:05")->form == Stamp::Form::Local);
  for (const char* text : {"E518 12:41:06.010223", "I0518 12:41:06.010223"}) {
    const auto glog = whole(read_glog, text);
    REQUIRE_MESSAGE(glog, text);
    CHECK(glog->month == 5);
    CHECK(glog->day == 18);
    CHECK(glog->resolution == 1000);
  }
  CHECK(whole(read_glog, "E1119 13:21:12.512781555")->month == 11);
  CHECK_FALSE(whole(read_glog, "E518 12:41:06"));
  const auto boot = whole(read_boot, "87430.975714");
  REQUIRE(boot);
  CHECK_FALSE(place(*boot, {}));
  StampRules rules;
  rules.boot = kMay18;
  CHECK(place(*boot, rules)->at == kMay18 + 87430 * kSecond + 975'714'000);
  CHECK(place(*boot, rules)->own_clock);
}

TEST_CASE("options say a zone or a time, or what was expected") {
  CHECK(parse_zone("UTC").value() == 0);
  CHECK(parse_zone("-0730").value() == -(7 * kHour + 30 * model::kMinute));
  CHECK(parse_zone("CET").error().message ==
        "`CET` is not a zone: expected `UTC`, `+02:00` or `-0700`");
  CHECK(parse_time("2026-05-18 08:31:05").error().message ==
        "`2026-05-18 08:31:05` is not a time: expected RFC 3339 with its zone, or Unix seconds or "
        "nanoseconds");
}

TEST_CASE("lengths of time") {
  CHECK(read_length("250ms") == 250 * kMillisecond);
  CHECK(read_length("1.5s") == 1500 * kMillisecond);
  CHECK(read_length("2h") == 2 * kHour);
  CHECK(read_length("0.5d") == 12 * kHour);
  CHECK(read_length("999999999999d") == model::kForever);
  for (const char* text : {"", "5", "ms", "-1s", "1 s", "5weeks"})
    CHECK_MESSAGE(!read_length(text), text);
}

}  // namespace
}  // namespace attrib::evidence
