#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "evidence/byte_source.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr std::size_t kChunk = std::size_t{1} << 17U;
constexpr int kMaxZstdWindowLog =
    27;  // 128 MiB: what `zstd --long` writes; more must not make us allocate more.

Error bad(const std::string& name, std::string_view what) {
  return Error{name + ": " + std::string(what)};
}

// What has been taken from the source below and not been used yet.
class Ahead {
 public:
  explicit Ahead(std::unique_ptr<ByteSource> from) : from_(std::move(from)) {}

  // At least `most` bytes unless the end comes first.
  Status want(std::size_t most) {
    while (!ended_ && size() < most) {  // `most` is never more than the buffer.
      std::memmove(buffer_.data(), buffer_.data() + begin_, size());
      end_ -= begin_;
      begin_ = 0;
      ATTRIB_TRY(const std::size_t got,
                 from_->read(buffer_.data() + end_, buffer_.size() - end_));
      end_ += got;
      ended_ = got == 0;
    }
    return Done{};
  }
  [[nodiscard]] const char* data() const { return buffer_.data() + begin_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] std::string_view text() const { return {data(), size()}; }
  void use(std::size_t n) { begin_ += n; }
  // Of what comes behind; for one who has used everything.
  [[nodiscard]] ByteSource& past() { return *from_; }

 private:
  std::unique_ptr<ByteSource> from_;
  std::string buffer_ = std::string(kChunk, '\0');
  std::size_t begin_ = 0, end_ = 0;
  bool ended_ = false;
};

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(Ahead ahead) : ahead_(std::move(ahead)) {}
  Result<std::size_t> read(char* into, std::size_t most) override {
    if (ahead_.size() == 0) return ahead_.past().read(into, most);
    const std::size_t n = std::min(most, ahead_.size());
    std::memcpy(into, ahead_.data(), n);
    ahead_.use(n);
    return n;
  }

 private:
  Ahead ahead_;
};

struct InflateEnd {
  void operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
  }
};

// Members may follow one another; what follows the last one and is no member is an error, as for
// gzip itself (it warns), except that padding with zeros, which tapes and block devices leave, is
// skipped.
class GzipSource : public ByteSource {
 public:
  GzipSource(Ahead ahead, std::string name) : ahead_(std::move(ahead)), name_(std::move(name)) {}

  Status start() {
    auto stream = std::make_unique<z_stream>();
    if (inflateInit2(stream.get(), 15 + 16) != Z_OK) return bad(name_, "zlib has no memory");
    stream_.reset(stream.release());
    return Done{};
  }

  Result<std::size_t> read(char* into, std::size_t most) override {
    most = std::min<std::size_t>(most, std::size_t{1} << 30U);
    while (true) {
      if (auto status = ahead_.want(1); !status) return status.error();
      if (between_) {
        ATTRIB_TRY(const bool more, next_member());
        if (!more) return std::size_t{0};
      }
      stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(ahead_.data()));
      stream_->avail_in = static_cast<uInt>(ahead_.size());
      stream_->next_out = reinterpret_cast<Bytef*>(into);
      stream_->avail_out = static_cast<uInt>(most);
      const bool ended = ahead_.size() == 0;
      const int code = inflate(stream_.get(), Z_NO_FLUSH);
      ahead_.use(ahead_.size() - stream_->avail_in);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return bad(name_, "damaged gzip data: " + std::string(stream_->msg != nullptr
                                                                  ? stream_->msg
                                                                  : "no reason given"));
      }
      between_ = code == Z_STREAM_END;
      const std::size_t got = most - stream_->avail_out;
      if (got > 0) return got;
      if (ended && !between_) return bad(name_, "damaged gzip data: it ends too early");
    }
  }

 private:
  // Is there one? Zeros to the end are none.
  Result<bool> next_member() {
    while (ahead_.size() > 0 && *ahead_.data() == '\0') {
      padded_ = true;
      ahead_.use(std::min(ahead_.text().find_first_not_of('\0'), ahead_.size()));
      if (auto status = ahead_.want(1); !status) return status.error();
    }
    if (ahead_.size() == 0) return false;
    if (padded_) return bad(name_, "damaged gzip data: something follows the padding");
    inflateReset(stream_.get());
    between_ = false;
    return true;
  }

  Ahead ahead_;
  std::string name_;
  std::unique_ptr<z_stream, InflateEnd> stream_;
  bool between_ = false;  // One member has ended.
  bool padded_ = false;
};

struct FreeContext {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(Ahead ahead, std::string name)
      : ahead_(std::move(ahead)), name_(std::move(name)), stream_(ZSTD_createDStream()) {}

  Status start() {
    if (!stream_) return bad(name_, "zstd has no memory");
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kMaxZstdWindowLog);
    return Done{};
  }

  Result<std::size_t> read(char* into, std::size_t most) override {
    while (true) {
      if (auto status = ahead_.want(1); !status) return status.error();
      if (ahead_.size() == 0 && left_ == 0) return std::size_t{0};
      const bool ended = ahead_.size() == 0;
      ZSTD_inBuffer in{ahead_.data(), ahead_.size(), 0};
      ZSTD_outBuffer out{into, most, 0};
      left_ = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(left_) != 0)
        return bad(name_, std::string("damaged zstd data: ") + ZSTD_getErrorName(left_));
      ahead_.use(in.pos);
      if (out.pos > 0) return out.pos;
      if (ended && left_ != 0) return bad(name_, "damaged zstd data: it ends too early");
    }
  }

 private:
  Ahead ahead_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, FreeContext> stream_;
  std::size_t left_ = 1;  // Of the frame; 0 at its end.
};

template <typename Source>
Result<std::unique_ptr<ByteSource>> started(std::unique_ptr<Source> source) {
  if (auto status = source->start(); !status) return status.error();
  return std::unique_ptr<ByteSource>(std::move(source));
}

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> from,
                                                 const std::string& name) {
  Ahead ahead(std::move(from));
  if (auto status = ahead.want(kZstdMagic.size()); !status) return status.error();
  if (ahead.text().starts_with(kGzipMagic))
    return started(std::make_unique<GzipSource>(std::move(ahead), name));
  if (ahead.text().starts_with(kZstdMagic))
    return started(std::make_unique<ZstdSource>(std::move(ahead), name));
  return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(ahead)));
}

Result<std::string> decompress(std::string bytes, const std::string& name, std::size_t limit) {
  const std::string_view text = bytes;
  if (!text.starts_with(kGzipMagic) && !text.starts_with(kZstdMagic) && text.size() <= limit)
    return bytes;
  ATTRIB_TRY(const auto source, decompressed(memory_source(text), name));
  return read_all(source.get(), limit, name);
}

}  // namespace attrib::evidence
