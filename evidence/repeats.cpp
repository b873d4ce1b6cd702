#include "evidence/repeats.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace attrib::evidence {
namespace {

// One more than a verdict lists of one observation, so that it can tell that there are more.
constexpr std::size_t kKeptIds = 5;

bool may_be_counted(const Draft& d) {
  const Observation& o = d.observation;
  return !d.json && d.seq && !d.own_stamp && !d.lost_before && !d.tells_loss.value_or(false) &&
         !d.truncated && !d.escaped && !o.is_metric && !o.is_record;
}

std::uint64_t hash_of(const StreamKey& key, const Observation& o) {
  std::uint64_t out = std::hash<std::string_view>{}(o.message);
  const auto mix = [&out](std::uint64_t more) {
    out = (out ^ more) * 0x9E3779B97F4A7C15U;
    out ^= out >> 32U;
  };
  mix(std::hash<std::string_view>{}(key.node));
  mix(key.rank ? std::uint64_t{*key.rank} + 1 : 0);
  mix(key.label_kind == LabelKind::None ? 0 : std::uint64_t{key.label} + 1);
  mix(o.speaks);
  return out;
}

bool is_whole(Stamp::Form form) {
  return form == Stamp::Form::Absolute || form == Stamp::Form::Local;
}

// Nothing, where that cannot be told without knowing more.
std::optional<model::Nanos> time_between(const Stamp& before, const Stamp& after) {
  if (before.form != after.form || before.month != after.month || before.day != after.day ||
      before.drifts != after.drifts)
    return std::nullopt;
  return model::sub_nanos(after.at, before.at);
}

bool same_side(const Around::Side& a, const Around::Side& b) { return a.stamp == b.stamp; }

bool same_around(const Draft& a, const Draft& b) {
  if (!a.around || !b.around) return !a.around && !b.around;
  return same_side(a.around->before, b.around->before) &&
         same_side(a.around->after, b.around->after);
}

void keep_id(IdList* ids, std::string id) {
  std::vector<std::string> all = ids->list();
  all.insert(std::upper_bound(all.begin(), all.end(), id), std::move(id));
  if (all.size() > kKeptIds) all.pop_back();
  ids->assign(all);
}

}  // namespace

RepeatCounter::RepeatCounter(LineFilter* filter, Gathering* gathering)
    : filter_(gathering->repeat_rules.kinds != 0 ? filter : nullptr), gathering_(gathering) {}

bool RepeatCounter::take(Draft* draft, bool alone, const LineFilter::Place* place) {
  stamped_ += draft->stamp ? 1 : 0;
  if (filter_ == nullptr || !alone || !may_be_counted(*draft)) return false;
  const Observation& o = draft->observation;
  if ((gathering_->repeat_rules.kinds & model::source_bit(o.source)) == 0) return false;
  StreamKey key = stream_key_of(*draft);
  const std::uint64_t hash = hash_of(key, o);
  const std::size_t slot = hash % seen_.size();
  const auto found = may_be_counted_[slot] ? lines_.find(hash) : lines_.end();
  if (found != lines_.end()) {
    Line& line = found->second;
    const bool same = line.counting && line.body == o.message && line.key == key &&
                      line.speaks == o.speaks;
    if (same) repeat(&line, std::move(*draft));
    return same;
  }
  std::uint64_t& seen = seen_[slot];
  if (seen != hash) {
    seen = hash;
    return false;
  }
  if (lines_.size() == kMostCounted) {
    flush();
    lines_.clear();
    may_be_counted_.reset();
  }
  may_be_counted_.set(slot);
  Line& line = lines_[hash];
  line.key = std::move(key);
  line.body = o.message;
  line.speaks = o.speaks;
  line.counting = filter_->counting(line.body, place, gathering_->repeat_rules.present);
  if (!line.counting) return false;
  if (place != nullptr) line.found = filter_->note(line.body, *place);
  repeat(&line, std::move(*draft));
  return true;
}

RepeatCounter::Step RepeatCounter::step_to(const Line& line, const Draft& next) const {
  const Draft& last = *line.last;
  if (last.stamp.has_value() != next.stamp.has_value()) return Step::Apart;
  // Lines without a stamp are of one time while no stamp comes between them.
  if (!next.stamp)
    return stamped_ == line.stamped_before && same_around(last, next) ? Step::Run : Step::Apart;
  const auto later = time_between(*last.stamp, *next.stamp);
  if (!later || *later < 0 || *later > line.counting->quiet) return Step::Apart;
  if (*later == 0 && last.stamp->resolution <= model::kMillisecond) {
    // Equal bytes are one observation, if the stamp can be placed.
    return is_whole(next.stamp->form) && last.prefix == next.prefix ? Step::Copy : Step::Apart;
  }
  const model::Nanos reach = model::add_nanos(last.stamp->resolution, 2 * gathering_->repeat_rules.clock_error);
  return !line.counting->gapless || *later <= reach ? Step::Run : Step::Burst;
}

void RepeatCounter::repeat(Line* line, Draft draft) {
  if (!line->last) return hold(line, std::move(draft));
  const Step step = step_to(*line, draft);
  switch (step) {
    case Step::Copy:
      keep_id(&line->last->observation.ids, draft.observation.ids.front());
      ++gathering_->copies;
      return;
    case Step::Run:
      // The one before the run is kept too, so that a run never begins a burst.
      if (line->kept > kKeptRepeats) {
        CountedRepeats counted = line->counted;
        ++counted.times;
        if (draft.stamp)
          counted.over = model::add_nanos(counted.over, *time_between(*line->last->stamp, *draft.stamp));
        ++gathering_->passed;
        hold(line, std::move(draft));
        line->counted = counted;
        return;
      }
      break;
    case Step::Burst:
      break;
    case Step::Apart:
      hand_out(line);
      line->kept = 0;
      return hold(line, std::move(draft));
  }
  hand_out(line);
  hold(line, std::move(draft));
  ++line->kept;
}

void RepeatCounter::hold(Line* line, Draft draft) {
  draft.observation.found = line->found;
  line->last = std::move(draft);
  line->stamped_before = stamped_;
  line->kept = std::max<std::size_t>(line->kept, 1);
  line->counted = {};
}

void RepeatCounter::hand_out(Line* line) {
  if (!line->last) return;
  if (line->counted.times > 1) {
    line->counted.place = line->last->place;
    gathering_->repeats.push_back(line->counted);
  }
  gathering_->drafts.push_back(std::move(*line->last));
  line->last.reset();
}

void RepeatCounter::flush() {
  // In the order of the file.
  std::vector<Line*> held;
  for (auto& [hash, line] : lines_) {
    if (line.last) held.push_back(&line);
  }
  std::sort(held.begin(), held.end(), [](const Line* a, const Line* b) {
    return a->last->place < b->last->place;
  });
  for (Line* line : held) hand_out(line);
}

}  // namespace attrib::evidence
