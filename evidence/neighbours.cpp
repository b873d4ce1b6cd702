#include "evidence/neighbours.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "evidence/lines.h"
#include "evidence/stamp_places.h"

namespace attrib::evidence {
namespace {

constexpr std::uint64_t kPiece = 1024;  // Bytes that are looked at together.

}  // namespace

std::uint64_t Neighbours::line_end(std::uint64_t at) const {
  const std::size_t found = window_->text(at, window_->end()).find('\n');
  return found == std::string_view::npos ? window_->end() : at + found + 1;
}

// Those of the lines [from, to) that may have a stamp go to found_.
void Neighbours::find(std::uint64_t from, std::uint64_t to) {
  found_.clear();
  const std::string_view text = window_->text(from, to);
  find_stamp_places(text, &places_);
  std::size_t done = 0;
  for (const std::size_t place : places_) {
    if (place < done || place >= text.size()) continue;
    const std::size_t end_before = place == 0 ? std::string_view::npos : last_line_end(text.substr(0, place));
    const std::size_t begin = end_before == std::string_view::npos ? 0 : end_before + 1;
    const std::size_t end = text.find('\n', place);
    done = end == std::string_view::npos ? text.size() : end + 1;
    found_.push_back({from + begin, from + done, false, {}, {}});
  }
}

bool Neighbours::is_of(const StreamKey& stream, Stamped* line) const {
  if (!line->read) {
    const std::string_view text = without_end(window_->text(line->begin, line->end));
    const bool bare = !stream.rank && stream.label_kind == LabelKind::None;
    if (bare && !label_of(text).empty()) return false;  // Which costs less to see.
    const Glimpse seen = lines_->glimpse(text);
    line->read = true;
    line->stamp = seen.stamp;
    line->stream = seen.stream;
  }
  return line->stamp && line->stream == stream;
}

void Neighbours::start_at(std::uint64_t begin, std::uint64_t end) {
  stamped_.clear();
  from_ = begin;
  to_ = end;
}

std::optional<Stamp> Neighbours::before(const StreamKey& stream, std::uint64_t begin,
                                        std::uint64_t least) {
  auto at = std::partition_point(stamped_.begin(), stamped_.end(),
                                 [&](const Stamped& each) { return each.begin < begin; });
  auto left = static_cast<std::size_t>(at - stamped_.begin());
  while (true) {
    while (left > 0) {
      if (stamped_[--left].begin < least) return std::nullopt;
      if (is_of(stream, &stamped_[left])) return stamped_[left].stamp;
    }
    if (from_ <= least) return std::nullopt;
    const std::uint64_t wanted = std::max(least, from_ - std::min(from_, kPiece));
    // From the first line that begins there or later.
    std::uint64_t piece = wanted;
    if (wanted > window_->begin()) {
      if (window_->text(wanted - 1, wanted) != "\n") piece = line_end(wanted);
    } else if (wanted > 0) {
      piece = line_end(wanted);  // Perhaps cut.
    }
    if (piece >= from_ && wanted > least) {
      // One long line: to where it begins.
      const std::size_t found =
          last_line_end(window_->text(least, from_ - 1));
      piece = found == std::string_view::npos ? from_ : least + found + 1;
    }
    if (piece >= from_) {
      from_ = least;  // No line begins between them.
      return std::nullopt;
    }
    find(piece, from_);
    stamped_.insert(stamped_.begin(), std::make_move_iterator(found_.begin()),
                    std::make_move_iterator(found_.end()));
    left = found_.size();
    from_ = piece;
  }
}

std::optional<Stamp> Neighbours::behind(const StreamKey& stream, std::uint64_t end,
                                        std::uint64_t most) {
  auto at = static_cast<std::size_t>(
      std::partition_point(stamped_.begin(), stamped_.end(),
                           [&](const Stamped& each) { return each.begin < end; }) -
      stamped_.begin());
  while (true) {
    for (; at < stamped_.size(); ++at) {
      if (stamped_[at].begin > most) return std::nullopt;
      if (is_of(stream, &stamped_[at])) return stamped_[at].stamp;
    }
    if (to_ >= window_->end() || to_ > most) return std::nullopt;
    const std::uint64_t piece = line_end(std::min(to_ + kPiece, window_->end() - 1));
    find(to_, piece);
    stamped_.insert(stamped_.end(), std::make_move_iterator(found_.begin()),
                    std::make_move_iterator(found_.end()));
    to_ = piece;
  }
}

std::shared_ptr<Around> Neighbours::of(const StreamKey& stream, std::uint64_t begin,
                                       std::uint64_t end, std::uint64_t floor) {
  const std::uint64_t least = std::max(
      {floor, window_->begin(), begin - std::min<std::uint64_t>(begin, kNeighbourBytes)});
  while (!stamped_.empty() && stamped_.front().begin < least) stamped_.pop_front();
  if (from_ < least && least < to_) from_ = least;
  if (begin < from_ || begin > to_ + kPiece || from_ < floor) start_at(begin, end);
  // Over lines that nobody asked about.
  while (to_ < end) {
    const std::uint64_t piece = line_end(std::min(std::max(to_ + kPiece, end) - 1, window_->end() - 1));
    find(to_, piece);
    stamped_.insert(stamped_.end(), std::make_move_iterator(found_.begin()),
                    std::make_move_iterator(found_.end()));
    to_ = piece;
  }
  const auto earlier = before(stream, begin, least);
  const auto later = behind(stream, end, begin + kNeighbourBytes);
  if (!earlier && !later) return nullptr;
  auto out = std::make_shared<Around>();
  out->before.stamp = earlier;
  out->after.stamp = later;
  return out;
}

}  // namespace attrib::evidence
