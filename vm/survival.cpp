#include "vm/survival.h"

#include <map>

#include "vm/before_index.h"

namespace attrib::vm {

std::vector<bool> survived(State& state) {
  // "Something begins after" is "something begins before" with time turned round.
  std::map<std::uint32_t, std::vector<model::Moment>> by_rank;
  std::vector<model::Moment> all;
  for (const Event& e : state.facts.events) {
    if (!state.program.events[e.type].progress) continue;
    all.push_back(mirrored(e.begin));
    const std::uint32_t rank = state.rank_of(e.entity, e.rank);
    if (rank != kNone) by_rank[rank].push_back(all.back());
  }
  std::vector<bool> out(state.facts.occurrences.size(), false);
  if (all.empty()) return out;
  const BeforeIndex anyone(all);
  std::map<std::uint32_t, BeforeIndex> progress;
  for (auto& [rank, moments] : by_rank) progress.emplace(rank, BeforeIndex(moments));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Occurrence& o = state.facts.occurrences[i];
    if (o.meta.role == model::Role::End) continue;
    const std::uint32_t rank = state.rank_of(o.entity, o.rank);
    const auto own = progress.find(rank);
    if (rank == kNone) {
      out[i] = anyone.any_before(mirrored(o.last));
    } else if (own != progress.end()) {
      out[i] = own->second.any_before(mirrored(o.last));
    }
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

}  // namespace attrib::vm
