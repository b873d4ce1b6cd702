#include "vm/facts.h"

#include <algorithm>
#include <numeric>

namespace attrib::vm {

using model::ValueKind;

namespace {
constexpr std::size_t kIdsOfOne = 4;
}

void EvidenceList::add(const EvidenceList& other) {
  first.insert(first.end(), other.first.begin(), other.first.end());
  truncated = truncated || other.truncated;
  if (first.size() > 64 * kKeptEvidence) settle();
}

void EvidenceList::add(const EvidenceKey& key) {
  first.push_back(key);
  if (first.size() > 64 * kKeptEvidence) settle();
}

// The least of a union are the least of the parts' least, so cutting early loses nothing.
void EvidenceList::settle() {
  std::sort(first.begin(), first.end());
  first.erase(std::unique(first.begin(), first.end()), first.end());
  if (first.size() <= kKeptEvidence) return;
  first.resize(kKeptEvidence);
  truncated = true;
}

FactStore::FactStore(const program::Program& program, const evidence::Evidence& evidence,
                     EntityTable& entities, TextPool& texts)
    : events_of(program.events.size()),
      occurrences_of(program.symptoms.size()),
      program_(program),
      evidence_(evidence),
      entities_(entities),
      texts_(texts) {
  if (evidence.workload.end) {
    workload_end = model::moment_at(*evidence.workload.end, model::kSecond);
  }
}

void FactStore::index_events() {
  for (auto& list : events_of) list.clear();
  for (std::uint32_t i = 0; i < events.size(); ++i) events_of[events[i].type].push_back(i);
}

const model::Moment& FactStore::seen_of(std::uint32_t observation) const {
  return observation == kWorkloadObservation ? workload_end
                                             : evidence_.observations[observation].seen;
}

evidence::Repeats FactStore::repeats_of(std::uint32_t observation) const {
  const auto& runs = evidence_.repeats;
  const auto found = std::partition_point(runs.begin(), runs.end(), [&](const evidence::Repeats& r) {
    return r.observation < observation;
  });
  return found != runs.end() && found->observation == observation ? *found : evidence::Repeats{};
}

std::uint64_t FactStore::count_events() const {
  std::uint64_t out = events.size();
  if (!has_repeats()) return out;
  for (const Event& e : events) out += repeats_of(e.observation).times - 1;
  return out;
}

EvidenceKey FactStore::evidence_key(std::uint32_t observation) const {
  const model::Moment& seen = seen_of(observation);
  return {!seen.known, seen.known ? seen.lo : 0, observation};
}

std::vector<std::string> FactStore::ids_of(std::uint32_t observation) const {
  if (observation == kWorkloadObservation) return workload_ids_;
  return evidence_.observations[observation].ids.list();
}

std::vector<std::string> FactStore::evidence_ids(const EvidenceList& list, bool* truncated) const {
  std::vector<std::string> ids;
  *truncated = list.truncated;
  for (const EvidenceKey& key : list.first) {
    const std::vector<std::string> own = ids_of(key.observation);
    const std::size_t kept = std::min(own.size(), kIdsOfOne);
    ids.insert(ids.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(kept));
    *truncated = *truncated || own.size() > kept;
  }
  return ids;
}

std::string FactStore::field_text(const model::Field& field, const Value& value) const {
  if (value.null()) return {};
  if (value.is(ValueKind::Entity)) return entities_[value.entity()].key;
  return model::to_text(constant_of(value, entities_, texts_), field.type.reader);
}

bool FactStore::less(const Occurrence& a, const Occurrence& b) const {
  if (a.begin.known != b.begin.known) return a.begin.known;
  if (a.begin.known && a.begin.lo != b.begin.lo) return a.begin.lo < b.begin.lo;
  if (a.begin.known && a.begin.hi != b.begin.hi) return a.begin.hi < b.begin.hi;
  const auto& x = program_.symptoms[a.type];
  const auto& y = program_.symptoms[b.type];
  if (a.type != b.type) return x.name < y.name;
  if (a.entity != b.entity) return entities_.less(a.entity, b.entity);
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i] == b.fields[i]) continue;
    const std::string p = field_text(x.fields[i], a.fields[i]);
    const std::string q = field_text(x.fields[i], b.fields[i]);
    if (p != q) return p < q;
  }
  const model::Nanos p = a.last.known ? a.last.lo : 0;
  const model::Nanos q = b.last.known ? b.last.lo : 0;
  if (p != q) return p < q;
  bool cut = false;
  return evidence_ids(a.evidence, &cut) < evidence_ids(b.evidence, &cut);
}

void FactStore::add_occurrences(std::vector<Occurrence> fresh) {
  const std::size_t old = occurrences.size();
  const auto at = [&](std::uint32_t i) -> Occurrence& {
    return i < old ? occurrences[i] : fresh[i - old];
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return less(at(a), at(b)); };
  std::vector<std::uint32_t> order(old + fresh.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto first_fresh = order.begin() + static_cast<std::ptrdiff_t>(old);
  std::stable_sort(first_fresh, order.end(), before);
  std::inplace_merge(order.begin(), first_fresh, order.end(), before);
  std::vector<std::uint32_t> place(order.size());
  std::vector<Occurrence> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(at(order[i])));
  }
  occurrences = std::move(sorted);
  for (auto& list : occurrences_of) list.clear();
  all.resize(occurrences.size());
  for (std::uint32_t i = 0; i < occurrences.size(); ++i) {
    for (std::uint32_t& input : occurrences[i].inputs) input = place[input];
    std::sort(occurrences[i].inputs.begin(), occurrences[i].inputs.end());
    occurrences_of[occurrences[i].type].push_back(i);
    all[i] = i;
  }
}

model::Nanos repeats_of(const Occurrence& o) {
  if (!o.begin.known || !o.last.known) return 0;
  return std::max<model::Nanos>(0, model::sub_nanos(o.last.lo, o.begin.lo));
}

model::Constant constant_of(const Value& value, const EntityTable& entities,
                            const TextPool& texts) {
  if (value.is(ValueKind::String)) return model::text_constant(texts.text(value.number));
  if (!value.is(ValueKind::Entity)) return {value.kind, value.number, {}};
  if (const auto rank = entities.rank_number(value.entity())) return model::int_constant(*rank);
  return model::text_constant(std::string(entities.short_name(value.entity())));
}

}  // namespace attrib::vm
