#include "evidence/seen.h"

#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

using model::kHour;
using model::kMillisecond;
using model::kSecond;
using model::Moment;
using model::Nanos;

Nanos at(std::string_view text) { return parse_time(text).value(); }

Moment seen_of(const Evidence& e, const std::string& id) {
  for (const Observation& o : e.observations) {
    if (o.ids.front() == id) return o.seen;
  }
  FAIL("no observation " << id);
  return {};
}

TEST_CASE("seen is the stamp with error, lag and resolution around it") {
  const Evidence e = must_read({json_input(R"({"sources": [
      {"kind": "kernel", "clock_error": "3s"}, {"kind": "kernel", "node": "b", "clock_error": "1s", "lag": "2s"},
      {"kind": "app", "rank": 4, "clock_error": "9s"}],
    "observations": [
      {"id": "a", "ts": "2026-05-18T08:00:10Z", "source": "kernel", "node": "a", "message": "m"},
      {"id": "b", "ts": "2026-05-18T08:00:10.5Z", "source": "kernel", "node": "b", "message": "m"},
      {"id": "c", "ts": "2026-05-18T08:00:10Z", "source": "syslog", "node": "a", "message": "s"},
      {"id": "d", "ts": "2026-05-18T08:00:10Z", "source": "app", "rank": 4, "message": "m"},
      {"id": "e", "ts": "2026-05-18T08:00:10Z", "source": "app", "rank": 5, "message": "m"}]})")});
  const Nanos stamp = at("2026-05-18T08:00:10Z");
  CHECK(seen_of(e, "a").lo == stamp - 3 * kSecond);
  CHECK(seen_of(e, "a").hi == stamp + 3 * kSecond + kSecond);
  CHECK(seen_of(e, "b").lo == stamp + 500 * kMillisecond - 3 * kSecond);
  CHECK(seen_of(e, "b").hi == stamp + 500 * kMillisecond + kSecond + 100 * kMillisecond);
  CHECK(seen_of(e, "b").error == kSecond);
  CHECK(seen_of(e, "c").lo == stamp - kDefaultClockError);
  CHECK(seen_of(e, "d").error == 9 * kSecond);
  CHECK(seen_of(e, "e").error == kDefaultClockError);
}

TEST_CASE("sources of a node share its clock; devices and streams without a node have their own") {
  std::string text;
  for (const char* where :
       {R"("source": "kernel", "node": "a")", R"("source": "app", "node": "a")",
        R"("source": "kernel", "node": "b")", R"("source": "bmc", "node": "a")",
        R"("source": "k8s", "node": "a")", R"("source": "app")", R"("source": "slurm")"}) {
    text += fmt::format(
        "{{\"id\": \"{}\", \"ts\": \"2026-05-18T08:00:00Z\", \"message\": \"m\", {}}}\n",
        text.size(), where);
  }
  const Evidence e = must_read({json_input(text)});
  std::map<std::string, model::ClockId> clock;
  for (const Observation& o : e.observations)
    clock[fmt::format("{}@{}", model::word(o.source), o.node)] = o.seen.clock;
  CHECK(clock.at("kernel@a") == clock.at("app@a"));
  CHECK(clock.at("kernel@a") != clock.at("kernel@b"));
  CHECK(clock.at("bmc@a") != clock.at("kernel@a"));
  CHECK(clock.at("k8s@a") != clock.at("bmc@a"));
  CHECK(clock.at("app@") != clock.at("slurm@"));
  for (const auto& [name, id] : clock) CHECK(id != model::kNoClock);
}

TEST_CASE("a stamp without a zone may be fourteen hours off and is on a clock of its own") {
  const std::string text =
      R"({"id": "z", "ts": "2026-05-18 08:00:00.000", "node": "a", "message": "m"})"
      "\n"
      R"({"id": "u", "ts": "2026-05-18T08:00:00.000Z", "node": "a", "message": "n"})";
  const Evidence assumed = must_read({json_input(text)});
  CHECK(seen_of(assumed, "z").error == 14 * kHour + kDefaultClockError);
  CHECK(seen_of(assumed, "z").clock != seen_of(assumed, "u").clock);
  ReadOptions options;
  options.zone_offset = parse_zone("+02:00").value();
  const Evidence told = must_read({json_input(text)}, options);
  CHECK(seen_of(told, "z").lo == at("2026-05-18T06:00:00Z") - kDefaultClockError);
  CHECK(seen_of(told, "z").clock == seen_of(told, "u").clock);
}

TEST_CASE("a source's own year, zone and boot time go before the options") {
  const Input header = json_input(R"({"sources": [
    {"kind": "syslog", "node": "a", "year": 2025, "tz": "-07:00"},
    {"kind": "kernel", "node": "a", "boot": "2026-05-18T00:00:00Z"}]})");
  ReadOptions options;
  options.year = 2020;
  options.zone_offset = 0;
  options.boot = at("2020-01-01T00:00:00Z");
  const Evidence e = must_read({header, log_input("syslog@a=s", "May 18 08:00:00 a cron[1]: x\n"),
                                log_input("syslog@b=t", "May 18 08:00:00 b cron[1]: x\n"),
                                log_input("kernel@a=k", "[   60.500000] NVRM: x\n")},
                               options);
  CHECK(seen_of(e, "s:1").lo == at("2025-05-18T15:00:00Z") - kDefaultClockError);
  CHECK(seen_of(e, "t:1").lo == at("2020-05-18T08:00:00Z") - kDefaultClockError);
  CHECK(seen_of(e, "k:1").lo == at("2026-05-18T00:01:00.5Z") - kDefaultClockError);
}

TEST_CASE("a stamp that cannot be placed is not known, and counted") {
  const Evidence e =
      must_read({log_input("syslog@a=s", "May 18 08:00:00 a cron[1]: x\n"),
                 log_input("kernel@a=k", "[   60.500000] NVRM: x\nno frame at all\n")});
  CHECK_FALSE(seen_of(e, "s:1").known);
  CHECK_FALSE(seen_of(e, "k:1").known);
  CHECK(e.counters.unparsed == 3);
}

TEST_CASE("dmesg -T drifts by seconds") {
  ReadOptions options;
  options.zone_offset = 0;
  const Evidence e =
      must_read({log_input("kernel@a=k", "[Mon May 18 08:00:00 2026] NVRM: x\n")}, options);
  CHECK(seen_of(e, "k:1").error == 5 * kSecond);
}

TEST_CASE("a line without a stamp lies between its stamped neighbours") {
  const Evidence e = must_read({log_input("app@a/rank3=r",
                                          "head\n"
                                          "2026-05-18T08:00:00.000Z one\n"
                                          "middle\nmore\n"
                                          "2026-05-18T08:00:05.000Z two\n"
                                          "tail\n"),
                                log_input("app@a/rank4=q", "never stamped\n")});
  CHECK(seen_of(e, "r:1").lo == -model::kForever);
  CHECK(seen_of(e, "r:1").hi == seen_of(e, "r:2").hi);
  for (const char* id : {"r:3", "r:4"}) {
    CHECK(seen_of(e, id).lo == seen_of(e, "r:2").lo);
    CHECK(seen_of(e, id).hi == seen_of(e, "r:5").hi);
    CHECK(seen_of(e, id).clock == seen_of(e, "r:2").clock);
    CHECK(seen_of(e, id).error == kDefaultClockError);
  }
  CHECK(seen_of(e, "r:6").hi == model::kForever);
  CHECK_FALSE(seen_of(e, "q:1").known);
  CHECK(model::before(seen_of(e, "r:3"), seen_of(e, "r:4")) != model::Truth::No);
}

TEST_CASE("neighbours that contradict the order say nothing") {
  const Evidence e = must_read(
      {log_input("app@a/rank3=r", "2026-05-18T08:00:05Z one\nmiddle\n2026-05-18T08:00:00Z two\n")});
  CHECK_FALSE(seen_of(e, "r:2").known);
}

TEST_CASE("seq orders a stream if all have it, else stamps do, and equal stamps share a place") {
  const auto positions = [](const std::string& text) {
    std::string out;
    for (const Observation& o : must_read({json_input(text)}).observations) {
      out += fmt::format("{}{} ", o.message, o.position);
    }
    return out;
  };
  CHECK(positions(R"({"ts": 1779093066, "seq": 5, "message": "a"})"
                  "\n"
                  R"({"ts": 1779093065, "seq": 9, "message": "b"})") == "a0 b1 ");
  CHECK(positions(R"({"ts": 1779093066, "seq": 5, "message": "a"})"
                  "\n"
                  R"({"ts": 1779093065, "message": "b"})") == "b0 a1 ");
  CHECK(positions(R"({"ts": 1779093065, "message": "b"})"
                  "\n"
                  R"({"ts": 1779093065, "message": "a"})"
                  "\n"
                  R"({"message": "between"})"
                  "\n"
                  R"({"ts": 1779093066, "message": "c"})") == "a0 b0 between1 c2 ");
}

TEST_CASE("a sample knows the one before it in its series") {
  const auto sample = [](int ts, double value, const char* gpu) {
    return fmt::format(
        "{{\"ts\": {}, \"node\": \"a\", \"name\": \"x\", \"value\": {}, \"labels\": {{\"gpu\": "
        "\"{}\"}}}}\n",
        1779093065 + ts, value, gpu);
  };
  const Evidence e =
      must_read({json_input(sample(2, 5, "0") + sample(0, 1, "0") + sample(1, 9, "1") +
                            sample(3, 6, "0") + sample(3, 7, "0") + sample(4, 8, "0"))});
  std::string out;
  for (const Observation& o : e.observations) {
    out += fmt::format("{}<{} ", o.value / 1'000'000,
                       o.previous_value ? *o.previous_value / 1'000'000 : -1);
  }
  // Two samples of one second that differ: which one 8 follows is not known.
  CHECK(out == "1<-1 9<-1 5<1 6<5 7<5 8<-1 ");
}

TEST_CASE("a time of which the bounds are given lies between them, and is no sharp stamp") {
  const std::string line =
      R"({"ts": "2026-05-18T12:30:00.000Z", "until": "2026-05-18T12:42:00.000Z", "node": "a", "seq": )";
  const Evidence e = must_read({json_input(line + R"(1, "message": "x"})" "\n" + line +
                                           R"(2, "message": "x"})" "\n")});
  REQUIRE(e.observations.size() == 2);  // Equal, but no copies.
  const model::Moment& first = e.observations[0].seen;
  CHECK(first.hi - first.lo ==
        12 * model::kMinute + model::kMillisecond + 2 * kDefaultClockError);
  CHECK(model::difference(first, e.observations[1].seen).lo == 0);  // In the order of `seq`.
  const Evidence bad = must_read({json_input(
      R"({"until": 1779093066, "message": "x"})" "\n"
      R"({"ts": 1779093066, "until": 1779093065, "message": "y"})")});
  CHECK(bad.counters.rejected == 1);
  CHECK(bad.counters.unparsed == 1);
}

TEST_CASE("what is added piece by piece is what is read at once") {
  const Input header = json_input(R"({"workload": {"id": "7", "nodes": ["a"]}})", "0");
  const Input one = json_input(R"({"ts": 1779093065, "node": "a", "message": "x"})", "1");
  const Input two = json_input(R"({"ts": 1779093066, "node": "a", "message": "y"})", "2");
  Assembly assembly({});
  for (const Input* each : {&header, &one, &two}) REQUIRE(assembly.add(*each).ok());
  CHECK(dump(std::move(assembly).finish().value()) == dump(must_read({two, header, one})));
}

}  // namespace
}  // namespace attrib::evidence
