#pragma once

// A log as it streams by: whole lines, a block at a time, with a stretch before and the next block
// still at hand. Blocks are cut by place alone, so what is read does not depend on how the source
// hands its bytes out. Threads of a pool search the blocks further ahead; what is at hand does not
// depend on how many there are.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/byte_source.h"
#include "evidence/line_filter.h"
#include "evidence/scan_pool.h"

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

  // Without a filter blocks have no hits; `pool` may be null. All must outlive the window.
  LogWindow(ByteSource* source, LineFilter* filter, ScanPool* pool)
      : source_(source), filter_(filter), pool_(pool) {}
  LogWindow(const LogWindow&) = delete;
  LogWindow& operator=(const LogWindow&) = delete;
  ~LogWindow();

  // Moves on; false at the end. Views of before are void. An error comes when the block is the next
  // one to be at hand, however far the source was read before.
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
  // Blocks that each helper of the pool is given ahead, and of how many helpers.
  static constexpr std::size_t kBlocksAhead = 4, kMostHelpers = 16;
  // A log that is longer is worth helpers.
  static constexpr std::uint64_t kLongBytes = std::uint64_t{1} << 22U;

  struct Cut {
    LogBlock block;
    ScanPool::Task search;
  };

  Status fill(std::uint64_t to);
  Status cut();
  Status cut_ahead(std::size_t blocks);
  Result<std::optional<LogBlock>> take();
  Status skip_line(LogBlock* block);
  void start_search(Cut* cut);
  void make_room(std::size_t more);

  ByteSource* source_;
  LineFilter* filter_;
  ScanPool* pool_;
  std::unique_ptr<char[]> buffer_;  // Uninitialised behind filled_.
  std::size_t capacity_ = 0;
  std::uint64_t base_ = 0;     // Offset of buffer_[0].
  std::uint64_t filled_ = 0;   // Offset behind the last byte read.
  std::uint64_t cut_to_ = 0;   // Offset behind the last block cut.
  std::uint64_t scanned_ = 0;  // Offset behind the last block at hand.
  std::uint64_t next_line_ = 1;
  bool ended_ = false;
  bool started_ = false;
  LogBlock now_;
  std::optional<LogBlock> ahead_;
  std::deque<Cut> cut_;            // Behind ahead_. They stay where they are, for the pool.
  std::optional<Error> failed_;    // Where the next block would be cut.
};

}  // namespace attrib::evidence
