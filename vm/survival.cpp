#include "vm/survival.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "vm/before_index.h"

namespace attrib::vm {
namespace {

// Progress of one rank in one stream, with time turned round: "something begins after" is then
// "something begins before". A job may log millions of steps, of which a handful tells all.
class Progress {
 public:
  void add(const model::Moment& begin) {
    if (!begin.known) return;
    moments_.push_back(mirrored(begin));
    if (moments_.size() >= kPruneAt) prune();
  }
  const std::vector<model::Moment>& list() {
    prune();
    return moments_;
  }

 private:
  static constexpr std::size_t kPruneAt = 1024;

  // What another one of the stream precedes in place and in time, adds nothing.
  void prune() {
    if (moments_.size() < 2) return;
    std::stable_sort(
        moments_.begin(), moments_.end(),
        [](const model::Moment& a, const model::Moment& b) { return a.position < b.position; });
    std::vector<model::Moment> kept;
    model::Nanos least = 0;
    model::Nanos least_inner = 0;
    for (const model::Moment& m : moments_) {
      const model::Nanos inner = model::sub_nanos(m.hi, m.error);
      if (!kept.empty() && m.hi >= least && inner >= least_inner) continue;
      least = kept.empty() ? m.hi : std::min(least, m.hi);
      least_inner = kept.empty() ? inner : std::min(least_inner, inner);
      kept.push_back(m);
    }
    moments_ = std::move(kept);
  }

  std::vector<model::Moment> moments_;
};

struct Place {  // Moments of one place are comparable: one rank, clock and stream.
  std::uint32_t rank;
  model::ClockId clock;
  std::uint32_t stream;
  friend auto operator<=>(const Place&, const Place&) = default;
};

}  // namespace

std::vector<bool> survived(State& state) {
  std::map<Place, Progress> places;
  for (std::size_t type = 0; type < state.program.events.size(); ++type) {
    if (!state.program.events[type].progress) continue;
    for (const std::uint32_t k : state.facts.events_of[type]) {
      const Event& e = state.facts.events[k];
      places[{state.rank_of(e.entity, e.rank), e.begin.clock, e.begin.stream}].add(e.begin);
    }
  }
  std::vector<bool> out(state.facts.occurrences.size(), false);
  if (places.empty()) return out;
  std::vector<model::Moment> all;  // By rank, as the places are.
  std::map<std::uint32_t, std::size_t> begins;  // Of each rank that makes progress, in `all`.
  for (auto& [place, progress] : places) {
    begins.try_emplace(begins.end(), place.rank, all.size());
    const std::vector<model::Moment>& own = progress.list();
    all.insert(all.end(), own.begin(), own.end());
  }
  const BeforeIndex anyone(all);
  std::map<std::uint32_t, BeforeIndex> asked;  // Most ranks have no symptom.
  const auto index_of = [&](std::uint32_t rank) -> const BeforeIndex& {
    const auto [at, fresh] = asked.try_emplace(rank);
    const auto own = begins.find(rank);
    if (fresh && own != begins.end()) {
      const auto next = std::next(own);
      const std::size_t end = next == begins.end() ? all.size() : next->second;
      at->second = BeforeIndex(std::span(all).subspan(own->second, end - own->second));
    }
    return at->second;
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Occurrence& o = state.facts.occurrences[i];
    if (o.meta.role == model::Role::End) continue;
    const std::uint32_t rank = state.rank_of(o.entity, o.rank);
    out[i] = (rank == kNone ? anyone : index_of(rank)).any_before(mirrored(o.last));
  }
  return out;
}

std::vector<bool> history(const State& state) {
  std::vector<bool> out(state.facts.occurrences.size(), false);
  if (!state.evidence.workload.start) return out;
  const model::Moment start = model::moment_at(*state.evidence.workload.start, model::kSecond);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = model::before(state.facts.occurrences[i].last, start) == model::Truth::Yes;
  }
  return out;
}

std::vector<bool> elsewhere(const State& state) {
  std::vector<bool> out;
  for (const Occurrence& o : state.facts.occurrences) {
    const bool of_node =
        o.entity != EntityId::None && model::lies_on_a_node(state.entities[o.entity].kind);
    out.push_back(of_node && state.topology.left_out(o.node));
  }
  return out;
}

}  // namespace attrib::vm
