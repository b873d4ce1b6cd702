#include "evidence/json_keep.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evidence/coverage.h"
#include "evidence/first_lines.h"
#include "evidence/framing.h"
#include "evidence/json_heads.h"
#include "evidence/json_shape.h"

namespace attrib::evidence {
namespace {

using Reasons = LineFilter::Reasons;

// What decides the place of a line in its stream: its number, or else its time.
struct When {
  std::string ts, seq;  // As written; empty: not given.
  [[nodiscard]] const std::string& place() const { return seq.empty() ? ts : seq; }
};

enum class Order : std::uint8_t { Before, Same, After, Unknown };

Order order_of(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return order < 0 ? Order::Before : order > 0 ? Order::After : Order::Same;
}

// Of times whose text shows which is the earlier: both in UTC or both Unix, written alike.
Order order_of_times(std::string_view a, std::string_view b) {
  if (a.empty() || a.size() != b.size()) return Order::Unknown;
  const bool utc = a.back() == 'Z' && b.back() == 'Z' && a.find('.') == b.find('.');
  const auto is_unix = [](std::string_view text) {
    return text.find_first_not_of("0123456789.") == std::string_view::npos;
  };
  if (!utc && !(is_unix(a) && is_unix(b) && a.find('.') == b.find('.'))) return Order::Unknown;
  return order_of(a, b);
}

Order order_of_numbers(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return Order::Unknown;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? Order::Before : Order::After;
  return order_of(a, b);
}

// A line of progress that no later one has replaced yet.
struct Latest {
  std::string line;
  When when;
  std::uint64_t number = 0;
};

struct StreamState {
  bool seen[2] = {false, false};  // A line was kept: without a number, with one.
  // Patterns of several lines: so many places yet may belong to one, those of its first line's
  // place and of the last place taken besides. Lines of one place have no order among themselves.
  std::uint32_t led = 0;
  std::string led_from, led_to;
  bool led_once = false;
  bool out_of_order = false;    // Or lines were passed over that have the place of a first line.
  When last;                    // Of the line before that has one,
  std::optional<Stamp> framed;  // ... or its stamp, if its message held that.
  bool passed_there = false;    // A line of the last place was passed over.
  std::vector<std::size_t> waiting;  // Drafts without a time, for the next time.
  std::vector<std::size_t>
      placed;  // Drafts that took a time from lines around them and have a number.
  // Of lines of that only the last counts, the last one of each set of sorts.
  std::map<LineFilter::Sorts, Latest> latest;
  model::SourceKind source = model::SourceKind::App;
};

// The stream of a draft before hosts and labels are settled.
struct Key {
  Stream stream;
  LabelKind label_kind = LabelKind::None;
  std::uint32_t label = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

constexpr model::SourceMask kLabelled = static_cast<model::SourceMask>(
    model::source_bit(model::SourceKind::App) | model::source_bit(model::SourceKind::Slurm) |
    model::source_bit(model::SourceKind::K8s) | model::source_bit(model::SourceKind::Metric));

bool begins_with_letter(std::string_view text) {
  const char c = text.empty() ? ' ' : text.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class JsonLineKeeper {
 public:
  JsonLineKeeper(LineFilter* filter, JsonObjects* objects, Gathering* gathering)
      : filter_(filter), objects_(objects), gathering_(gathering) {}

  Status block(std::string_view text) {
    filter_->prepare();
    filter_->search(text, &hits_);
    hit_ = 0;
    for (std::size_t at = 0; at < text.size();) {
      ++number_;
      const std::string_view rest = text.substr(at);
      const std::optional<JsonShape> shape = read_json_shape(rest);
      const std::size_t size = shape ? shape->end : std::min(rest.find('\n'), rest.size() - 1) + 1;
      std::size_t last = hit_;
      Reasons why = 0;
      for (; last < hits_.size() && hits_[last].at < at + size; ++last) why |= hits_[last].why;
      const auto hits = std::span(hits_).subspan(hit_, last - hit_);
      hit_ = last;
      if (auto status = shape ? usual(*shape, why, hits)
                              : parse(rest.substr(0, size), why, hits, nullptr, nullptr);
          !status)
        return status;
      at += size;
    }
    return Done{};
  }

  // Behind the last block. False: as of keep_json_lines().
  Result<bool> finish() {
    for (StreamState& state : states_) {
      // By number they have other lines around them.
      for (const std::size_t each : state.placed) {
        if (state.out_of_order) gathering_->drafts[each].around.reset();
      }
      for (const auto& [sorts, latest] : state.latest) {
        --gathering_->passed;
        if (auto status = objects_->line(latest.line, latest.number); !status)
          return status.error();
      }
    }
    return std::none_of(states_.begin(), states_.end(), [](const StreamState& state) {
      return state.led_once && state.out_of_order;
    });
  }

 private:
  // A line of the shape: not parsed if its head is known and no rule reads it.
  Status usual(const JsonShape& shape, Reasons why, std::span<const LineFilter::Hit> hits) {
    constexpr Reasons kWanted = LineFilter::kRead | LineFilter::kLatest | LineFilter::kLeads;
    const JsonHeads::Known* known = heads_.find(shape);
    if (known == nullptr || (why & LineFilter::kMark) != 0 ||
        (known->may_have_label && !begins_with_letter(shape.message)))
      return parse(shape.line, why, hits, &shape, known);
    StreamState& state = states_[known->stream];
    if (is_led(state, shape.seq.empty() ? shape.ts : shape.seq))
      return parse(shape.line, why, hits, &shape, known);
    if ((why & LineFilter::kAlike) != 0 && says_again(known->stream, shape, hits)) {
      ++gathering_->passed;
      passes(&state, shape.ts, shape.seq, true);
      return Done{};
    }
    LineFilter::Answer found;
    if ((why & kWanted) != 0) {
      found.why = LineFilter::kMark;
      if (!shape.escapes) found = filter_->confirms(shape.message, hits);
      if ((found.why & ~LineFilter::kLatest) != 0)
        return parse(shape.line, why, hits, &shape, known);
    }
    if (found.why == LineFilter::kLatest) {
      if (!offer(&state, shape, found.sorts))
        return parse(shape.line, why, hits, &shape, known, true);
    } else {
      ++gathering_->passed;
    }
    passes(&state, shape.ts, shape.seq, true);
    return Done{};
  }

  // `shape`: null if it has not that shape. `known`: its head, or null. `keep`: whatever rules say.
  Status parse(std::string_view line, Reasons why, std::span<const LineFilter::Hit> hits,
               const JsonShape* shape, const JsonHeads::Known* known, bool keep = false) {
    const std::size_t before = gathering_->drafts.size();
    if (auto status = objects_->line(line, number_); !status) return status;
    if (gathering_->drafts.size() == before || !objects_->was_observation()) return Done{};
    Draft& d = gathering_->drafts.back();
    const Observation& o = d.observation;
    const bool has_label = !d.rank_given && (o.rank || d.label_kind != LabelKind::None);
    const std::uint32_t number = known != nullptr && !has_label ? known->stream : stream_number(d);
    StreamState& state = states_[number];
    const When when{d.raw_ts.str(), d.seq ? std::to_string(*d.seq) : ""};
    const bool is_text = !o.is_metric && !o.is_record;
    const bool has_id = !o.ids.empty();
    if (shape != nullptr && known == nullptr && is_text && !has_id && !has_label)
      learn(*shape, number, d);
    const LineFilter::Answer found =
        is_text ? read_by(line, why, shape, o.message) : LineFilter::Answer{};
    const bool first = !std::exchange(state.seen[d.seq ? 1 : 0], true);
    const bool loss = (why & LineFilter::kMark) != 0 && says_loss(o.message);
    const bool led = is_text && take_led(&state, when.place());
    if ((found.why & LineFilter::kLeads) != 0) lead(o.message, when.place(), &state);
    keep = keep || !is_text || has_id;
    if (!keep && !first && !loss && !led && !d.escaped && !d.truncated) {
      const bool latest = found.why == LineFilter::kLatest && shape != nullptr &&
                          offer(&state, *shape, found.sorts);
      if (latest || found.why == 0) {
        if (found.why == 0) ++gathering_->passed;
        const std::optional<Stamp> stamp = d.stamp;
        gathering_->drafts.pop_back();
        passes(&state, when.ts, when.seq, true);
        if (stamp && when.ts.empty()) passes_framed(&state, *stamp);
        return Done{};
      }
    }
    // What was found in the line was found in its message, and the run need not look again.
    if (shape != nullptr && reads_as_it_looks(*shape, d))
      d.observation.found = filter_->note(d.observation.message, {hits, d.prefix.size()});
    if (!d.stamp || loss) look_back(state, loss, &d);
    passes(&state, when.ts, when.seq, false);
    if (d.stamp && when.ts.empty()) passes_framed(&state, *d.stamp);
    if (!d.stamp) state.waiting.push_back(before);
    if (d.seq && (!d.stamp || loss)) state.placed.push_back(before);
    return Done{};
  }

  // What rules do with the message of a parsed line.
  LineFilter::Answer read_by(std::string_view line, Reasons why, const JsonShape* shape,
                             std::string_view message) {
    constexpr Reasons kFollowing = LineFilter::kSecond | LineFilter::kFollows;
    if ((why & ~kFollowing) == 0 && (shape != nullptr || !has_odd_escape(line))) return {};
    return filter_->matches(message);
  }

  std::uint32_t stream_number(const Draft& d) {
    const auto next = static_cast<std::uint32_t>(states_.size());
    const auto [at, fresh] =
        numbers_.try_emplace(Key{stream_of(d.observation), d.label_kind, d.label}, next);
    if (fresh) states_.emplace_back().source = d.observation.source;
    return at->second;
  }

  static bool reads_as_it_looks(const JsonShape& shape, const Draft& d) {
    const std::string& body = d.observation.message;
    return !shape.escapes && shape.message.size() == d.prefix.size() + body.size() &&
           shape.message.starts_with(d.prefix) && shape.message.ends_with(body);
  }

  // Remembers the head, if the parsed line shows that lines like it read as they look.
  void learn(const JsonShape& shape, std::uint32_t number, const Draft& d) {
    const Observation& o = d.observation;
    const bool as_it_looks = reads_as_it_looks(shape, d) && !shape.ts.empty() && !o.node.empty() &&
                             d.raw_ts == shape.ts && d.seq.has_value() != shape.seq.empty();
    const bool labelled = !d.rank_given && (model::source_bit(o.source) & kLabelled) != 0;
    if (as_it_looks) heads_.add(shape, {number, labelled});
  }

  static bool is_led(const StreamState& state, std::string_view place) {
    return state.led > 0 || (!place.empty() && place == state.led_to);
  }

  static bool take_led(StreamState* state, const std::string& place) {
    if (!is_led(*state, place)) return false;
    if (place.empty() || place != state->led_from) state->led -= state->led > 0 ? 1 : 0;
    state->led_to = place;
    return true;
  }

  void lead(std::string_view message, const std::string& place, StreamState* state) {
    filter_->heads(message, &found_heads_);
    for (const std::uint32_t head : found_heads_)
      state->led = std::max(state->led, filter_->reach(head));
    state->led_from = place;
    state->led_to = place;
    state->led_once = true;
    if (state->passed_there && place == state->last.place()) state->out_of_order = true;
  }

  // Takes the line instead of an earlier one. False: it does not show which is the later one, or
  // that its rules read all such lines of the stream.
  bool offer(StreamState* state, const JsonShape& shape, LineFilter::Sorts sorts) {
    if (shape.ts.empty()) return false;
    if (filter_->heard(sorts, model::source_bit(state->source)) != sorts) return false;
    const auto known = state->latest.find(sorts);
    const Latest* const latest = known == state->latest.end() ? nullptr : &known->second;
    Order order = Order::After;
    if (latest != nullptr) {
      order = order_of_times(shape.ts, latest->when.ts);
      const bool numbered = !shape.seq.empty() || !latest->when.seq.empty();
      if (numbered && order_of_numbers(shape.seq, latest->when.seq) != order) return false;
    }
    if (order == Order::Same || order == Order::Unknown) return false;
    ++gathering_->passed;
    if (order == Order::Before) return true;
    Latest& kept = state->latest[sorts];
    kept.line = shape.line;
    kept.when.ts = shape.ts;
    kept.when.seq = shape.seq;
    kept.number = number_;
    return true;
  }

  // Did an earlier line of its stream say the same to all rules that read it? Earlier by what decides its
  // place too, not only in the file.
  bool says_again(std::uint32_t stream, const JsonShape& shape, std::span<const LineFilter::Hit> hits) {
    const StreamState& state = states_[stream];
    // Who speaks in a pod's log depends on more than the line.
    if (shape.escapes || state.out_of_order || state.source == model::SourceKind::K8s) return false;
    const bool numbered = !shape.seq.empty() || !state.last.seq.empty();
    const Order order = numbered ? order_of_numbers(shape.seq, state.last.seq)
                                 : order_of_times(shape.ts, state.last.ts);
    if (order != Order::After) return false;
    const auto line = peek(shape.message, state.source, true, false);
    if (!line || line->frame.rank || line->frame.label_kind != LabelKind::None) return false;
    return filter_->says(shape.message.substr(line->body), hits, line->speaks, &said_) &&
           firsts_.again(stream, line->speaks, said_);
  }

  // The line before, of a line without a time or of one that tells of lost lines.
  void look_back(const StreamState& state, bool loss, Draft* d) {
    std::optional<Stamp> stamp = state.framed;
    if (!stamp && !state.last.ts.empty()) stamp = stamp_of_text(state.last.ts);
    if (!stamp) return;
    // Where the order of the stream is another one, an earlier line makes the loss larger.
    const bool sure =
        !loss || !d->stamp || (stamp->form == d->stamp->form && stamp->at <= d->stamp->at);
    if (!sure) return;
    d->around = std::make_shared<Around>();
    d->around->before.stamp = stamp;
  }

  static std::optional<Stamp> stamp_of_text(std::string_view text) {
    const bool is_number = text.find_first_not_of("0123456789.") == std::string_view::npos;
    return is_number ? read_unix(text) : read_stamp(text);
  }

  // A line of the stream has been read.
  void passes(StreamState* state, std::string_view ts, std::string_view seq, bool over) {
    const std::string& before = state->last.place();
    const bool there = before == (seq.empty() ? ts : seq);
    state->passed_there = over || (there && state->passed_there);
    if (ts.empty() && seq.empty()) return;
    const bool numbered = !seq.empty() || !state->last.seq.empty();
    const Order order =
        numbered ? order_of_numbers(seq, state->last.seq) : order_of_times(ts, state->last.ts);
    if (order == Order::Before || (order == Order::Unknown && !before.empty()))
      state->out_of_order = true;
    state->last.seq = seq;
    if (ts.empty()) return;
    state->last.ts = ts;
    state->framed.reset();
    if (!state->waiting.empty()) look_forward(state, stamp_of_text(ts));
  }

  // The same of a line whose message has the stamp, which does not show how it lies to the others.
  void passes_framed(StreamState* state, const Stamp& stamp) {
    state->framed = stamp;
    if (state->last.seq.empty()) state->out_of_order = true;
    look_forward(state, stamp);
  }

  // The line behind, of lines without a time.
  void look_forward(StreamState* state, const std::optional<Stamp>& stamp) {
    for (const std::size_t each : state->waiting) {
      Draft& d = gathering_->drafts[each];
      if (!stamp) continue;
      if (!d.around) d.around = std::make_shared<Around>();
      d.around->after.stamp = stamp;
    }
    state->waiting.clear();
  }

  LineFilter* filter_;
  JsonObjects* objects_;
  Gathering* gathering_;
  std::uint64_t number_ = 0;  // Of the line.
  std::vector<LineFilter::Hit> hits_;
  std::size_t hit_ = 0;  // The first that is not behind.
  JsonHeads heads_;
  std::map<Key, std::uint32_t> numbers_;
  std::deque<StreamState> states_;
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
