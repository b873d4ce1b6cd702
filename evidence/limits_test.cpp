// Limits of reading that no other test shows. docs/limits.md lists them.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <limits>

#include "evidence/flight_recorder.h"
#include "evidence/number_text.h"
#include "evidence/otlp.h"
#include "evidence/test_evidence.h"

namespace attrib::evidence {
namespace {

TEST_CASE("no more observations are kept than asked for, and what is past it is an error") {
  const auto kept = [](const std::string& text, std::size_t most) {
    Input input;
    input.name = "a";
    input.bytes = text;
    ReadOptions options;
    options.most_observations = most;
    Assembly assembly(options);
    const Status status = assembly.add(input);
    CHECK(status.ok() != assembly.full());
    return status.ok();
  };
  const std::string line = "{\"message\":\"x\"}";
  CHECK(kept(line + "\n" + line + "\n", 2));
  CHECK_FALSE(kept(line + "\n" + line + "\n" + line, 2));
  CHECK_FALSE(kept("{\"observations\":[" + line + "," + line + "," + line + "]}", 2));
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  if (window_log > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  // In pieces, so that the frame does not know how short its text is and declares the whole window.
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_compressStream2(context, &to, &in, ZSTD_e_continue);
  CHECK(ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) == 0);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

Evidence read_text(const std::string& text) {
  Input input;
  input.name = "e.ndjson";
  input.bytes = text;
  auto read_in = read({input}, {});
  REQUIRE(read_in.ok());
  return std::move(read_in).value();
}

TEST_CASE("what is at the limit when decompressed is read, one byte more is refused") {
  const std::string text(100'000, 'x');
  for (const std::string& packed : {text, gzip(text), zstd(text)}) {
    CHECK(decompress(packed, "x", text.size()).value() == text);
    CHECK(decompress(packed, "x", text.size() - 1).error().message ==
          "x: more than 99999 bytes when decompressed");
  }
}

TEST_CASE("a zstd window of 128 MiB is read, a larger one is refused") {
  CHECK(decompress(zstd("text", 27), "x").value() == "text");
  CHECK_FALSE(decompress(zstd("text", 28), "x").ok());
}

TEST_CASE("a rank at the limit is read, one past it is named") {
  const auto line = [](std::uint64_t rank) {
    return fmt::format(
        R"({{"id":"a","ts":"2026-05-18T12:00:00Z","source":"app","rank":{},"message":"m"}})", rank);
  };
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  const Evidence at_limit = read_text(line(kMost));
  CHECK(at_limit.problems.empty());
  REQUIRE(at_limit.observations.size() == 1);
  CHECK(at_limit.observations[0].rank == kMost);
  CHECK(read_text(line(0) + "\n" + line(kMost + 1)).problems.size() == 1);
}

TEST_CASE("a number of forty digits before and behind the point is read, one more is not") {
  const std::string most(40, '9');
  CHECK(read_millionths(most + "." + most) == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(read_millionths(most + "9"));
  CHECK_FALSE(read_millionths("1." + most + "9"));
  CHECK(read_millionths("0.000001e99") == std::numeric_limits<std::int64_t>::max());
  CHECK(read_millionths("1e100") == read_millionths("1e99"));
  CHECK(read_millionths("1e-9999") == 0);
}

TEST_CASE("a header field at the limit is read, one byte more is named") {
  constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 20U;
  const std::string line = R"({"id":"a","ts":"2026-05-18T12:00:00Z","source":"app","message":"m"})";
  const auto header = [](std::size_t bytes) {
    const std::string rest = R"({"user":""})";
    return R"({"workload":{"user":")" + std::string(bytes - rest.size(), 'x') + "\"}}\n";
  };
  CHECK(read_text(header(kMaxHeaderBytes) + line).problems.empty());
  CHECK(read_text(header(kMaxHeaderBytes + 1) + line).problems.size() == 1);
}

TEST_CASE("a dump and an object of log records have a greatest size") {
  const auto problem = [](const Input& input) {
    const Evidence e = must_read({input});
    return e.problems.empty() ? std::string() : e.problems[0];
  };
  std::string dump = R"({"version": "2.9", "entries": []})";
  dump.resize(kMaxDumpBytes, ' ');
  CHECK(problem(log_input("flight_recorder@rank1=d", dump)) == "");
  CHECK(problem(log_input("flight_recorder@rank1=d", dump + " ")) ==
        "d: dump of 268435457 bytes: expected at most 268435456");
  std::string records = R"({"resourceLogs":[]})";
  records.insert(records.size() - 1, kMaxOtlpBytes - records.size(), ' ');
  CHECK(problem(log_input("app=o", records)) == "");
  CHECK(problem(json_input(records, "o")) == "");
  records.insert(records.size() - 1, " ");
  CHECK(problem(log_input("app=o", records)) ==
        "o:1: log records of 16777217 bytes: expected at most 16777216");
  CHECK(problem(json_input(records, "o")) ==
        "o:1: log records of 16777217 bytes: expected at most 16777216");
}

TEST_CASE("a dump keeps so many operations and names how many there were") {
  std::string entries;
  for (std::size_t i = 0; i <= kMaxDumpOperations; ++i) {
    entries += fmt::format(
        R"({}{{"state":"scheduled","profiling_name":"nccl:all_reduce","process_group":["0",""],"collective_seq_id":{}}})",
        i == 0 ? "" : ",", i);
    if (i + 1 != kMaxDumpOperations) continue;
    const Evidence e = must_read(
        {log_input("flight_recorder@rank1=d", R"({"version":"2.9","entries":[)" + entries + "]}")});
    CHECK(e.problems.empty());
    CHECK(e.observations.size() == kMaxDumpOperations + 2);
  }
  const Evidence e = must_read(
      {log_input("flight_recorder@rank1=d", R"({"version":"2.9","entries":[)" + entries + "]}")});
  CHECK(e.problems ==
        std::vector<std::string>{"d: 20001 operations to keep: expected at most 20000"});
}

}  // namespace
}  // namespace attrib::evidence
