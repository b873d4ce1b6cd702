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

// What `text`, the block's, holds. `filter` may be null.
void search(std::string_view text, const LineFilter* filter, LogBlock* block) {
  const LineCounts counts = count_lines(text);
  block->line_ends = counts.line_ends;
  block->filled_lines = counts.filled;
  if (filter == nullptr) return;
  block->scanned = true;
  filter->search(text, &block->hits);
  const std::size_t found = block->hits.size();
  if (counts.has_escape) mark_escapes(text, &block->hits);
  const auto by_place = [](const LineFilter::Hit& a, const LineFilter::Hit& b) {
    return a.at < b.at;
  };
  std::inplace_merge(block->hits.begin(), block->hits.begin() + static_cast<std::ptrdiff_t>(found),
                     block->hits.end(), by_place);
  for (LineFilter::Hit& hit : block->hits) hit.at += block->begin;
}

}  // namespace

LogWindow::~LogWindow() {
  for (Cut& each : cut_) {
    if (pool_ != nullptr) pool_->drop(&each.search);
  }
}

// Room for so many bytes more. What lies before the block and its stretch behind goes.
void LogWindow::make_room(std::size_t more) {
  // Nobody may look while the bytes move.
  for (Cut& each : cut_) {
    if (pool_ != nullptr) pool_->finish(&each.search);
  }
  const std::uint64_t needed_from = started_ ? now_.begin : 0;
  const std::uint64_t keep =
      std::max(base_, needed_from - std::min<std::uint64_t>(needed_from, kBehindBytes));
  const auto left = static_cast<std::size_t>(filled_ - keep);
  const char* const from = buffer_.get() + (keep - base_);
  // With many blocks ahead, most of a buffer that they nearly fill would be moved again and again.
  if (left + more > capacity_ || (!cut_.empty() && 3 * left > capacity_)) {
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
Status LogWindow::skip_line(LogBlock* block) {
  std::string rest(text(block->begin, filled_));
  std::uint64_t size = 0;
  char before = '\0';
  while (true) {
    const std::size_t found = rest.find('\n');
    const std::size_t taken = std::min(found, rest.size());
    if (taken > 0) before = rest[taken - 1];
    size += taken;
    rest.erase(0, found == std::string::npos ? taken : found + 1);
    block->line_ends = found == std::string::npos ? 0 : 1;
    if (block->line_ends == 1) break;
    rest.resize(kBlockBytes);
    ATTRIB_TRY(const std::size_t got, source_->read(rest.data(), rest.size()));
    rest.resize(got);
    ended_ = got == 0;
    if (ended_) break;
  }
  filled_ = block->begin;
  if (static_cast<std::size_t>(filled_ - base_) + rest.size() > capacity_) make_room(rest.size());
  std::copy_n(rest.data(), rest.size(), buffer_.get() + (filled_ - base_));
  filled_ += rest.size();
  block->too_long = size - (before == '\r' ? 1 : 0);
  block->end = block->begin;
  block->filled_lines = 1;
  return Done{};
}

// The next block goes to cut_, or there is none.
Status LogWindow::cut() {
  LogBlock block;
  block.begin = cut_to_;
  // One byte more than is wanted tells whether this is all.
  std::size_t look = kBlockBytes;
  while (true) {
    if (auto status = fill(block.begin + look + 1); !status) return status;
    const auto at_hand = static_cast<std::size_t>(filled_ - block.begin);
    if (at_hand == 0) return Done{};
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
      if (auto status = skip_line(&block); !status) return status;
      break;
    }
    look *= 2;
  }
  if (auto status = fill(block.end + 1); !status) return status;
  block.last = ended_ && block.end == filled_;
  cut_to_ = block.end;
  Cut& added = cut_.emplace_back();
  added.block = std::move(block);
  start_search(&added);
  return Done{};
}

// Until so many are cut, or all there are.
Status LogWindow::cut_ahead(std::size_t blocks) {
  while (cut_.size() < blocks && !failed_) {
    const std::size_t before = cut_.size();
    if (auto status = cut(); !status) failed_ = status.error();
    if (cut_.size() == before) break;
  }
  if (cut_.empty() && failed_) return *failed_;
  return Done{};
}

void LogWindow::start_search(Cut* cut) {
  LogBlock* const block = &cut->block;
  if (block->too_long > 0) return;
  const std::string_view all = text(block->begin, block->end);
  const bool short_log = block->last && block->begin == 0 && all.size() <= kShortBytes;
  LineFilter* const filter = short_log ? nullptr : filter_;
  if (filter != nullptr) filter->prepare();
  if (pool_ == nullptr) return search(all, filter, block);
  pool_->add(&cut->search, [all, filter, block] { search(all, filter, block); });
}

// The next block, searched.
Result<std::optional<LogBlock>> LogWindow::take() {
  std::size_t helpers = 0;
  if (pool_ != nullptr && cut_to_ > kLongBytes) {
    pool_->call_helpers();
    helpers = std::min(pool_->helpers(), kMostHelpers);
  }
  if (auto status = cut_ahead(1 + helpers * kBlocksAhead); !status) return status.error();
  if (cut_.empty()) return std::optional<LogBlock>();
  Cut& next = cut_.front();
  if (pool_ != nullptr) pool_->finish(&next.search);
  std::optional<LogBlock> out(std::move(next.block));
  cut_.pop_front();
  out->first_line = next_line_;
  next_line_ += out->line_ends;
  scanned_ = out->end;
  return out;
}

Result<bool> LogWindow::next() {
  if (!started_) {
    ATTRIB_TRY(ahead_, take());
  }
  if (!ahead_) return false;
  now_ = std::move(*ahead_);
  started_ = true;
  ATTRIB_TRY(ahead_, take());
  return true;
}

}  // namespace attrib::evidence
