#include <algorithm>
#include <tuple>

#include "tests/reference/stages.h"

namespace attrib::reference {
namespace {

bool overlap(const Moment& a, const Moment& b) {
  return a.known && b.known && a.lo <= b.hi && b.lo <= a.hi;
}

// Told by another family too, at what may be the same time.
bool is_lifted(const std::vector<Fact>& facts, const Fact& f) {
  return f.decoded && std::any_of(facts.begin(), facts.end(), [&](const Fact& other) {
           return other.decoded && other.type == f.type && other.entity == f.entity &&
                  other.families != f.families && overlap(other.begin, f.begin);
         });
}

bool same_group(const State& state, const Fact& a, const Fact& b) {
  if (a.type != b.type || a.entity != b.entity) return false;
  const auto& key = state.module.symptoms.at(a.type).key;
  return std::all_of(key.begin(), key.end(),
                     [&](std::uint16_t k) { return same(a.fields[k], b.fields[k]); });
}

// In time; what is equal in time by event and rule. A stable sort keeps the order in which a rule
// emitted.
bool in_time(const Fact& a, const Fact& b) {
  const auto key = [](const Fact& f) {
    return std::tuple(!f.begin.known, f.begin.known ? f.begin.lo : 0,
                      f.begin.known ? f.begin.hi : 0, !f.seen.known, f.seen.known ? f.seen.lo : 0,
                      f.decoded ? f.event_id : 0, f.rule);
  };
  return key(a) < key(b);
}

bool same_burst(const State& state, const Fact& previous, const Fact& next) {
  if (previous.begin.known != next.begin.known) return false;
  if (!next.begin.known) return true;
  return model::sub_nanos(next.begin.lo, previous.begin.lo) <=
         state.module.symptoms.at(next.type).quiet;
}

Fact occurrence(State& state, const std::vector<Fact>& members) {
  Fact o = members.front();
  o.id = state.next_id++;
  o.last = members.back().begin;
  bool lift = false;
  for (const Fact& f : members) {
    if (f.node != o.node) o.node.clear();
    if (f.rank != o.rank) o.rank.reset();
    o.credence = std::max(o.credence, f.credence);
    lift = lift || f.lifted;
    o.observations.insert(f.observations.begin(), f.observations.end());
    o.families.insert(f.families.begin(), f.families.end());
    o.extracts.insert(f.extracts.begin(), f.extracts.end());
    o.inputs.insert(o.inputs.end(), f.inputs.begin(), f.inputs.end());
  }
  o.count = o.decoded ? o.observations.size() : members.size();
  if (lift && o.credence != model::Band::Certain)
    o.credence = static_cast<model::Band>(static_cast<int>(o.credence) + 1);
  return o;
}

std::vector<std::string> field_texts(const State& state, const Fact& f) {
  std::vector<std::string> out;
  const auto& fields = state.module.symptoms.at(f.type).fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Value& v = f.fields[i];
    out.push_back(v.kind == ValueKind::Null     ? ""
                  : v.kind == ValueKind::Entity ? v.entity.key
                                                : text_of(v, fields[i].type.reader));
  }
  return out;
}

}  // namespace

std::vector<std::string> evidence_ids(const State& state, const Fact& f, bool* truncated) {
  constexpr std::size_t kObservations = 8;
  constexpr std::size_t kIds = 4;
  std::vector<std::tuple<bool, Nanos, std::uint32_t>> order;
  for (const std::uint32_t o : f.observations) {
    Moment seen;
    if (o != kHeader) {
      seen = state.evidence.observations[o].seen;
    } else if (state.evidence.workload.end) {
      seen = model::moment_at(*state.evidence.workload.end, model::kSecond);
    }
    order.emplace_back(!seen.known, seen.known ? seen.lo : 0, o);
  }
  std::sort(order.begin(), order.end());
  *truncated = order.size() > kObservations;
  if (order.size() > kObservations) order.resize(kObservations);
  std::vector<std::string> ids;
  for (const auto& [unknown, lo, o] : order) {
    if (o == kHeader) {
      ids.emplace_back("workload");
      continue;
    }
    const std::vector<std::string> own = state.evidence.observations[o].ids.list();
    for (std::size_t i = 0; i < own.size() && i < kIds; ++i) ids.push_back(own[i]);
    *truncated = *truncated || own.size() > kIds;
  }
  return ids;
}

void fold_facts(State& state, std::vector<Fact> facts) {
  for (Fact& f : facts) f.lifted = is_lifted(facts, f);
  std::stable_sort(facts.begin(), facts.end(), in_time);
  std::vector<std::vector<Fact>> groups;
  for (const Fact& f : facts) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<Fact>& g) {
      return same_group(state, g.front(), f);
    });
    if (group == groups.end()) {
      groups.push_back({f});
    } else {
      group->push_back(f);
    }
  }
  for (const std::vector<Fact>& group : groups) {
    std::vector<Fact> burst;
    for (const Fact& f : group) {
      if (!burst.empty() && !same_burst(state, burst.back(), f)) {
        state.occurrences.push_back(occurrence(state, burst));
        burst.clear();
      }
      burst.push_back(f);
    }
    state.occurrences.push_back(occurrence(state, burst));
  }
  const auto canonical = [&](const Fact& f) {
    bool cut = false;
    return std::tuple(!f.begin.known, f.begin.known ? f.begin.lo : 0,
                      f.begin.known ? f.begin.hi : 0, state.module.symptoms.at(f.type).name,
                      f.entity.kind, f.entity.key, f.entity.unknown, field_texts(state, f),
                      f.last.known ? f.last.lo : 0, evidence_ids(state, f, &cut));
  };
  std::stable_sort(state.occurrences.begin(), state.occurrences.end(),
                   [&](const Fact& a, const Fact& b) { return canonical(a) < canonical(b); });
}

}  // namespace attrib::reference
