#include "evidence/json_keep.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evidence/coverage.h"
#include "evidence/first_lines.h"
#include "evidence/framing.h"
#include "evidence/json_heads.h"
#include "evidence/json_latest.h"
#include "evidence/json_look.h"
#include "evidence/json_shape.h"
#include "evidence/json_streams.h"
#include "evidence/words.h"

namespace attrib::evidence {
namespace {

using Reasons = LineFilter::Reasons;
using Hits = std::span<const LineFilter::Hit>;

constexpr model::SourceMask kLabelled = static_cast<model::SourceMask>(
    model::source_bit(model::SourceKind::App) | model::source_bit(model::SourceKind::Slurm) |
    model::source_bit(model::SourceKind::K8s) | model::source_bit(model::SourceKind::Metric));

class JsonLineKeeper {
 public:
  JsonLineKeeper(LineFilter* filter, JsonObjects* objects, Gathering* gathering)
      : filter_(filter),
        objects_(objects),
        gathering_(gathering),
        streams_(gathering),
        latest_(filter, objects, gathering),
        look_(&heads_) {}

  Status block(std::string_view text) {
    look_.read(text);
    filter_->prepare();
    filter_->search(look_.searched(), &hits_);
    std::size_t at = 0, hit = 0;
    constexpr std::size_t kAhead = 6;
    auto& lines = look_.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i + kAhead < lines.size()) __builtin_prefetch(lines[i + kAhead].stream, 1);
      LookedAt& line = lines[i];
      ++number_;
      const std::size_t first = hit;
      Reasons why = 0;
      for (; hit < hits_.size() && hits_[hit].at < line.searched_to; ++hit) why |= hits_[hit].why;
      if (why != 0 || !passes_over(line)) {
        const auto hits = std::span(hits_).subspan(first, hit - first);
        if (auto status = visit(line, text.substr(at), why, hits); !status) return status;
      }
      at += line.text.end;
    }
    return Done{};
  }

  // Behind the last block. False: as of keep_json_lines().
  Result<bool> finish() {
    for (const JsonStream& stream : streams_.all()) {
      // By number they have other lines around them.
      for (const std::size_t each : stream.placed) {
        if (stream.out_of_order) gathering_->drafts[each].around.reset();
      }
    }
    if (auto status = latest_.finish(&streams_.all()); !status) return status.error();
    return std::none_of(streams_.all().begin(), streams_.all().end(), [](const JsonStream& stream) {
      return stream.led_once && stream.out_of_order;
    });
  }

 private:
  // What is known of a line before it is parsed.
  struct Known {
    const JsonLine* line = nullptr;    // Null if it has not that shape.
    const JsonShape* shape = nullptr;  // With its head, if that is a new one.
    JsonStream* stream = nullptr;      // Or the stream of a head that is known.
    LineFilter::Answer found = {LineFilter::kMark};  // What confirms() said.
    bool keep = false;                               // Whatever rules say.
  };

  // Of a line without hits. False: it is to be visited.
  bool passes_over(const LookedAt& line) {
    if (line.stream == nullptr || line.may_have_label) return false;
    const auto [ts, seq] = std::pair(line.text.ts, line.text.seq);
    ts_.set(ts);
    if (!seq.empty() || !line.stream->pass_over(ts_)) {
      if (line.stream->is_led(seq.empty() ? ts : seq)) return false;
      streams_.passes(line.stream, ts_, seq, true);
    }
    ++gathering_->passed;
    return true;
  }

  Status visit(LookedAt& line, std::string_view rest, Reasons why, Hits hits) {
    Known known;
    if (line.shaped && line.stream == nullptr) {  // Since the first look it may have become known.
      read_json_shape(rest, &shape_);
      if (const JsonHeads::Known* head = heads_.find(shape_)) {
        line.take_head(*head);
      } else {
        known.shape = &shape_;
      }
    }
    if (line.shaped) known.line = &line.text;
    ts_.set(line.text.ts);
    known.stream = line.stream;
    return line.stream == nullptr ? parse(line.text.line, why, hits, known)
                                  : usual(line, why, hits, known);
  }

  // A line of the shape with a known head: not parsed if no rule reads it.
  Status usual(const LookedAt& line, Reasons why, Hits hits, Known known) {
    constexpr Reasons kWanted = LineFilter::kRead | LineFilter::kLatest | LineFilter::kLeads;
    JsonStream* const stream = line.stream;
    const JsonLine& text = line.text;
    const auto parsed = [&] { return parse(text.line, why, hits, known); };
    const auto passes = [&] {
      streams_.passes(stream, ts_, text.seq, true);
      return Done{};
    };
    if ((why & LineFilter::kMark) != 0 || (line.may_have_label && !has_no_label(line)) ||
        stream->is_led(text.seq.empty() ? text.ts : text.seq))
      return parsed();
    if ((why & LineFilter::kAlike) != 0 && says_again(*stream, text, hits)) {
      ++gathering_->passed;
      return passes();
    }
    const JsonLatest::Line latest{&text, &ts_, number_};
    if ((why & LineFilter::kLatest) != 0) {
      if (latest_.wait(stream, latest, hits)) return passes();
      latest_.settle(stream);
    }
    LineFilter::Answer found;
    if ((why & kWanted) != 0) {
      if (!text.escapes) known.found = filter_->confirms(text.message, hits);
      found = known.found;
      if ((found.why & ~LineFilter::kLatest) != 0) return parsed();
    }
    if (found.why == 0) {
      ++gathering_->passed;
    } else if (!latest_.offer(stream, latest, found.sorts)) {
      known.keep = true;
      return parsed();
    }
    return passes();
  }

  // Does its message surely tell no rank, where the line gives none?
  static bool has_no_label(const LookedAt& line) {
    Frame frame;
    return !line.text.escapes && line.stream->source != model::SourceKind::Metric &&
           is_ascii(line.text.message) &&
           glimpse(line.text.message, line.stream->source, false, &frame) && !frame.rank &&
           frame.label_kind == LabelKind::None;
  }

  Status parse(std::string_view line, Reasons why, Hits hits, const Known& known) {
    const std::size_t before = gathering_->drafts.size();
    if (auto status = objects_->line(line, number_); !status) return status;
    if (gathering_->drafts.size() > before && objects_->was_observation())
      read(line, why, hits, known);
    return Done{};
  }

  // The draft that was made of the line.
  void read(std::string_view line, Reasons why, Hits hits, const Known& known) {
    const std::size_t place_of_draft = gathering_->drafts.size() - 1;
    Draft& d = gathering_->drafts.back();
    const Observation& o = d.observation;
    const bool has_label = !d.rank_given && (o.rank || d.label_kind != LabelKind::None);
    JsonStream* const stream =
        known.stream != nullptr && !has_label ? known.stream : streams_.of(d);
    ts_.set(d.raw_ts);
    const std::string seq = d.seq ? std::to_string(*d.seq) : "";
    const std::string place = seq.empty() ? std::string(ts_.text()) : seq;
    const bool is_text = !o.is_metric && !o.is_record;
    const bool has_id = !o.ids.empty();
    const bool as_it_looks = known.line != nullptr && reads_as_it_looks(*known.line, d);
    if (as_it_looks && known.shape != nullptr && is_text && !has_id && !has_label)
      learn(*known.shape, stream, d);
    LineFilter::Answer found;
    if (is_text && as_it_looks && d.prefix.empty() && (known.found.why & LineFilter::kMark) == 0)
      found = known.found;  // The message is the body.
    else if (is_text)
      found = read_by(line, why, known.line, o.message);
    const bool first = !std::exchange(stream->seen[d.seq ? 1 : 0], true);
    const bool loss = (why & LineFilter::kMark) != 0 && says_loss(o.message);
    const bool led = is_text && take_led(stream, place);
    if ((found.why & LineFilter::kLeads) != 0) lead(o.message, place, stream);
    const bool wanted = known.keep || !is_text || has_id || first || loss || led || d.escaped ||
                        d.truncated;
    if (!wanted && (found.why == 0 || takes_latest(stream, known.line, found))) {
      if (found.why == 0) ++gathering_->passed;
      const std::optional<Stamp> stamp = d.stamp;
      gathering_->drafts.pop_back();
      streams_.passes(stream, ts_, seq, true);
      if (stamp && ts_.empty()) streams_.passes_framed(stream, *stamp);
      return;
    }
    // Of another shape its texts may be spelled as the filter does not look for them.
    if (known.shape != nullptr) d.tells_loss = loss;
    // What was found in the line was found in its message, and the run need not look again.
    if (as_it_looks)
      d.observation.found = filter_->note(d.observation.message, {hits, d.prefix.size()});
    if (!d.stamp || loss) JsonStreams::look_back(*stream, loss, &d);
    streams_.passes(stream, ts_, seq, false);
    if (d.stamp && ts_.empty()) streams_.passes_framed(stream, *d.stamp);
    if (!d.stamp) streams_.waits(stream, place_of_draft);
    if (d.seq && (!d.stamp || loss)) stream->placed.push_back(place_of_draft);
  }

  // Of a parsed line, whose time as given may be another one than that of the shape.
  bool takes_latest(JsonStream* stream, const JsonLine* text, const LineFilter::Answer& found) {
    if (found.why != LineFilter::kLatest || text == nullptr) return false;
    latest_.settle(stream);
    WrittenTime ts;
    ts.set(text->ts);
    return latest_.offer(stream, {text, &ts, number_}, found.sorts);
  }

  // What rules do with the message of a parsed line.
  LineFilter::Answer read_by(std::string_view line, Reasons why, const JsonLine* text,
                             std::string_view message) {
    constexpr Reasons kFollowing = LineFilter::kSecond | LineFilter::kFollows;
    if ((why & ~kFollowing) == 0 && (text != nullptr || !has_odd_escape(line))) return {};
    return filter_->matches(message, nullptr);
  }

  static bool reads_as_it_looks(const JsonLine& text, const Draft& d) {
    const std::string& body = d.observation.message;
    return !text.escapes && text.message.size() == d.prefix.size() + body.size() &&
           text.message.starts_with(d.prefix) && text.message.ends_with(body);
  }

  // Remembers the head, if the parsed line shows that lines like it read as they look.
  void learn(const JsonShape& shape, JsonStream* stream, const Draft& d) {
    const Observation& o = d.observation;
    const bool all_is_told = !shape.ts.empty() && !o.node.empty() && d.raw_ts == shape.ts &&
                             d.seq.has_value() != shape.seq.empty();
    const bool labelled = !d.rank_given && (model::source_bit(o.source) & kLabelled) != 0;
    if (all_is_told) heads_.add(shape, {stream, labelled});
  }

  static bool take_led(JsonStream* stream, const std::string& place) {
    if (!stream->is_led(place)) return false;
    if (place.empty() || place != stream->led_from) stream->led -= stream->led > 0 ? 1 : 0;
    stream->led_to = place;
    return true;
  }

  void lead(std::string_view message, const std::string& place, JsonStream* stream) {
    filter_->heads(message, &found_heads_);
    for (const std::uint32_t head : found_heads_)
      stream->led = std::max(stream->led, filter_->reach(head));
    stream->led_from = place;
    stream->led_to = place;
    stream->led_once = true;
    if (stream->passed_there && place == stream->last_place()) stream->out_of_order = true;
  }

  // Did an earlier line of its stream say the same to all rules that read it? Earlier by what decides its
  // place too, not only in the file.
  bool says_again(const JsonStream& stream, const JsonLine& text, Hits hits) {
    // Who speaks in a pod's log depends on more than the line.
    if (text.escapes || stream.out_of_order || stream.source == model::SourceKind::K8s) return false;
    if (stream.order_behind(ts_, text.seq) != Order::After) return false;
    const auto line = peek(text.message, stream.source, true, false);
    if (!line || line->frame.rank || line->frame.label_kind != LabelKind::None) return false;
    return filter_->says(text.message.substr(line->body), hits, line->speaks, &said_) &&
           firsts_.again(stream.number, line->speaks, said_);
  }

  LineFilter* filter_;
  JsonObjects* objects_;
  Gathering* gathering_;
  JsonStreams streams_;
  JsonLatest latest_;
  JsonHeads heads_;
  JsonLook look_;
  std::uint64_t number_ = 0;  // Of the line.
  JsonShape shape_;
  WrittenTime ts_;                      // Of the line.
  std::vector<LineFilter::Hit> hits_;   // In what is searched.
  std::vector<std::uint32_t> found_heads_;
  FirstLines firsts_;
  std::string said_;  // By the last call of says().
};

Status keep_all(LineBlocks* blocks, JsonObjects* objects) {
  std::uint64_t number = 0;
  while (true) {
    ATTRIB_TRY(const std::string_view block, blocks->next());
    if (block.empty()) return Done{};
    LineSplitter splitter(block);
    while (const auto line = splitter.next()) {
      if (auto status = objects->line(line->text, ++number); !status) return status;
    }
  }
}

}  // namespace

Result<bool> keep_json_lines(LineBlocks* blocks, LineFilter* filter, JsonObjects* objects,
                             Gathering* gathering) {
  if (filter == nullptr) {
    if (auto status = keep_all(blocks, objects); !status) return status.error();
    return true;
  }
  JsonLineKeeper keeper(filter, objects, gathering);
  while (true) {
    ATTRIB_TRY(const std::string_view block, blocks->next());
    if (block.empty()) return keeper.finish();
    if (auto status = keeper.block(block); !status) return status.error();
  }
}

}  // namespace attrib::evidence
