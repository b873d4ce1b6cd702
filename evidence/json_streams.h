#pragma once

// The streams of NDJSON lines as the lines go by: in which order they come, and the times around
// lines that have none.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/draft.h"
#include "evidence/json_order.h"
#include "evidence/line_filter.h"

namespace attrib::evidence {

// A line of which no later one has taken the place yet.
struct LatestLine {
  std::string line;
  WrittenTime ts;
  std::string seq;
  std::uint64_t number = 0;
};

// What each line of the stream looks at comes first, in one line of the processor's cache.
struct alignas(64) JsonStream {
  bool ordinary = false;  // All that follows last_ts is empty, so that a line changes nothing else.
  bool out_of_order = false;  // Or lines were passed over that have the place of a first line.
  bool passed_there = false;  // A line of the last place was passed over.
  bool led_once = false;
  bool seen[2] = {false, false};  // A line was kept: without a number, with one.
  model::SourceKind source = model::SourceKind::App;
  std::uint32_t number = 0;
  std::uint32_t pending = 0;  // json_latest.h
  // What decides the place of the line before that has one: its number, or else its time.
  WrittenTime last_ts;
  std::string last_seq;
  // Patterns of several lines: so many places yet may belong to one, those of its first line's
  // place and of the last place taken besides. Lines of one place have no order among themselves.
  std::uint32_t led = 0;
  std::string led_from, led_to;
  std::optional<Stamp> framed;       // The last line's stamp, if its message held that.
  std::vector<std::size_t> waiting;  // Drafts without a time, for the next time.
  // Drafts that took a time from lines around them and have a number.
  std::vector<std::size_t> placed;
  // Of lines of that only the last counts, the last one of each set of sorts.
  std::map<LineFilter::Sorts, LatestLine> latest;

  [[nodiscard]] std::string_view last_place() const {
    return last_seq.empty() ? last_ts.text() : std::string_view(last_seq);
  }
  [[nodiscard]] bool is_led(std::string_view place) const {
    return led > 0 || (!led_to.empty() && place == led_to);
  }
  // How such a line lies to the one before.
  [[nodiscard]] Order order_behind(const WrittenTime& ts, std::string_view seq) const {
    const bool numbered = !seq.empty() || !last_seq.empty();
    return numbered ? order_of_numbers(seq, last_seq) : order_of_times(ts, last_ts);
  }
  // A line with this time and no number is passed over. False: the stream is not ordinary.
  bool pass_over(const WrittenTime& ts) {
    if (!ordinary || ts.empty()) return false;
    const Order order = order_of_times(ts, last_ts);
    out_of_order = out_of_order || order == Order::Before ||
                   (order == Order::Unknown && !last_ts.empty());
    passed_there = true;
    last_ts = ts;
    return true;
  }
  void see_whether_ordinary() {
    ordinary = last_seq.empty() && led == 0 && led_to.empty() && !framed && waiting.empty();
  }
};

class JsonStreams {
 public:
  explicit JsonStreams(Gathering* gathering) : gathering_(gathering) {}

  // Where it stays.
  JsonStream* of(const Draft& draft);
  [[nodiscard]] std::deque<JsonStream>& all() { return streams_; }

  // A line of the stream has been read, and `over`: passed over.
  void passes(JsonStream* stream, const WrittenTime& ts, std::string_view seq, bool over);
  // Then, of a line whose message has the stamp, which does not show how it lies to the others.
  void passes_framed(JsonStream* stream, const Stamp& stamp);
  // The draft waits for the time of the next line of its stream that has one.
  static void waits(JsonStream* stream, std::size_t draft);
  // Gives the line before to a line without a time or to one that tells of lost lines.
  static void look_back(const JsonStream& stream, bool loss, Draft* d);

 private:
  // The stream of a draft before hosts and labels are settled.
  struct Key {
    Stream stream;
    LabelKind label_kind = LabelKind::None;
    std::uint32_t label = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  void look_forward(JsonStream* stream, const std::optional<Stamp>& stamp);

  Gathering* gathering_;
  std::map<Key, JsonStream*> by_key_;
  std::deque<JsonStream> streams_;
};

}  // namespace attrib::evidence
