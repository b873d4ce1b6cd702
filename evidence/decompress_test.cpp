#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

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

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST_CASE("members and frames follow one another") {
  const std::string text = long_text();
  CHECK(decompress(gzip(text), "x").value() == text);
  CHECK(decompress(gzip(text) + gzip("and more"), "x").value() == text + "and more");
  CHECK(decompress(gzip("a") + std::string(512, '\0'), "x").value() == "a");
  CHECK(decompress(zstd(text), "x").value() == text);
  CHECK(decompress(zstd(text) + zstd("and more"), "x").value() == text + "and more");
  CHECK(decompress("plain", "x").value() == "plain");
  CHECK(decompress("", "x").value().empty());
}

TEST_CASE("damaged data is refused by name") {
  const std::string packed = gzip(long_text());
  CHECK(decompress(packed.substr(0, packed.size() / 2), "a.gz").error().message ==
        "a.gz: damaged gzip data: it ends too early");
  std::string flipped = packed;
  flipped[packed.size() - 6] = static_cast<char>(flipped[packed.size() - 6] ^ 1);
  CHECK(decompress(flipped, "a.gz").error().message ==
        "a.gz: damaged gzip data: incorrect data check");
  CHECK(decompress(packed + "tail", "a.gz").error().message ==
        "a.gz: damaged gzip data: incorrect header check");
  CHECK(decompress("\x1F\x8B", "a.gz").error().message ==
        "a.gz: damaged gzip data: it ends too early");
  const std::string frame = zstd(long_text());
  CHECK(decompress(frame.substr(0, frame.size() / 2), "a.zst").error().message ==
        "a.zst: damaged zstd data: it ends too early");
  CHECK(decompress(frame.substr(0, 4) + "\xFF\xFF\xFF\xFF", "a.zst")
            .error()
            .message.starts_with("a.zst: damaged zstd data: "));
}

}  // namespace
}  // namespace attrib::evidence
