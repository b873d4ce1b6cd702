#include "evidence/flight_recorder.h"

#include "evidence/flight_dump.h"
#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

// A dump of rank 1 of two, in the JSON form; `entries` and `more` are put in.
std::string dump_text(const std::string& entries, const std::string& more = "") {
  return R"({"version": "2.9", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},)"
         R"( "pg_status": {"0": {"last_enqueued_collective": "7", "last_started_collective": "-1", "last_completed_collective": "5"}})" +
         more + R"(, "entries": [)" + entries + "]}";
}

std::string entry(const std::string& sequence, const std::string& state,
                  const std::string& name = "nccl:all_reduce", const std::string& more = "") {
  return R"({"record_id": 3, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": )" +
         sequence + R"(, "p2p_seq_id": 40, "op_id": 9, "profiling_name": ")" + name +
         R"(", "time_created_ns": 1779093600000000001, "input_sizes": [[4, 8], [2]], "input_dtypes": ["Float", "Float"],)"
         R"( "output_sizes": [[4, 8]], "output_dtypes": ["BFloat16"], "state": ")" +
         state + R"(", "time_discovered_started_ns": 0, "timeout_ms": 600000, "retired": false)" +
         more + "}";
}

Evidence read_dump_of(const std::string& spec, std::string text) {
  return must_read({log_input("flight_recorder" + spec, std::move(text))});
}

std::map<std::string, std::string> record(const Evidence& e, const std::string& id) {
  for (const Observation& o : e.observations) {
    if (o.ids.front() == id) return o.record;
  }
  return {};
}

TEST_CASE("a dump becomes a line, a record a group, and a record an operation") {
  const Evidence e = read_dump_of("@n1/rank1=d", dump_text(entry("6", "scheduled")));
  REQUIRE(e.observations.size() == 3);
  CHECK(e.observations[0].message ==
        "flight recorder 2.9: rank 1 of 2, 1 groups, 1 operations, 1 not ended");
  CHECK(e.observations[0].ids.front() == "d:dump");
  for (const Observation& o : e.observations) {
    CHECK(o.source == model::SourceKind::FlightRecorder);
    CHECK(o.rank == 1U);
    CHECK(o.node == "n1");
    CHECK(o.seen.known);
  }
  CHECK(record(e, "d:group 0") == std::map<std::string, std::string>{{"kind", "group"},
                                                                     {"group", "0"},
                                                                     {"desc", "default_pg"},
                                                                     {"ranks", "0-1"},
                                                                     {"size", "2"},
                                                                     {"p2p", "false"},
                                                                     {"enqueued", "6"},
                                                                     {"completed", "5"}});
  CHECK(record(e, "d:1") ==
        std::map<std::string, std::string>{{"kind", "operation"},
                                           {"group", "0"},
                                           {"desc", "default_pg"},
                                           {"ranks", "0-1"},
                                           {"size", "2"},
                                           {"type", "collective"},
                                           {"op", "all_reduce"},
                                           {"state", "scheduled"},
                                           {"seq", "6"},
                                           {"first", "true"},
                                           {"created_ns", "1779093600000000001"},
                                           {"timeout_ms", "600000"},
                                           {"elements", "34"},
                                           {"record_id", "3"},
                                           {"input_sizes", "4x8, 2"},
                                           {"input_dtypes", "Float"},
                                           {"output_sizes", "4x8"},
                                           {"output_dtypes", "BFloat16"}});
  REQUIRE(e.sources.size() == 1);
  CHECK(e.sources[0].status == "ok");
  CHECK(e.sources[0].coverage.empty());  // One moment is no time.
}

TEST_CASE("the first open operation of a group is where the rank waits") {
  const auto first = [](const std::string& entries) {
    const Evidence e = read_dump_of("@rank1=d", dump_text(entries));
    std::string out;
    for (const Observation& o : e.observations) {
      const auto seq = o.record.find("seq");
      if (seq != o.record.end() && o.record.at("first") == "true") out += seq->second + " ";
    }
    return out;
  };
  CHECK(first(entry("7", "scheduled") + "," + entry("6", "started")) == "6 ");
  CHECK(first(entry("5", "completed") + "," + entry("6", "scheduled")) == "6 ");
  // The status says that 6 is open too, and the ring has lost it.
  CHECK(first(entry("7", "scheduled")) == "");
}

TEST_CASE("of what has ended only the last of each group is kept") {
  const Evidence e =
      read_dump_of("@rank1=d", dump_text(entry("3", "completed") + "," + entry("5", "completed") +
                                         "," + entry("4", "completed")));
  CHECK(record(e, "d:1").empty());
  CHECK(record(e, "d:2").at("seq") == "5");
  CHECK(record(e, "d:3").empty());
}

TEST_CASE("sends and receives have numbers of their own, and their group's status is not used") {
  const Evidence e = read_dump_of(
      "@rank1=d", dump_text(entry("2", "scheduled", "nccl:send 1->0", R"(, "is_p2p": true)")));
  CHECK(record(e, "d:1").at("type") == "p2p");
  CHECK(record(e, "d:1").at("op") == "send");
  CHECK(record(e, "d:1").at("seq") == "40");
  CHECK(record(e, "d:1").at("peer") == "0");
  CHECK(record(e, "d:group 0").at("p2p") == "true");
  CHECK(record(e, "d:group 0").at("enqueued") == "2");
  CHECK(record(e, "d:group 0").count("completed") == 0);
}

TEST_CASE("where collectives are open their own numbers count, not those of the status") {
  const auto numbers = [](const std::string& entries) {
    const auto group = record(read_dump_of("@rank1=d", dump_text(entries)), "d:group 0");
    const auto of = [&](const std::string& key) {
      return group.count(key) != 0 ? group.at(key) : std::string("-");
    };
    return of("enqueued") + " " + of("completed");
  };
  CHECK(numbers("") == "7 5");
  CHECK(numbers(entry("6", "scheduled") + "," + entry("7", "scheduled")) == "7 5");
  // The last operation of the group was a send, number 7, and its receipt, number 5, has ended.
  CHECK(numbers(entry("4", "scheduled")) == "4 3");
  CHECK(numbers(entry("0", "scheduled")) == "0 -");
  CHECK(numbers(entry("9", "completed")) == "9 9");
  // The ring has lost what came before.
  CHECK(numbers(entry("9", "scheduled")) == "9 5");
}

TEST_CASE("the oldest dumps have one number and neither groups nor statuses") {
  const std::string text =
      R"({"version": "1.5", "entries": [{"seq_id": 12, "pg_id": 0, "profiling_name": "nccl:broadcast", "state": "scheduled", "time_created_ns": 5}]})";
  const Evidence e = read_dump_of("@rank4=d", text);
  CHECK(e.observations.at(0).message ==
        "flight recorder 1.5: rank 4, 0 groups, 1 operations, 1 not ended");
  CHECK(record(e, "d:1").at("seq") == "12");
  CHECK(record(e, "d:1").count("group") == 0);
  CHECK(record(e, "d:1").at("first") == "false");
}

// Groups 0 and 7 and 9 of rank 1; 9 alone has an entry, under number 4.
std::string three_groups(const std::string& ids, const std::string& names) {
  std::string config, status;
  for (const char name : names) {
    config += fmt::format(R"({}"{}": {{"name": "{}", "desc": "", "ranks": "[0, 1]"}})",
                          config.empty() ? "" : ",", name, name);
  }
  for (const char id : ids) {
    status += fmt::format(R"({}"{}": {{"last_enqueued_collective": 5{}}})",
                          status.empty() ? "" : ",", id, id);
  }
  return R"({"version": "2.9", "pg_config": {)" + config + R"(}, "pg_status": {)" + status +
         R"(}, "entries": [{"pg_id": 4, "process_group": ["9", ""], "collective_seq_id": 3, "profiling_name": "nccl:all_reduce", "state": "scheduled"}]})";
}

TEST_CASE("a status is given to a group without entries only where the order leaves no choice") {
  const auto enqueued = [](const std::string& text, const std::string& group) {
    const auto found = record(read_dump_of("@rank1=d", text), "d:group " + group);
    return found.count("enqueued") != 0 ? found.at("enqueued") : std::string("-");
  };
  CHECK(enqueued(three_groups("014", "079"), "0") == "50");
  CHECK(enqueued(three_groups("014", "079"), "7") == "51");
  CHECK(enqueued(three_groups("014", "079"), "9") == "3");  // Its entry says more.
  // One group fewer has a status: which one?
  CHECK(enqueued(three_groups("14", "079"), "7") == "-");
  CHECK(enqueued(three_groups("14", "079"), "9") == "3");
  // Behind the one that is known.
  CHECK(enqueued(three_groups("048", "09a"), "0") == "-");
  // The group of the entry is not among those that the dump lists.
  CHECK(enqueued(three_groups("048", "0"), "0") == "-");
}

TEST_CASE("whose dump it is, its option, its groups or its name must say, and they must agree") {
  const auto rank = [](const std::string& spec, const std::string& text) {
    const Evidence e = read_dump_of(spec, text);
    if (!e.problems.empty()) {
      CHECK(e.observations.empty());
      REQUIRE(e.sources.size() == 1);
      CHECK(e.sources[0].status == "failed");
      return e.problems.front();
    }
    return fmt::format("{}", e.observations.at(0).rank.value_or(99));
  };
  const std::string both = dump_text("");
  const std::string alone =
      R"({"version": "2.9", "entries": [], "pg_config": {"0": {"ranks": "[0, 1, 2]"}, "4": {"ranks": "[2]"}}})";
  CHECK(rank("@rank1=d", both) == "1");
  CHECK(rank("=_dump_1", both) == "1");
  CHECK(rank("=nccl_trace_rank_0.json.gz", both) == "0");
  CHECK(rank("=x", both) == "x: whose dump is it? name the rank: --log flight_recorder@rankN=x");
  CHECK(rank("=x", alone) == "2");
  CHECK(rank("=_dump_1", alone) == "2");
  CHECK(rank("@rank2=d", both) ==
        "d: rank 2 is not in group `0` (0-1) of this dump: it is another rank's");
  CHECK(rank("=_dump_7", both) ==
        "_dump_7: rank 7 is not in group `0` (0-1) of this dump: it is another rank's");
}

TEST_CASE("what is no dump, or holds more than data, is named and its source has failed") {
  const auto problem = [](const std::string& text) {
    const Evidence e = read_dump_of("@rank1=d", text);
    REQUIRE(e.sources.size() == 1);
    CHECK(e.sources[0].status == "failed");
    CHECK("d: " + e.sources[0].reason == e.problems.at(0));
    return e.problems.at(0);
  };
  CHECK(problem(std::string("\x80\x02") + "cos\nsystem\n.") ==
        "d: byte 2: opcode GLOBAL imports an object; only plain data is read");
  CHECK(problem(std::string("\x80\x02N.")) ==
        "d: no flight-recorder dump: expected a dictionary with `entries`, got nothing");
  CHECK(problem("{\"entries\": [").starts_with("d: byte "));
}

TEST_CASE("a bad entry is left out and named, and the others are read") {
  const Evidence e = read_dump_of(
      "@rank1=d",
      dump_text(entry("6", "asleep") + R"(, 7, {"state": 3}, )" + entry("6", "scheduled")));
  CHECK(record(e, "d:4").at("seq") == "6");
  CHECK(e.problems ==
        std::vector<std::string>{
            R"(d: entry 1: field `state`: expected scheduled, started or completed, got "asleep")",
            "d: entry 2: expected a dictionary of at most 256 fields, got number 7",
            "d: entry 3: field `state`: expected text, got number 3"});
}

TEST_CASE("a rank that left no dump is a source without content") {
  const LogSpec spec = parse_log_spec("flight_recorder@rank3=/nowhere/_dump_3").value();
  const auto inputs = load_logs(spec);
  REQUIRE(inputs.ok());
  const Evidence e = must_read(inputs.value());
  REQUIRE(e.sources.size() == 1);
  CHECK(e.sources[0].status == "empty");
  CHECK(e.sources[0].rank == 3U);
  CHECK(e.sources[0].reason == "/nowhere/_dump_3: no such file");
  // Without its rank it may just as well be a slip.
  CHECK_FALSE(load_logs(parse_log_spec("flight_recorder=/nowhere/_dump_3").value()).ok());
  CHECK_FALSE(load_logs(parse_log_spec("kernel@rank3=/nowhere/_dump_3").value()).ok());
}

TEST_CASE("a log of the recorder is still a log") {
  const Evidence e = read_dump_of("@rank3=d", "entered collective 42\n");
  CHECK(e.observations.at(0).message == "entered collective 42");
}

TEST_CASE("a pickle that shows one long list in many places costs no more than its limit") {
  // {"entries": [x, x, ...]} with x = {"input_sizes": [[1, 1, ...]], "state": "scheduled"}
  using namespace std::string_literals;
  const auto text = [](const std::string& s) {
    return "X"s + static_cast<char>(s.size()) + "\0\0\0"s + s;
  };
  std::string bytes = "\x80\x02}("s + text("entries") + "](}q\x00("s + text("state") +
                      text("scheduled") + text("input_sizes") + "](]("s;
  for (int i = 0; i < 1000; ++i) bytes += "K\x01"s;
  bytes += "eeu"s;
  for (int i = 0; i < 400'000; ++i) bytes += "h\x00"s;
  const Evidence e = read_dump_of("@rank1=d", bytes + "eu.");
  REQUIRE(e.problems.size() == 1);
  CHECK(e.problems[0].find("the entries have more than 16777216 values: the rest is left out") !=
        std::string::npos);
}

}  // namespace
}  // namespace attrib::evidence
