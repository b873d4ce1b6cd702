#include "vm/fold.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <unordered_set>

namespace attrib::vm {
namespace {

using model::Moment;
using model::Nanos;

constexpr std::size_t kFamilies = 5;

// (type, entity) groups of decoded emissions with a known begin, by begin.lo.
std::vector<std::uint32_t> by_entity_and_begin(const FactStore& store) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < store.emissions.size(); ++i) {
    const Emission& e = store.emissions[i];
    if (e.event != kNone && e.begin.known) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Emission& x = store.emissions[a];
    const Emission& y = store.emissions[b];
    return std::tie(x.type, x.entity, x.begin.lo, a) < std::tie(y.type, y.entity, y.begin.lo, b);
  });
  return order;
}

std::size_t family_of(const FactStore& store, std::uint32_t emission) {
  return static_cast<std::size_t>(store.events[store.emissions[emission].event].family);
}

// Marks the members of order[begin, end) that overlap one of another family. Of the facts of a
// family that begin no later than this one ends, the one that ends last decides.
void lift_group(const FactStore& store, const std::vector<std::uint32_t>& order, std::size_t begin,
                std::size_t end, std::vector<bool>* out) {
  struct Ends {
    std::vector<Nanos> lo, latest;  // Sorted begins; the greatest end among the first i+1.
  };
  std::array<Ends, kFamilies> families;
  for (std::size_t i = begin; i < end; ++i) {
    const Moment& m = store.emissions[order[i]].begin;
    Ends& ends = families[family_of(store, order[i])];
    ends.lo.push_back(m.lo);
    ends.latest.push_back(ends.latest.empty() ? m.hi : std::max(ends.latest.back(), m.hi));
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Moment& m = store.emissions[order[i]].begin;
    for (std::size_t f = 0; f < kFamilies; ++f) {
      if (f == family_of(store, order[i])) continue;
      const Ends& ends = families[f];
      const auto n = static_cast<std::size_t>(
          std::upper_bound(ends.lo.begin(), ends.lo.end(), m.hi) - ends.lo.begin());
      if (n > 0 && ends.latest[n - 1] >= m.lo) (*out)[order[i]] = true;
    }
  }
}

class Folding {
 public:
  Folding(const program::Program& program, FactStore& store)
      : program_(program), store_(store), lifted_(lifted(store)) {}

  std::vector<Occurrence> run() {
    std::vector<std::uint32_t> order(store_.emissions.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int group = compare_groups(at(a), at(b));
      return group != 0 ? group < 0 : less_in_group(a, b);
    });
    std::size_t first = 0;
    for (std::size_t i = 1; i <= order.size(); ++i) {
      if (i < order.size() && !starts_burst(at(order[i - 1]), at(order[i]))) continue;
      out_.push_back(occurrence({order.begin() + static_cast<std::ptrdiff_t>(first),
                                 order.begin() + static_cast<std::ptrdiff_t>(i)}));
      first = i;
    }
    return std::move(out_);
  }

 private:
  const Emission& at(std::uint32_t i) const { return store_.emissions[i]; }
  const Value* fields(const Emission& e) const { return store_.emitted_values.data() + e.fields; }

  int compare_groups(const Emission& a, const Emission& b) const {
    if (a.type != b.type) return a.type < b.type ? -1 : 1;
    if (a.entity != b.entity) return a.entity < b.entity ? -1 : 1;
    for (const std::uint16_t key : program_.symptoms[a.type].key) {
      const auto order = fields(a)[key] <=> fields(b)[key];
      if (order != 0) return order < 0 ? -1 : 1;
    }
    return 0;
  }

  // Facts of one group in time; equal times in the order of their events, rules and emission.
  bool less_in_group(std::uint32_t i, std::uint32_t j) const {
    const Emission& a = at(i);
    const Emission& b = at(j);
    if (a.begin.known != b.begin.known) return a.begin.known;
    if (a.begin.known) {
      if (a.begin.lo != b.begin.lo) return a.begin.lo < b.begin.lo;
      if (a.begin.hi != b.begin.hi) return a.begin.hi < b.begin.hi;
    }
    if (a.seen.known != b.seen.known) return a.seen.known;
    if (a.seen.known && a.seen.lo != b.seen.lo) return a.seen.lo < b.seen.lo;
    return std::tie(a.event, a.rule, a.sequence) < std::tie(b.event, b.rule, b.sequence);
  }

  bool starts_burst(const Emission& previous, const Emission& next) const {
    if (compare_groups(previous, next) != 0) return true;
    if (previous.begin.known != next.begin.known) return true;
    if (!next.begin.known) return false;
    const Nanos quiet = program_.symptoms[next.type].quiet;
    return model::sub_nanos(next.begin.lo, previous.begin.lo) > quiet;
  }

  Occurrence occurrence(const std::vector<std::uint32_t>& members) {
    const Emission& first = at(members.front());
    Occurrence o = start(first);
    o.last = at(members.back()).begin;
    std::unordered_set<std::uint32_t> observations;
    bool is_lifted = false;
    for (const std::uint32_t i : members) {
      const Emission& e = at(i);
      if (e.node != o.node) o.node = EntityId::None;
      if (e.rank != o.rank) o.rank = kNone;
      o.credence = std::max(o.credence, e.credence);
      is_lifted = is_lifted || lifted_[i];
      if (e.event != kNone) {
        add_event(store_.events[e.event], &o, &observations);
      } else {
        add_inferred(store_.inferred[e.inferred], &o);
      }
    }
    o.count = o.from_decode ? observations.size() : members.size();
    if (is_lifted && o.credence < model::Band::Certain) {
      o.credence = static_cast<model::Band>(static_cast<int>(o.credence) + 1);
    }
    finish(&o);
    return o;
  }

  Occurrence start(const Emission& first) const {
    Occurrence o;
    o.type = first.type;
    o.rule = first.rule;
    o.stream = first.stream;
    o.entity = first.entity;
    o.node = first.node;
    o.rank = first.rank;
    o.from_decode = first.event != kNone;
    o.meta = first.meta;
    o.begin = first.begin;
    o.seen = first.seen;
    o.table_row = first.table_row;
    const std::size_t n = program_.symptoms[first.type].fields.size();
    o.fields.assign(fields(first), fields(first) + n);
    if (first.inferred != kNone) o.absences = store_.inferred[first.inferred].absences;
    return o;
  }

  void add_event(const Event& event, Occurrence* o,
                 std::unordered_set<std::uint32_t>* observations) const {
    o->families |= family_bit(event.family);
    if (event.extract != kNone) add_extract(event.extract, o);
    if (!observations->insert(event.observation).second) return;
    o->evidence.add(store_.evidence_key(event.observation));
  }

  void add_inferred(const Inferred& from, Occurrence* o) const {
    o->evidence.add(from.evidence);
    for (const std::uint32_t input : from.inputs) o->inputs.push_back(input);
    for (const std::uint32_t extract : from.extracts) add_extract(extract, o);
    if (o->inputs.size() > 16 * kKeptInputs) cut_inputs(o);
  }

  static void add_extract(std::uint32_t extract, Occurrence* o) {
    const auto it = std::lower_bound(o->extracts.begin(), o->extracts.end(), extract);
    if (it == o->extracts.end() || *it != extract) o->extracts.insert(it, extract);
  }

  static void cut_inputs(Occurrence* o) {
    std::sort(o->inputs.begin(), o->inputs.end());
    o->inputs.erase(std::unique(o->inputs.begin(), o->inputs.end()), o->inputs.end());
    if (o->inputs.size() > kKeptInputs) o->inputs.resize(kKeptInputs);
  }

  static void finish(Occurrence* o) {
    o->evidence.settle();
    cut_inputs(o);
  }

  const program::Program& program_;
  FactStore& store_;
  std::vector<bool> lifted_;
  std::vector<Occurrence> out_;
};

}  // namespace

std::vector<bool> lifted(const FactStore& store) {
  std::vector<bool> out(store.emissions.size(), false);
  const std::vector<std::uint32_t> order = by_entity_and_begin(store);
  std::size_t first = 0;
  for (std::size_t i = 1; i <= order.size(); ++i) {
    if (i < order.size()) {
      const Emission& a = store.emissions[order[i - 1]];
      const Emission& b = store.emissions[order[i]];
      if (a.type == b.type && a.entity == b.entity) continue;
    }
    lift_group(store, order, first, i, &out);
    first = i;
  }
  return out;
}

void fold_emissions(const program::Program& program, FactStore& store) {
  std::vector<Occurrence> fresh;
  if (!store.emissions.empty()) fresh = Folding(program, store).run();
  store.emissions.clear();
  store.emitted_values.clear();
  store.inferred.clear();
  store.add_occurrences(std::move(fresh));
}

}  // namespace attrib::vm
