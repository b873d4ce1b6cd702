// Limits of reading that no other test shows. docs/limits.md lists them.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <limits>

#include "evidence/number_text.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

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

}  // namespace
}  // namespace attrib::evidence
