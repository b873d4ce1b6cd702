#pragma once

// A log as it streams by: whole lines, a block at a time, with a stretch before and the next block
// still at hand. Blocks are cut by place alone, so what is read does not depend on how the source
// hands its bytes out.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/byte_source.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

struct LogBlock {
  std::uint64_t begin = 0, end = 0;  // Offsets. Ends behind a line end or at the end of the log.
  std::uint64_t first_line = 1;      // Number of its first line.
  std::uint64_t line_ends = 0;
  std::uint64_t filled_lines = 0;    // Lines that are not empty.
  bool last = false;
  std::uint64_t too_long = 0;        // It is one line of so many bytes, which were not kept and have no offsets.
  bool scanned = false;              // For hits: short logs are not.
  std::vector<LineFilter::Hit> hits; // By place; `at` is an offset in the log.
};

class LogWindow {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 17U;
  // Before the block; the next block lies behind it (or as much as the log has).
  static constexpr std::size_t kBehindBytes = std::size_t{1} << 16U;

  // A log that is no longer than this is kept whole (keep_lines.h): its block has no hits.
  static constexpr std::size_t kShortBytes = kBlockBytes;

  // Without a filter blocks have no hits. Both must outlive the window.
  LogWindow(ByteSource* source, LineFilter* filter) : source_(source), filter_(filter) {}

  // Moves on; false at the end. Views of before are void.
  Result<bool> next();
  [[nodiscard]] const LogBlock& block() const { return now_; }
  [[nodiscard]] const std::optional<LogBlock>& ahead() const { return ahead_; }

  // The part of the log at hand: from at most kBehindBytes before block() to the end of ahead().
  [[nodiscard]] std::uint64_t begin() const { return base_; }
  [[nodiscard]] std::uint64_t end() const { return scanned_; }
  [[nodiscard]] std::string_view text(std::uint64_t from, std::uint64_t to) const {
    return {buffer_.get() + (from - base_), static_cast<std::size_t>(to - from)};
  }

 private:
  Status fill(std::uint64_t to);
  Result<std::optional<LogBlock>> scan();
  Result<LogBlock> skip_line(LogBlock block);
  void count(LogBlock* block);
  void make_room(std::size_t more);

  ByteSource* source_;
  LineFilter* filter_;
  std::unique_ptr<char[]> buffer_;  // Uninitialised behind filled_.
  std::size_t capacity_ = 0;
  std::uint64_t base_ = 0;     // Offset of buffer_[0].
  std::uint64_t filled_ = 0;   // Offset behind the last byte read.
  std::uint64_t scanned_ = 0;  // Offset behind the last block made.
  std::uint64_t next_line_ = 1;
  bool ended_ = false;
  bool started_ = false;
  LogBlock now_;
  std::optional<LogBlock> ahead_;
};

}  // namespace attrib::evidence
