#include "store/content.h"

#include <fmt/format.h>
#include <zstd.h>

#include <memory>

#include "base/digest.h"
#include "store/store.h"

namespace attrib::store {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4}
                                     << 30U;  // A damaged file must not make us ask for more.

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string pack(std::string_view content) {
  // A context is a megabyte to make: one a thread.
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> kContext(ZSTD_createCCtx());
  ATTRIB_CHECK(kContext != nullptr, "no memory for zstd");
  ZSTD_CCtx_setParameter(kContext.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(kContext.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(kContext.get(), packed.data(), packed.size(), content.data(), content.size());
  ATTRIB_CHECK(ZSTD_isError(size) == 0, "zstd could not compress");
  packed.resize(size);
  packed.shrink_to_fit();  // It may wait in the queue.
  return packed;
}

Result<std::string> unpack(std::string_view packed, std::uint64_t size) {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> kContext(ZSTD_createDCtx());
  ATTRIB_CHECK(kContext != nullptr, "no memory for zstd");
  if (size > kMostBytes || ZSTD_getFrameContentSize(packed.data(), packed.size()) != size)
    return Error{"a content is damaged: its size is not the one noted"};
  std::string content(size, '\0');
  const std::size_t done = ZSTD_decompressDCtx(kContext.get(), content.data(), content.size(),
                                               packed.data(), packed.size());
  if (ZSTD_isError(done) != 0)
    return Error{fmt::format("a content is damaged: {}", ZSTD_getErrorName(done))};
  if (done != size) return Error{"a content is damaged: it ends early"};
  return content;
}

// The digest of a digest, so that a large content need not be copied behind its kind.
std::string post_id(std::string_view kind, std::string_view content) {
  return sha256_hex(fmt::format("{}\n{}", sha256_hex(content), kind)).substr(0, 32);
}

}  // namespace attrib::store
