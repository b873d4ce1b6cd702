#include "evidence/seen.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace attrib::evidence {
namespace {

using model::add_nanos;
using model::Nanos;
using model::SourceKind;
using model::sub_nanos;

constexpr Nanos kAssumedZoneError = 14 * model::kHour;
constexpr Nanos kDriftError = 5 * model::kSecond;

// Those of an observation's kind that name its node or rank, or that name neither.
struct Speaking {
  std::vector<const SourceDeclaration*> own, general;
};

// The value of one field: from a declaration of the node or rank, else from one that names neither.
// Several: the greatest.
template <typename Value, typename Field>
std::optional<Value> declared(const Speaking& speaking, Field field) {
  for (const auto* list : {&speaking.own, &speaking.general}) {
    std::optional<Value> greatest;
    for (const SourceDeclaration* each : *list)
      greatest = std::max<std::optional<Value>>(greatest, field(*each));
    if (greatest) return greatest;
  }
  return std::nullopt;
}

// Declarations are looked up once for each (kind, node, rank), not for each line.
struct Declared {
  StampRules rules;
  Nanos error = kDefaultClockError;
  Nanos lag = 0;
};

class Declarations {
 public:
  Declarations(const Header& header, const ReadOptions& options)
      : header_(header), options_(options) {
    for (const SourceDeclaration& each : header.sources)
      by_node_[{each.status.kind, each.status.node}].push_back(&each);
  }

  const Declared& of(const Observation& o) {
    if (header_.sources.empty()) {  // Then all are the same.
      if (!same_) same_ = look_up(o);
      return *same_;
    }
    const auto [at, fresh] = known_.try_emplace({o.source, o.node, o.rank});
    if (fresh) at->second = look_up(o);
    return at->second;
  }

 private:
  [[nodiscard]] Speaking speaking(const Observation& o) const {
    Speaking out;
    for (const std::string& node : {o.node, std::string()}) {
      const auto found = by_node_.find({o.source, node});
      if (found == by_node_.end()) continue;
      for (const SourceDeclaration* each : found->second) {
        const SourceStatus& s = each->status;
        if (s.rank && s.rank != o.rank) continue;
        (s.node.empty() && !s.rank ? out.general : out.own).push_back(each);
      }
      if (o.node.empty()) break;
    }
    return out;
  }

  [[nodiscard]] Declared look_up(const Observation& o) const {
    const Speaking all = speaking(o);
    Declared out;
    out.rules.year = declared<int>(all, [](const auto& d) { return d.year; });
    out.rules.zone_offset = declared<Nanos>(all, [](const auto& d) { return d.zone_offset; });
    out.rules.boot = declared<Nanos>(all, [](const auto& d) { return d.boot; });
    if (!out.rules.year) out.rules.year = options_.year;
    if (!out.rules.zone_offset) out.rules.zone_offset = options_.zone_offset;
    if (!out.rules.boot) out.rules.boot = options_.boot;
    out.rules.near = header_.workload.start ? header_.workload.start : header_.workload.end;
    out.error = declared<Nanos>(all, [](const auto& d) {
                  return d.status.clock_error;
                }).value_or(kDefaultClockError);
    out.lag = declared<Nanos>(all, [](const auto& d) { return d.status.lag; }).value_or(0);
    return out;
  }

  const Header& header_;
  const ReadOptions& options_;
  std::map<std::pair<SourceKind, std::string>, std::vector<const SourceDeclaration*>> by_node_;
  std::map<std::tuple<SourceKind, std::string, std::optional<std::uint32_t>>, Declared> known_;
  std::optional<Declared> same_;
};

// Whose clock: a node's, a device's beside it, or a stream's own.
struct ClockKey {
  enum class Owner : std::uint8_t { Node, Device, Stream, StreamApart };
  Owner owner = Owner::Node;
  SourceKind kind = SourceKind::App;  // Of a device.
  std::string node;
  std::uint32_t stream = 0;
  friend auto operator<=>(const ClockKey&, const ClockKey&) = default;
  friend bool operator==(const ClockKey&, const ClockKey&) = default;
};

ClockKey clock_of(const Observation& o, const PlacedStamp& placed) {
  if (placed.own_clock) return {ClockKey::Owner::StreamApart, SourceKind::App, "", o.stream};
  if (o.node.empty()) return {ClockKey::Owner::Stream, SourceKind::App, "", o.stream};
  switch (o.source) {
    case SourceKind::Switch:
    case SourceKind::Bmc:
    case SourceKind::K8s:
    case SourceKind::Kueue:
      return {ClockKey::Owner::Device, o.source, o.node, 0};
    default:
      return {ClockKey::Owner::Node, SourceKind::App, o.node, 0};
  }
}

// Numbers of the clocks by their order.
class ClockIds {
 public:
  explicit ClockIds(const Drafts& drafts) {
    for (const Draft& d : drafts) {
      if (d.placed) add(clock_of(d.observation, *d.placed));
      if (!d.around) continue;
      for (const Around::Side* side : {&d.around->before, &d.around->after}) {
        if (side->placed) add(clock_of(d.observation, *side->placed));
      }
    }
    model::ClockId next = model::kNoClock;
    for (auto& [key, id] : ids_) id = ++next;
    last_ = ids_.end();
  }

  model::ClockId of(const ClockKey& key) {
    if (last_ == ids_.end() || last_->first != key) last_ = ids_.find(key);
    return last_->second;
  }

 private:
  // Mostly the lines of one clock follow one another.
  void add(ClockKey key) {
    if (last_ == ids_.end() || last_->first != key)
      last_ = ids_.try_emplace(std::move(key)).first;
  }

  std::map<ClockKey, model::ClockId> ids_;
  std::map<ClockKey, model::ClockId>::iterator last_ = ids_.end();
};

model::Moment moment_of(const PlacedStamp& stamp, Nanos error, Nanos lag) {
  model::Moment m;
  m.error = error;
  m.lo = sub_nanos(sub_nanos(stamp.at, error), lag);
  m.hi = add_nanos(add_nanos(stamp.at, error), stamp.resolution);
  m.known = true;
  return m;
}

struct Neighbour {
  model::Nanos at = 0;
  model::Moment seen;  // Not known: there is none.
};

// Between the stamped neighbours. Neighbours whose stamps contradict the order say nothing.
model::Moment between(const Neighbour& before, const Neighbour& after) {
  model::Moment m;
  const bool has_before = before.seen.known, has_after = after.seen.known;
  if (!has_before && !has_after) return m;
  if (has_before && has_after && before.at > after.at) return m;
  const model::Moment& one = has_before ? before.seen : after.seen;
  const model::Moment& other = has_after ? after.seen : before.seen;
  // With no common clock the ends carry their own errors, and nothing cancels.
  m.clock = one.clock == other.clock ? one.clock : model::kNoClock;
  m.error = m.clock == model::kNoClock ? 0 : std::max(one.error, other.error);
  const auto widening = [&m](const model::Moment& neighbour) {
    return m.clock == model::kNoClock ? 0 : m.error - neighbour.error;
  };
  m.lo = has_before ? sub_nanos(one.lo, widening(one)) : -model::kForever;
  m.hi = has_after ? add_nanos(other.hi, widening(other)) : model::kForever;
  m.known = true;
  return m;
}

// The drafts of one stream, in the order that its unstamped lines take their neighbours from.
// `settled(observation, stamp, placed)` is the time of a stamp around one.
template <typename Settled>
void settle_unstamped(HeavySpan<Draft> stream, const Settled& settled) {
  std::vector<const Draft*> after(stream.size(), nullptr);
  const Draft* next = nullptr;
  for (std::size_t i = stream.size(); i-- > 0;) {
    after[i] = next;
    if (stream[i].placed) next = &stream[i];
  }
  const auto neighbour = [&](const Draft& d, const Draft* kept, const Around::Side* nearer) {
    if (nearer != nullptr && nearer->placed)
      return Neighbour{nearer->placed->at, settled(d.observation, *nearer->stamp, *nearer->placed)};
    return kept == nullptr ? Neighbour{} : Neighbour{kept->placed->at, kept->observation.seen};
  };
  const Draft* last = nullptr;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    Draft& d = stream[i];
    if (d.placed) {
      last = &d;
      continue;
    }
    const Around* around = d.around.get();
    d.observation.seen = between(neighbour(d, last, around == nullptr ? nullptr : &around->before),
                                 neighbour(d, after[i], around == nullptr ? nullptr : &around->after));
  }
}

// A time of which only the bounds are known is a stamp with a coarse unit.
std::optional<PlacedStamp> placed(const Draft& draft, const StampRules& rules) {
  auto from = place(*draft.stamp, rules);
  if (!from || !draft.until) return from;
  const auto to = place(draft.until->stamp, rules);
  if (!to || to->at < from->at) return std::nullopt;
  from->resolution = add_nanos(sub_nanos(to->at, from->at), to->resolution);
  return from;
}

}  // namespace

void place_stamps(Drafts* drafts, const Header& header, const ReadOptions& options) {
  Declarations declarations(header, options);
  for (Draft& d : *drafts) {
    if (d.around) {
      for (Around::Side* side : {&d.around->before, &d.around->after}) {
        if (side->stamp) side->placed = place(*side->stamp, declarations.of(d.observation).rules);
      }
    }
    if (!d.stamp) continue;
    d.placed = placed(d, declarations.of(d.observation).rules);
    if (!d.placed) d.unparsed = true;
  }
}

void settle_seen(Drafts* drafts, const Header& header, const ReadOptions& options) {
  Declarations declarations(header, options);
  ClockIds ids(*drafts);
  const auto settled = [&](const Observation& o, const Stamp& stamp, const PlacedStamp& placed) {
    const Declared& source = declarations.of(o);
    Nanos error = source.error;
    if (stamp.drifts) error = std::max(error, kDriftError);
    if (placed.zone_assumed) error = add_nanos(error, kAssumedZoneError);
    model::Moment out = moment_of(placed, error, source.lag);
    out.clock = ids.of(clock_of(o, placed));
    return out;
  };
  for (Draft& d : *drafts) {
    if (d.placed) d.observation.seen = settled(d.observation, *d.stamp, *d.placed);
    if (!d.around) continue;
    for (Around::Side* side : {&d.around->before, &d.around->after}) {
      if (side->placed) side->lo = settled(d.observation, *side->stamp, *side->placed).lo;
    }
  }
  for (std::size_t first = 0; first < drafts->size();) {
    std::size_t last = first;
    while (last < drafts->size() &&
           (*drafts)[last].observation.stream == (*drafts)[first].observation.stream)
      ++last;
    settle_unstamped(HeavySpan<Draft>(drafts, first, last), settled);
    first = last;
  }
  for (Draft& d : *drafts) {
    d.observation.seen.stream = d.observation.stream;
    d.observation.seen.position = d.observation.position;
  }
}

}  // namespace attrib::evidence
