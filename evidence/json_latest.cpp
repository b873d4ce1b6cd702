#include "evidence/json_latest.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "evidence/read.h"
#include "evidence/words.h"

namespace attrib::evidence {
namespace {

using Sorts = LineFilter::Sorts;

// Beside kLatest, what keeps no line.
constexpr LineFilter::Reasons kMayWait =
    LineFilter::kLatest | LineFilter::kSecond | LineFilter::kFollows;

// Is it behind all lines of its stream before it, as its text shows?
bool comes_last(const JsonStream& stream, const WrittenTime& ts, std::string_view seq) {
  return !stream.out_of_order && seq.empty() && stream.last_seq.empty() &&
         order_of_times(ts, stream.last_ts) == Order::After;
}

}  // namespace

bool JsonLatest::wait(JsonStream* stream, const Line& line, Hits hits) {
  const JsonLine& text = *line.text;
  Sorts sorts = 0;
  for (const LineFilter::Hit& hit : hits) {
    if ((hit.why & ~kMayWait) != 0) return false;
    if ((hit.why & LineFilter::kLatest) != 0) sorts |= filter_->sorts_of(hit.text);
  }
  if (text.escapes || !comes_last(*stream, *line.ts, text.seq) ||
      filter_->heard(sorts, model::source_bit(stream->source)) != sorts ||
      text.message.size() > kMaxMatchBytes || !is_ascii(text.message))
    return false;
  if (bytes_.size() + text.line.size() > kMostBytes) settle_all();
  Waiting& each = waiting_.emplace_back();
  const auto small = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  const auto place_of = [&](std::string_view part) {
    return small(static_cast<std::size_t>(part.data() - text.line.data()));
  };
  each.stream = stream;
  each.number = line.number;
  each.sorts = sorts;
  each.before = std::exchange(stream->pending, small(waiting_.size()));
  each.line = small(bytes_.size());
  each.line_size = small(text.line.size());
  each.ts = place_of(text.ts);
  each.ts_size = small(text.ts.size());
  each.message = place_of(text.message);
  each.message_size = small(text.message.size());
  each.hits = small(hits_.size());
  each.hits_size = small(hits.size());
  bytes_ += text.line;
  // Places of their own, by which the filter tells lines apart.
  for (LineFilter::Hit hit : hits) {
    hit.at = std::numeric_limits<std::size_t>::max() / 2 + ++places_;
    hits_.push_back(hit);
  }
  ++gathering_->passed;
  return true;
}

LineFilter::Answer JsonLatest::ask(const Waiting& each) {
  const Hits hits = std::span(hits_).subspan(each.hits, each.hits_size);
  return filter_->confirms(line_of(each).substr(each.message, each.message_size), hits);
}

void JsonLatest::take(const Waiting& each, LatestLine* into) const {
  const std::string_view line = line_of(each);
  into->line = line;
  into->ts.set(line.substr(each.ts, each.ts_size));
  into->seq.clear();
  into->number = each.number;
}

void JsonLatest::settle(JsonStream* stream) {
  settled_.clear();
  const auto is_settled = [this](Sorts sorts) {
    return std::find(settled_.begin(), settled_.end(), sorts) != settled_.end();
  };
  while (stream->pending > 0) {
    const Waiting& each = waiting_[stream->pending - 1];
    stream->pending = each.before;
    if (std::has_single_bit(each.sorts) && is_settled(each.sorts)) continue;
    const LineFilter::Answer found = ask(each);
    if (found.why != LineFilter::kLatest || is_settled(found.sorts)) continue;
    settled_.push_back(found.sorts);
    take(each, &stream->latest[found.sorts]);
  }
}

void JsonLatest::settle_all() {
  for (std::size_t i = waiting_.size(); i-- > 0;) settle(waiting_[i].stream);
  waiting_.clear();
  bytes_.clear();
  hits_.clear();
}

bool JsonLatest::offer(JsonStream* stream, const Line& line, Sorts sorts) {
  const JsonLine& text = *line.text;
  if (text.ts.empty()) return false;
  if (filter_->heard(sorts, model::source_bit(stream->source)) != sorts) return false;
  const auto known = stream->latest.find(sorts);
  const LatestLine* const latest = known == stream->latest.end() ? nullptr : &known->second;
  Order order = Order::After;
  if (latest != nullptr) {
    order = order_of_times(*line.ts, latest->ts);
    const bool numbered = !text.seq.empty() || !latest->seq.empty();
    if (numbered && order_of_numbers(text.seq, latest->seq) != order) return false;
  }
  if (order == Order::Same || order == Order::Unknown) return false;
  ++gathering_->passed;
  if (order == Order::Before) return true;
  LatestLine& kept = stream->latest[sorts];
  kept.line = text.line;
  kept.ts = *line.ts;
  kept.seq = text.seq;
  kept.number = line.number;
  return true;
}

Status JsonLatest::finish(std::deque<JsonStream>* streams) {
  settle_all();
  for (JsonStream& stream : *streams) {
    for (const auto& [sorts, latest] : stream.latest) {
      --gathering_->passed;
      const std::size_t before = gathering_->drafts.size();
      if (auto status = objects_->line(latest.line, latest.number); !status) return status;
      // Lines that tell of a loss hold a mark, and are kept at once.
      if (gathering_->drafts.size() > before) gathering_->drafts.back().tells_loss = false;
    }
  }
  return Done{};
}

}  // namespace attrib::evidence
