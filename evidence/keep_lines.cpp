#include "evidence/keep_lines.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evidence/coverage.h"
#include "evidence/first_lines.h"
#include "evidence/frame.h"
#include "evidence/latest_lines.h"
#include "evidence/line_count.h"
#include "evidence/lines.h"
#include "evidence/neighbours.h"
#include "evidence/repeats.h"

namespace attrib::evidence {

std::span<const std::string_view> line_marks() {
  static constexpr std::array<std::string_view, 13> kMarks = {
      "messages suppressed",  "callbacks suppressed", "Suppressed ",
      "messages lost due to rate-limiting",  "printk messages dropped",
      "kmsg records dropped", "/dev/kmsg buffer overrun",  "journal: Missed ",
      "\"MESSAGE\"",  // The journal's entries as JSON.
      "{\"log\":\"", "{\"resourceLogs\"",
      "stdout P ", "stderr P "};
  return kMarks;
}

namespace {

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();
constexpr LineFilter::Reasons kAlways = 1U << 15U;  // Beside the filter's reasons.

struct Line {
  std::uint64_t begin = 0, end = 0;  // `end` is behind its line end.
  std::uint64_t number = 1;
};

class LineKeeper {
 public:
  LineKeeper(ByteSource* source, LineFilter* filter, RawLines* lines, Gathering* gathering)
      : window_(source, filter, gathering->pool),
        filter_(filter),
        lines_(lines),
        gathering_(gathering),
        neighbours_(&window_, lines),
        repeats_(filter, gathering) {}

  Status run() {
    while (true) {
      ATTRIB_TRY(const bool more, window_.next());
      if (!more) break;
      if (auto status = read_block(); !status) return status;
    }
    if (auto status = lines_->finish(); !status) return status;
    for (Draft& d : lines_->made()) decide(d, LineFilter::kMark, nullptr);
    lines_->made().clear();
    keep_latest();
    repeats_.flush();
    return Done{};
  }

 private:
  struct Led {  // Lines of a stream that are kept up to a place.
    StreamKey key;
    std::uint64_t until = 0;
  };

  Status read_block() {
    const LogBlock& block = window_.block();
    if (block.filled_lines > 0) lines_->see();
    if (block.too_long > 0) {
      barrier_ = block.begin;
      return lines_->too_long(static_cast<std::size_t>(block.too_long), block.first_line);
    }
    gathering_->passed += block.filled_lines;
    find_tail();
    hit_ = 0;
    kept_latest_.clear();
    Line line{block.begin, block.begin, block.first_line};
    while (true) {
      LineFilter::Reasons why = 0;
      if (!move_on(&line, &why)) break;
      if (auto status = visit(line, why); !status) return status;
    }
    if (filter_ != nullptr) read_latest();
    return Done{};
  }

  void find_tail() {
    const LogBlock& block = window_.block();
    const auto& ahead = window_.ahead();
    const std::uint64_t end = block.last ? block.end : ahead && ahead->last ? ahead->end : kNowhere;
    tail_ = end == kNowhere ? kNowhere : end - std::min<std::uint64_t>(end, kAlwaysKept);
  }

  [[nodiscard]] std::uint64_t end_of_line(std::uint64_t begin, std::uint64_t limit) const {
    const std::string_view rest = window_.text(begin, limit);
    const std::size_t found = rest.find('\n');
    return found == std::string_view::npos ? limit : begin + found + 1;
  }

  // From the end of `line` to the next one that is to be read, with the reasons; false: none in
  // this block.
  bool move_on(Line* line, LineFilter::Reasons* why) {
    const LogBlock& block = window_.block();
    const std::uint64_t at = line->end;
    if (at > line->begin) ++line->number;
    if (at >= block.end) return false;
    pass_hits(at);
    std::erase_if(led_, [at](const Led& led) { return at >= led.until; });
    const bool every =
        filter_ == nullptr || at < kAlwaysKept || at >= tail_ || lines_->goes_on() || !led_.empty();
    if (!every) return move_to_hit(line, why);
    line->begin = at;
    line->end = end_of_line(at, block.end);
    if (filter_ == nullptr || at < kAlwaysKept || line->end > tail_) *why |= kAlways;
    for (const LineFilter::Hit& hit : hits_of(*line)) *why |= hit.why;
    return true;
  }

  // The hits in a line that is not before the first hit.
  std::span<const LineFilter::Hit> hits_of(const Line& line) const {
    const auto& hits = window_.block().hits;
    std::size_t first = hit_;
    while (first > 0 && hits[first - 1].at >= line.begin) --first;
    std::size_t last = first;
    while (last < hits.size() && hits[last].at < line.end) ++last;
    return std::span(hits).subspan(first, last - first);
  }

  // The same where lines without a hit are of no interest.
  bool move_to_hit(Line* line, LineFilter::Reasons* why) {
    constexpr LineFilter::Reasons kWanted = LineFilter::kRead | LineFilter::kMark;
    const LogBlock& block = window_.block();
    const std::uint64_t at = line->end;
    std::uint64_t counted = at;  // Up to here `number` is right.
    const auto count_to = [&](std::uint64_t begin) {
      line->number += count_line_ends(window_.text(counted, begin));
      counted = begin;
    };
    while (true) {
      while (hit_ < block.hits.size() && (block.hits[hit_].why & kWanted) == 0) ++hit_;
      const std::uint64_t hit = hit_ < block.hits.size() ? block.hits[hit_].at : block.end;
      const bool in_tail = hit >= tail_;
      if (!in_tail && hit == block.end) return false;
      line->begin = std::max(at, line_at(in_tail ? std::min(tail_, hit) : hit));
      if (line->begin >= block.end) return false;
      line->end = end_of_line(line->begin, block.end);
      *why = line->end > tail_ ? kAlways : 0;
      const auto hits = hits_of(*line);
      for (const LineFilter::Hit& each : hits) *why |= each.why;
      const std::string_view text = without_end(window_.text(line->begin, line->end));
      if ((*why & (kAlways | LineFilter::kMark)) != 0) break;
      if ((*why & LineFilter::kAlike) != 0 && says_again(text, hits)) {
        pass_hits(line->end);
        continue;
      }
      const LineFilter::Reasons found = filter_->confirms(text, hits).why;
      if ((found & kWanted) != 0) {
        constexpr LineFilter::Reasons kToConfirm =
            LineFilter::kRead | LineFilter::kLeads | LineFilter::kLeadsBlind | LineFilter::kLeadsOn;
        *why = static_cast<LineFilter::Reasons>(*why & ((found & LineFilter::kMark) != 0
                                                     ? ~LineFilter::kRead
                                                     : ~kToConfirm));
        *why |= found;
        break;
      }
      pass_hits(line->end);
    }
    count_to(line->begin);
    return true;
  }

  void pass_hits(std::uint64_t to) {
    const auto& hits = window_.block().hits;
    while (hit_ < hits.size() && hits[hit_].at < to) ++hit_;
  }

  // Did an earlier line of its stream say the same to all rules that read it?
  bool says_again(std::string_view text, std::span<const LineFilter::Hit> hits) {
    const auto line = lines_->peek(text);
    return line && filter_->says(text.substr(line->body), hits, line->speaks, &said_) &&
           firsts_.again(line->stream, line->speaks, said_);
  }

  // Where the line begins that holds `at`, which lies in the block.
  [[nodiscard]] std::uint64_t line_at(std::uint64_t at) const {
    return line_at(at, window_.block().begin);
  }

  // Or no earlier than `from`, where a line begins.
  [[nodiscard]] std::uint64_t line_at(std::uint64_t at, std::uint64_t from) const {
    if (at <= from) return from;
    const std::size_t found = last_line_end(window_.text(from, at));
    return found == std::string_view::npos ? from : from + found + 1;
  }

  Status visit(const Line& line, LineFilter::Reasons why) {
    const std::string_view text = without_end(window_.text(line.begin, line.end));
    const bool joined = lines_->goes_on();
    if (auto status = lines_->line(text, line.number); !status) return status;
    if (joined || lines_->goes_on()) {
      why |= LineFilter::kMark;
      if (!window_.block().hits.empty()) kept_latest_.push_back(line.begin);
    }
    if (!text.empty()) --gathering_->passed;
    std::vector<Draft>& made = lines_->made();
    const bool alone = made.size() == 1 && !joined;
    for (Draft& d : made) {
      d.observation.offset = line.begin;
      decide(d, why, alone ? &line : nullptr);
    }
    made.clear();
    return Done{};
  }

  // `line`: where the draft stands, if it is all that stands there.
  void decide(Draft& d, LineFilter::Reasons why, const Line* line) {
    // Lines that tell of a loss hold a mark.
    const bool may_tell = filter_ == nullptr || (why & (kAlways | LineFilter::kMark)) != 0;
    d.tells_loss = may_tell && says_loss(d.observation.message);
    const bool loss = filter_ != nullptr && (d.lost_before || *d.tells_loss);
    bool wanted = filter_ == nullptr || loss || (why & (kAlways | LineFilter::kRead)) != 0 ||
                  (!led_.empty() && is_led(d));
    const bool leads = filter_ != nullptr && (why & LineFilter::kLeads) != 0;
    const auto found_place = line != nullptr ? place_of(*line, d) : std::nullopt;
    const LineFilter::Place* const place = found_place ? &*found_place : nullptr;
    if (leads || (!wanted && (why & LineFilter::kMark) != 0)) {
      const LineFilter::Answer found = filter_->matches(d.observation.message, place);
      // What has no number in its file has no place among other lines that is known by now.
      const bool numbered = d.seq || found.sorts == LineFilter::kProgress;
      if (!wanted && found.why == LineFilter::kLatest && numbered)
        return offer(std::move(d), found.sorts, line);
      wanted = wanted || found.why != 0;
      if (line != nullptr && (found.why & LineFilter::kLeads) != 0) lead(d, *line, found.why);
    }
    if (!wanted) {
      ++gathering_->passed;
      return;
    }
    if (line != nullptr && (why & LineFilter::kLatest) != 0) kept_latest_.push_back(line->begin);
    if (line != nullptr && filter_ != nullptr && (why & kAlways) == 0 && (!d.stamp || loss))
      d.around = around(*line, d);
    const bool alone = line != nullptr && (why & kAlways) == 0 && !loss && led_.empty();
    if (repeats_.take(&d, alone, place)) return;
    if (place != nullptr) d.observation.found = filter_->note(d.observation.message, *place);
    keep(std::move(d));
  }

  // Where the body stands in the log as it reads, what was found in the line is found in it.
  [[nodiscard]] std::optional<LineFilter::Place> place_of(const Line& line, const Draft& d) const {
    if (!window_.block().scanned) return std::nullopt;
    const std::string_view text = without_end(window_.text(line.begin, line.end));
    const std::string_view body = d.observation.message;
    if (!text.ends_with(body)) return std::nullopt;
    return LineFilter::Place{hits_of(line), text.size() - body.size()};
  }

  std::shared_ptr<Around> around(const Line& line, const Draft& d) {
    return neighbours_.of(stream_key_of(d), line.begin, line.end, barrier_);
  }

  void keep(Draft&& d) { gathering_->drafts.push_back(std::move(d)); }

  // -- patterns of several lines

  [[nodiscard]] bool is_led(const Draft& d) const {
    const StreamKey key = stream_key_of(d);
    return std::any_of(led_.begin(), led_.end(), [&](const Led& led) { return led.key == key; });
  }

  // Up to where lines may belong to the pattern that begins here.
  void lead(const Draft& d, const Line& line, LineFilter::Reasons why) {
    const std::uint64_t reach = std::min(line.begin + kNextReach, window_.end());
    const StreamKey key = stream_key_of(d);
    std::uint64_t until = (why & LineFilter::kLeadsBlind) != 0 ? reach : 0;
    bool more = false;  // Lines behind the second are looked for.
    filter_->heads(d.observation.message, &heads_);
    const auto look = [&](const LogBlock& block) {
      auto hit = std::partition_point(
          block.hits.begin(), block.hits.end(),
          [&](const LineFilter::Hit& each) { return each.at < line.end; });
      for (; hit != block.hits.end() && hit->at < reach; ++hit) {
        if (more && (hit->why & LineFilter::kFollows) != 0) until = std::max(until, hit->at + 1);
        if (more || (hit->why & LineFilter::kSecond) == 0) continue;
        const std::uint64_t begin = line_at(hit->at, block.begin);
        const std::string_view text =
            without_end(window_.text(begin, end_of_line(begin, block.end)));
        if (lines_->glimpse(text).stream != key) continue;
        const Draft second = lines_->glimpsed(text);
        for (const std::uint32_t head : heads_) {
          const LineFilter::Reasons found =
              filter_->goes_on(head, second.observation.message);
          if (found != 0) until = std::max(until, hit->at + 1);
          more = more || found == LineFilter::kFollows;
        }
      }
    };
    look(window_.block());
    if (window_.ahead()) look(*window_.ahead());
    if (more && (why & LineFilter::kLeadsOn) != 0) until = reach;
    if (until > 0) led_.push_back({key, until});
  }

  // -- lines of that only the last counts

  // Takes the place of earlier lines of its stream.
  void offer(Draft d, LineFilter::Sorts sorts, const Line* line) {
    if (d.stamp) repeats_.see_stamp();
    ++gathering_->passed;
    sorts = latest_.overtakes(d, heard(d, sorts));
    if (sorts == 0) return;
    if (!d.stamp && line != nullptr) d.around = around(*line, d);
    latest_.add(std::move(d), sorts);
  }

  [[nodiscard]] LineFilter::Sorts heard(const Draft& d, LineFilter::Sorts sorts) const {
    const Observation& o = d.observation;
    const bool is_text = !o.is_record && (!o.is_metric || o.name.empty());
    return is_text ? filter_->heard(sorts, o.speaks) : 0;
  }

  // From the last line of the block back: the last of each stream and sort is enough.
  void read_latest() {
    const LogBlock& block = window_.block();
    const auto hits = std::span(block.hits);
    DoneStreams done;
    Line counted;  // Where numbers are known, further behind.
    counted.begin = block.end;
    counted.number = block.first_line + block.line_ends;
    for (std::size_t i = hits.size(); i-- > 0;) {
      if ((hits[i].why & LineFilter::kLatest) == 0) continue;
      Line line;
      line.begin = line_at(hits[i].at);
      std::size_t last = i + 1;
      LineFilter::Sorts sorts = filter_->sorts_of(hits[i].text);
      for (; i > 0 && hits[i - 1].at >= line.begin; --i) {
        if ((hits[i - 1].why & LineFilter::kLatest) != 0) sorts |= filter_->sorts_of(hits[i - 1].text);
      }
      // Most lines of progress have no label, and the last one is known.
      if (sorts == LineFilter::kProgress && done.has_progress({}) &&
          begins_without_label(window_.text(line.begin, hits[i].at + 1)))
        continue;
      line.end = end_of_line(hits[last - 1].at, block.end);
      while (last < hits.size() && hits[last].at < line.end) ++last;
      read_latest(line, hits.subspan(i, last - i), sorts, &counted, &done);
    }
  }

  void read_latest(Line line, std::span<const LineFilter::Hit> hits, LineFilter::Sorts sorts, Line* counted,
                   DoneStreams* done) {
    LineFilter::Reasons why = 0;
    for (const LineFilter::Hit& hit : hits) why |= hit.why;
    const bool taken =
        (why & LineFilter::kMark) != 0 || line.begin < kAlwaysKept || line.end > tail_ ||
        std::binary_search(kept_latest_.begin(), kept_latest_.end(), line.begin);
    if (taken) return;
    const std::string_view text = without_end(window_.text(line.begin, line.end));
    const std::string_view label = label_of(text);
    if (done->has_progress(label)) sorts &= ~LineFilter::kProgress;
    if ((sorts & ~LineFilter::kProgress) != 0) sorts &= ~done->of(lines_->glimpse(text).stream);
    if (sorts == 0) return;
    LineFilter::Answer found = filter_->confirms(text, hits);
    const bool by_body = (found.why & LineFilter::kMark) != 0;
    if (!by_body && found.why != LineFilter::kLatest) return;
    line.number =
        counted->number - count_line_ends(window_.text(line.begin, counted->begin));
    *counted = line;
    Draft d = lines_->framed(text, line.number);
    if (by_body) found = filter_->matches(d.observation.message, nullptr);
    if (found.why != LineFilter::kLatest) return;
    d.observation.offset = line.begin;
    done->add(label, stream_key_of(d), heard(d, found.sorts));
    --gathering_->passed;
    offer(std::move(d), found.sorts, &line);
  }

  void keep_latest() {
    for (Draft& each : latest_.take()) {
      --gathering_->passed;
      keep(std::move(each));
    }
  }

  LogWindow window_;
  LineFilter* filter_;
  RawLines* lines_;
  Gathering* gathering_;
  Neighbours neighbours_;
  RepeatCounter repeats_;
  std::uint64_t barrier_ = 0;      // A line without bytes at hand lies here.
  std::uint64_t tail_ = kNowhere;  // From here on all is kept.
  std::size_t hit_ = 0;            // The first that is not behind.
  std::vector<Led> led_;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint64_t> kept_latest_;  // Lines of this block that are dealt with: where they begin.
  LatestLines latest_;
  FirstLines firsts_;
  std::string said_;  // By the last call of says().
};

}  // namespace

Status keep_lines(ByteSource* source, LineFilter* filter, RawLines* lines, Gathering* gathering) {
  return LineKeeper(source, filter, lines, gathering).run();
}

}  // namespace attrib::evidence
