#include "evidence/seen.h"

#include <algorithm>
#include <map>
#include <span>
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

ClockKey clock_of(const Draft& d) {
  const Observation& o = d.observation;
  if (d.placed->own_clock) return {ClockKey::Owner::StreamApart, SourceKind::App, "", o.stream};
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

std::map<ClockKey, model::ClockId> clock_ids(const std::vector<Draft>& drafts) {
  std::map<ClockKey, model::ClockId> ids;
  for (const Draft& d : drafts) {
    if (d.placed) ids.try_emplace(clock_of(d));
  }
  model::ClockId next = model::kNoClock;
  for (auto& [key, id] : ids) id = ++next;
  return ids;
}

model::Moment moment_of(const PlacedStamp& stamp, Nanos error, Nanos lag) {
  model::Moment m;
  m.error = error;
  m.lo = sub_nanos(sub_nanos(stamp.at, error), lag);
  m.hi = add_nanos(add_nanos(stamp.at, error), stamp.resolution);
  m.known = true;
  return m;
}

// Between the stamped neighbours. Neighbours whose stamps contradict the order say nothing.
model::Moment between(const Draft* before, const Draft* after) {
  model::Moment m;
  if (before == nullptr && after == nullptr) return m;
  if (before != nullptr && after != nullptr && before->placed->at > after->placed->at) return m;
  const model::Moment& one = (before != nullptr ? before : after)->observation.seen;
  const model::Moment& other = (after != nullptr ? after : before)->observation.seen;
  // With no common clock the ends carry their own errors, and nothing cancels.
  m.clock = one.clock == other.clock ? one.clock : model::kNoClock;
  m.error = m.clock == model::kNoClock ? 0 : std::max(one.error, other.error);
  const auto widening = [&m](const model::Moment& neighbour) {
    return m.clock == model::kNoClock ? 0 : m.error - neighbour.error;
  };
  m.lo = before != nullptr ? sub_nanos(one.lo, widening(one)) : -model::kForever;
  m.hi = after != nullptr ? add_nanos(other.hi, widening(other)) : model::kForever;
  m.known = true;
  return m;
}

// The drafts of one stream, in the order that its unstamped lines take their neighbours from.
void settle_unstamped(std::span<Draft> stream) {
  std::vector<const Draft*> after(stream.size(), nullptr);
  const Draft* next = nullptr;
  for (std::size_t i = stream.size(); i-- > 0;) {
    after[i] = next;
    if (stream[i].placed) next = &stream[i];
  }
  const Draft* last = nullptr;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (stream[i].placed) {
      last = &stream[i];
    } else {
      stream[i].observation.seen = between(last, after[i]);
    }
  }
}

}  // namespace

void place_stamps(std::vector<Draft>* drafts, const Header& header, const ReadOptions& options) {
  Declarations declarations(header, options);
  for (Draft& d : *drafts) {
    if (!d.stamp) continue;
    d.placed = place(*d.stamp, declarations.of(d.observation).rules);
    if (!d.placed) d.unparsed = true;
  }
}

void settle_seen(std::vector<Draft>* drafts, const Header& header, const ReadOptions& options) {
  Declarations declarations(header, options);
  const auto ids = clock_ids(*drafts);
  for (Draft& d : *drafts) {
    if (!d.placed) continue;
    const Declared& source = declarations.of(d.observation);
    Nanos error = source.error;
    if (d.stamp->drifts) error = std::max(error, kDriftError);
    if (d.placed->zone_assumed) error = add_nanos(error, kAssumedZoneError);
    d.observation.seen = moment_of(*d.placed, error, source.lag);
    d.observation.seen.clock = ids.at(clock_of(d));
  }
  for (std::size_t first = 0; first < drafts->size();) {
    std::size_t last = first;
    while (last < drafts->size() &&
           (*drafts)[last].observation.stream == (*drafts)[first].observation.stream)
      ++last;
    settle_unstamped(std::span<Draft>(drafts->data() + first, last - first));
    first = last;
  }
  for (Draft& d : *drafts) {
    d.observation.seen.stream = d.observation.stream;
    d.observation.seen.position = d.observation.position;
  }
}

}  // namespace attrib::evidence
