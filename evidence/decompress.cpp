#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <memory>
#include <optional>

#include "evidence/read.h"

namespace attrib::evidence {
namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr std::size_t kChunk = std::size_t{1} << 18U;
constexpr int kMaxZstdWindowLog =
    27;  // 128 MiB: what `zstd --long` writes; more must not make us allocate more.

Error bad(const std::string& name, std::string_view what) {
  return Error{name + ": " + std::string(what)};
}

std::optional<Error> too_much(const std::string& out, std::size_t limit, const std::string& name) {
  if (out.size() <= limit) return std::nullopt;
  return bad(name, fmt::format("more than {} bytes when decompressed", limit));
}

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

// Members may follow one another; what follows the last one and is no member is an error, as for
// gzip itself (it warns), except that padding with zeros, which tapes and block devices leave, is
// skipped.
Result<std::string> gunzip(std::string_view bytes, const std::string& name, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return bad(name, "zlib has no memory");
  const std::unique_ptr<z_stream, InflateEnd> guard(&stream);
  std::string out;
  std::array<char, kChunk> buffer{};
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto given = static_cast<uInt>(std::min<std::size_t>(bytes.size() - at, kChunk));
    // zlib does not write through next_in; its type only lacks the const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
    stream.avail_in = given;
    int code = Z_OK;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      code = inflate(&stream, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return bad(name, "damaged gzip data: " +
                             std::string(stream.msg != nullptr ? stream.msg : "no reason given"));
      }
      out.append(buffer.data(), buffer.size() - stream.avail_out);
      if (auto error = too_much(out, limit, name)) return *error;
    } while (code == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0));
    at += given - stream.avail_in;
    if (code != Z_STREAM_END) continue;
    if (bytes.find_first_not_of('\0', at) == std::string_view::npos) return out;
    inflateReset(&stream);
  }
  return bad(name, "damaged gzip data: it ends too early");
}

struct FreeContext {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

Result<std::string> unzstd(std::string_view bytes, const std::string& name, std::size_t limit) {
  const std::unique_ptr<ZSTD_DStream, FreeContext> stream(ZSTD_createDStream());
  if (!stream) return bad(name, "zstd has no memory");
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kMaxZstdWindowLog);
  std::string out;
  std::string buffer(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;  // Of the frame; 0 at its end.
  bool full = false;     // The last call filled its buffer: there may be more without more input.
  while (in.pos < in.size || full) {
    ZSTD_outBuffer chunk{buffer.data(), buffer.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &chunk, &in);
    if (ZSTD_isError(left) != 0)
      return bad(name, std::string("damaged zstd data: ") + ZSTD_getErrorName(left));
    out.append(buffer.data(), chunk.pos);
    if (auto error = too_much(out, limit, name)) return *error;
    full = left != 0 && chunk.pos == chunk.size;
  }
  if (left != 0) return bad(name, "damaged zstd data: it ends too early");
  return out;
}

}  // namespace

Result<std::string> decompress(std::string bytes, const std::string& name, std::size_t limit) {
  if (bytes.starts_with(kGzipMagic)) return gunzip(bytes, name, limit);
  if (bytes.starts_with(kZstdMagic)) return unzstd(bytes, name, limit);
  if (auto error = too_much(bytes, limit, name)) return *error;
  return bytes;
}

}  // namespace attrib::evidence
