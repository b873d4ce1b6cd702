#include "evidence/neighbours.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "evidence/label_places.h"
#include "evidence/lines.h"

namespace attrib::evidence {
namespace {

// A gap of so many bytes between what was asked about is not worth filling.
constexpr std::uint64_t kGap = 1024;

constexpr std::uint32_t kUnknown = 0;  // It may be of any stream.
constexpr std::uint32_t kNone = 1;     // It has no stamp.
constexpr std::uint32_t kLeastHash = 2;

std::uint32_t mixed(std::uint64_t value) {
  value *= 0x9E3779B97F4A7C15U;
  return std::max(static_cast<std::uint32_t>(value >> 32U), kLeastHash);
}

}  // namespace

Neighbours::Mark Neighbours::mark_of(const Labels& labels) {
  const std::uint64_t rank = labels.rank ? std::uint64_t{*labels.rank} + 1 : 0;
  const auto kind = static_cast<std::uint64_t>(labels.label_kind);
  return mixed(rank << 32U ^ std::uint64_t{labels.label} << 2U ^ kind);
}

Neighbours::Mark Neighbours::mark_of(const StreamKey& stream) {
  const Mark labels = mark_of(Labels{stream.rank, stream.label_kind, stream.label});
  return mixed(std::hash<std::string_view>{}(stream.node) ^ labels);
}

std::uint64_t Neighbours::line_end(std::uint64_t at) const {
  const std::size_t found = window_->text(at, window_->end()).find('\n');
  return found == std::string_view::npos ? window_->end() : at + found + 1;
}

std::string_view Neighbours::text_of(const Line& line) const {
  return without_end(window_->text(line.begin, line.begin + line.size));
}

bool Neighbours::look_at(std::uint64_t begin, std::uint64_t end, Line* line) const {
  const std::string_view text = window_->text(begin, end);
  if (lines_->begins_plainly(text)) return false;
  const auto labels = lines_->labels_in_front(without_end(text));
  *line = {begin, static_cast<std::uint32_t>(end - begin), labels ? mark_of(*labels) : kUnknown};
  return true;
}

std::optional<Stamp> Neighbours::stamp_of(const Wanted& wanted, Line* line) const {
  if (line->read) {
    if (line->mark != wanted.whole) return std::nullopt;
  } else if (line->mark != wanted.labels && line->mark != kUnknown) {
    return std::nullopt;
  }
  const std::string_view text = text_of(*line);
  if (!line->looked) {
    const MayBeStamped may = lines_->may_be_stamped(text);
    line->looked = true;
    line->names_node = may == MayBeStamped::WithNode;
    line->read = may == MayBeStamped::No;
    if (line->read) line->mark = kNone;
    if (line->read) return std::nullopt;
  }
  if (!line->read && line->names_node && wanted.stream->node.empty()) return std::nullopt;
  const Glimpse seen = lines_->glimpse(text);
  line->read = true;
  line->mark = seen.stamp ? mark_of(seen.stream) : kNone;
  return seen.stream == *wanted.stream ? seen.stamp : std::nullopt;
}

// To the line in front of all that were looked at; false: it begins before `least`.
bool Neighbours::step_back(std::uint64_t least) {
  // A line begins at `least` itself if one ends there; at the window's own begin it may be cut.
  const std::uint64_t lowest = least > window_->begin() ? least - 1 : least;
  const std::size_t found = last_line_end(window_->text(lowest, from_ - 1));
  const std::uint64_t begin = found == std::string_view::npos ? lowest : lowest + found + 1;
  if (found == std::string_view::npos && begin > 0) return false;
  Line line;
  if (look_at(begin, from_, &line)) near_.push_front(line);
  from_ = begin;
  return true;
}

void Neighbours::step_on() {
  const std::uint64_t end = line_end(to_);
  Line line;
  if (look_at(to_, end, &line)) near_.push_back(line);
  to_ = end;
}

std::optional<Stamp> Neighbours::before(const Wanted& wanted, std::uint64_t begin,
                                        std::uint64_t least) {
  auto at = std::partition_point(near_.begin(), near_.end(),
                                 [&](const Line& each) { return each.begin < begin; });
  while (at != near_.begin()) {
    --at;
    if (at->begin < least) return std::nullopt;
    if (auto stamp = stamp_of(wanted, &*at)) return stamp;
  }
  while (from_ > least) {
    const std::size_t known = near_.size();
    if (!step_back(least)) return std::nullopt;
    if (near_.size() == known) continue;
    if (auto stamp = stamp_of(wanted, &near_.front())) return stamp;
  }
  return std::nullopt;
}

std::optional<Stamp> Neighbours::behind(const Wanted& wanted, std::uint64_t end,
                                        std::uint64_t most) {
  auto at = std::partition_point(near_.begin(), near_.end(),
                                 [&](const Line& each) { return each.begin < end; });
  for (; at != near_.end(); ++at) {
    if (at->begin > most) return std::nullopt;
    if (auto stamp = stamp_of(wanted, &*at)) return stamp;
  }
  while (to_ < window_->end() && to_ <= most) {
    const std::size_t known = near_.size();
    step_on();
    if (near_.size() == known) continue;
    if (auto stamp = stamp_of(wanted, &near_.back())) return stamp;
  }
  return std::nullopt;
}

// Are there few lines with labels that ask? Then those of their rank are not worth remembering all
// others for.
bool Neighbours::is_rare(const StreamKey& stream, std::uint64_t begin) {
  const bool labelled = stream.rank || stream.label_kind != LabelKind::None;
  if (!labelled || !lines_->lines_tell_ranks()) return false;
  const std::uint64_t last = last_of_rank_.value_or(begin + 2 * kNeighbourBytes);
  last_of_rank_ = begin;
  return std::max(last, begin) - std::min(last, begin) > kNeighbourBytes;
}

std::optional<Stamp> Neighbours::rank_before(const Wanted& wanted, std::uint64_t begin,
                                             std::uint64_t least) const {
  // From the first line that begins there or later; at the window's own begin it may be cut.
  std::uint64_t from = least;
  if (least > 0) from = line_end(std::max(least - 1, window_->begin()));
  if (from >= begin) return std::nullopt;
  const std::string_view text = window_->text(from, begin);
  LabelPlaces places(text, *wanted.stream);
  for (std::size_t to = text.size(); to > 0;) {
    const std::size_t place = places.last(to);
    if (place == std::string_view::npos) return std::nullopt;
    const std::size_t found = last_line_end(text.substr(0, place));
    to = found == std::string_view::npos ? 0 : found + 1;
    Line line;
    if (!look_at(from + to, line_end(from + place), &line)) continue;
    if (auto stamp = stamp_of(wanted, &line)) return stamp;
  }
  return std::nullopt;
}

std::optional<Stamp> Neighbours::rank_behind(const Wanted& wanted, std::uint64_t end,
                                             std::uint64_t most) const {
  if (end >= window_->end()) return std::nullopt;
  // To the end of the last line that begins there.
  const std::uint64_t limit = line_end(std::min(most, window_->end() - 1));
  if (end >= limit) return std::nullopt;
  const std::string_view text = window_->text(end, limit);
  LabelPlaces places(text, *wanted.stream);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t place = places.next(from);
    if (place == std::string_view::npos) return std::nullopt;
    const std::size_t found = last_line_end(text.substr(0, place));
    const std::size_t begin = found == std::string_view::npos ? 0 : found + 1;
    from = static_cast<std::size_t>(line_end(end + place) - end);
    Line line;
    if (!look_at(end + begin, end + from, &line)) continue;
    if (auto stamp = stamp_of(wanted, &line)) return stamp;
  }
  return std::nullopt;
}

// What lies far from the line at `begin`. Both ends stay ends of lines.
void Neighbours::forget(std::uint64_t begin, std::uint64_t least, std::uint64_t most) {
  if (begin < from_ || begin > to_ + kGap) {
    near_.clear();
    from_ = to_ = begin;
    return;
  }
  if (from_ + kNeighbourBytes < least) {
    while (!near_.empty() && near_.front().begin < least) near_.pop_front();
    from_ = line_end(std::max(least - 1, window_->begin()));
  }
  if (most + 2 * kNeighbourBytes < to_) {
    while (!near_.empty() && near_.back().begin > most) near_.pop_back();
    to_ = line_end(most);
  }
}

std::shared_ptr<Around> Neighbours::of(const StreamKey& stream, std::uint64_t begin,
                                       std::uint64_t end, std::uint64_t floor) {
  const std::uint64_t least = std::max(
      {floor, window_->begin(), begin - std::min<std::uint64_t>(begin, kNeighbourBytes)});
  const std::uint64_t most = begin + kNeighbourBytes;
  Wanted wanted;
  wanted.stream = &stream;
  wanted.labels = mark_of(Labels{stream.rank, stream.label_kind, stream.label});
  wanted.whole = mark_of(stream);
  std::optional<Stamp> earlier, later;
  if (is_rare(stream, begin)) {
    earlier = rank_before(wanted, begin, least);
    later = rank_behind(wanted, end, most);
  } else {
    forget(begin, least, most);
    while (to_ < end) step_on();  // Over lines that nobody asked about.
    earlier = before(wanted, begin, least);
    later = behind(wanted, end, most);
  }
  if (!earlier && !later) return nullptr;
  auto out = std::make_shared<Around>();
  out->before.stamp = earlier;
  out->after.stamp = later;
  return out;
}

}  // namespace attrib::evidence
