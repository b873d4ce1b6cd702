#pragma once

// Whole lines of a source, a block at a time. Memory: a block, or the longest line.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "evidence/byte_source.h"

namespace attrib::evidence {

class LineBlocks {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 18U;

  // `head` was taken from the source before; `more` may be null: there is no more.
  LineBlocks(std::string head, ByteSource* more, std::string name)
      : buffer_(std::move(head)), filled_(buffer_.size()), more_(more), name_(std::move(name)) {}

  // The next block, which ends behind a line end or at the end of the source; empty: there is none.
  // It holds until the next call. An error: the source's, or a line of more than kMaxInputBytes.
  Result<std::string_view> next();

 private:
  Status fill(std::size_t to);

  std::string buffer_;
  std::size_t filled_;     // Of the buffer.
  std::size_t given_ = 0;  // Of that, in the last block.
  ByteSource* more_;
  std::string name_;
};

}  // namespace attrib::evidence
