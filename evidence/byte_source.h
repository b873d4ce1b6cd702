#pragma once

// Where the bytes of an input come from, a chunk at a time: what is read needs no more memory than
// the chunk, however long the input is.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace attrib::evidence {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Puts at most `most` (> 0) bytes at `into`; 0: the end. An error names the input.
  virtual Result<std::size_t> read(char* into, std::size_t most) = 0;
};

// A file, or standard input for "-". Decompressed by magic number: gzip members and zstd frames may
// be concatenated.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

// `bytes` must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string_view bytes);

// The same decompression for what another source gives.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> from,
                                                 const std::string& name);

// Everything up to the end; more than `limit` bytes are an error.
Result<std::string> read_all(ByteSource* source, std::size_t limit, const std::string& name);

}  // namespace attrib::evidence
