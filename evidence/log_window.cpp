#include "evidence/log_window.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "evidence/line_count.h"
#include "evidence/lines.h"
#include "evidence/otlp.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxLineEnd = 2;
constexpr char kEscape = '\x1B';

// Lines with terminal colours are written otherwise than they read.
void mark_escapes(std::string_view text, std::vector<LineFilter::Hit>* hits) {
  for (std::size_t at = text.find(kEscape); at != std::string_view::npos;
       at = text.find(kEscape, at)) {
    hits->push_back({at, 0, LineFilter::kMark});
    at = std::min(text.find('\n', at), text.size());
  }
}

// A line that is longer, with its line end, cannot be kept.
std::size_t longest_kept(std::string_view line) {
  const bool records = line.starts_with("{\"resourceLogs\"");
  return (records ? kMaxOtlpBytes : kMaxObservationBytes) + kMaxLineEnd;
}

}  // namespace

// Room for so many bytes more. What lies before the block and its stretch behind goes.
void LogWindow::make_room(std::size_t more) {
  const std::uint64_t needed_from = started_ ? now_.begin : 0;
  const std::uint64_t keep =
      std::max(base_, needed_from - std::min<std::uint64_t>(needed_from, kBehindBytes));
  const auto left = static_cast<std::size_t>(filled_ - keep);
  const char* const from = buffer_.get() + (keep - base_);
  if (left + more > capacity_) {
    capacity_ = std::max({kFirstBytes, 2 * capacity_, left + more});
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::copy_n(from, left, larger.get());
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.get(), from, left);
  }
  base_ = keep;
}

// Reads until there is something up to `to`, or all there is.
Status LogWindow::fill(std::uint64_t to) {
  while (!ended_ && filled_ < to) {
    const auto used = static_cast<std::size_t>(filled_ - base_);
    if (used + static_cast<std::size_t>(to - filled_) > capacity_) {
      make_room(static_cast<std::size_t>(to - filled_));
      continue;
    }
    const std::size_t room = std::min(capacity_ - used, kBlockBytes);
    ATTRIB_TRY(const std::size_t got, source_->read(buffer_.get() + used, room));
    filled_ += got;
    ended_ = got == 0;
  }
  return Done{};
}

// A line that is too long is read over; its bytes have no offsets.
Result<LogBlock> LogWindow::skip_line(LogBlock block) {
  std::string rest(text(block.begin, filled_));
  std::uint64_t size = 0;
  char before = '\0';
  while (true) {
    const std::size_t found = rest.find('\n');
    const std::size_t taken = std::min(found, rest.size());
    if (taken > 0) before = rest[taken - 1];
    size += taken;
    rest.erase(0, found == std::string::npos ? taken : found + 1);
    block.line_ends = found == std::string::npos ? 0 : 1;
    if (block.line_ends == 1) break;
    rest.resize(kBlockBytes);
    ATTRIB_TRY(const std::size_t got, source_->read(rest.data(), rest.size()));
    rest.resize(got);
    ended_ = got == 0;
    if (ended_) break;
  }
  filled_ = block.begin;
  if (static_cast<std::size_t>(filled_ - base_) + rest.size() > capacity_) make_room(rest.size());
  std::copy_n(rest.data(), rest.size(), buffer_.get() + (filled_ - base_));
  filled_ += rest.size();
  block.too_long = size - (before == '\r' ? 1 : 0);
  block.end = block.begin;
  block.filled_lines = 1;
  return block;
}

void LogWindow::count(LogBlock* block) {
  const std::string_view all = text(block->begin, block->end);
  const LineCounts counts = count_lines(all);
  block->line_ends = counts.line_ends;
  block->filled_lines = counts.filled;
  const bool short_log = block->last && block->begin == 0 && all.size() <= kShortBytes;
  if (filter_ == nullptr || short_log) return;
  block->scanned = true;
  filter_->scan(all, &block->hits);
  const std::size_t found = block->hits.size();
  if (counts.has_escape) mark_escapes(all, &block->hits);
  const auto by_place = [](const LineFilter::Hit& a, const LineFilter::Hit& b) {
    return a.at < b.at;
  };
  std::inplace_merge(block->hits.begin(), block->hits.begin() + static_cast<std::ptrdiff_t>(found),
                     block->hits.end(), by_place);
  for (LineFilter::Hit& hit : block->hits) hit.at += block->begin;
}

Result<std::optional<LogBlock>> LogWindow::scan() {
  LogBlock block;
  block.begin = scanned_;
  block.first_line = next_line_;
  // One byte more than is wanted tells whether this is all.
  std::size_t look = kBlockBytes;
  while (true) {
    if (auto status = fill(block.begin + look + 1); !status) return status.error();
    const auto at_hand = static_cast<std::size_t>(filled_ - block.begin);
    if (at_hand == 0) return std::optional<LogBlock>();
    if (at_hand <= look) {
      block.end = filled_;  // All there is, with or without a line end.
      break;
    }
    const std::string_view here = text(block.begin, block.begin + look);
    const std::size_t last = last_line_end(here);
    if (last != std::string_view::npos) {
      block.end = block.begin + last + 1;
      break;
    }
    if (look > longest_kept(here)) {
      ATTRIB_TRY(block, skip_line(std::move(block)));
      break;
    }
    look *= 2;
  }
  if (auto status = fill(block.end + 1); !status) return status.error();
  block.last = ended_ && block.end == filled_;
  if (block.too_long == 0) count(&block);
  scanned_ = block.end;
  next_line_ += block.line_ends;
  return std::optional<LogBlock>(std::move(block));
}

Result<bool> LogWindow::next() {
  if (!started_) {
    ATTRIB_TRY(ahead_, scan());
  }
  if (!ahead_) return false;
  now_ = std::move(*ahead_);
  started_ = true;
  ATTRIB_TRY(ahead_, scan());
  return true;
}

}  // namespace attrib::evidence
