#include "vm/fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <tuple>

namespace attrib::vm {
namespace {

using model::Moment;
using model::Nanos;

constexpr std::size_t kFamilies = 5;

std::size_t family_of(const FactStore& store, std::uint32_t emission) {
  return static_cast<std::size_t>(store.events[store.emissions[emission].event].family);
}

// From the first of the repeats for which the fact stands to the last.
Moment begin_of_run(const FactStore& store, std::uint32_t emission) {
  const Emission& e = store.emissions[emission];
  Moment out = store.begin_of(e);
  if (store.has_repeats()) out.lo = model::sub_nanos(out.lo, store.repeats_of(e).over);
  return out;
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
    const Moment m = begin_of_run(store, order[i]);
    Ends& ends = families[family_of(store, order[i])];
    ends.lo.push_back(m.lo);
    ends.latest.push_back(ends.latest.empty() ? m.hi : std::max(ends.latest.back(), m.hi));
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Moment m = begin_of_run(store, order[i]);
    for (std::size_t f = 0; f < kFamilies; ++f) {
      if (f == family_of(store, order[i])) continue;
      const Ends& ends = families[f];
      const auto n = static_cast<std::size_t>(
          std::upper_bound(ends.lo.begin(), ends.lo.end(), m.hi) - ends.lo.begin());
      if (n > 0 && ends.latest[n - 1] >= m.lo) (*out)[order[i]] = true;
    }
  }
}

// Numbers equal things in the order in which they first come.
class Numbering {
 public:
  // `same(i)`: is it what got number i?
  template <typename Same>
  std::uint32_t number(std::uint64_t hash, const Same& same) {
    if (2 * hashes_.size() >= slots_.size()) grow();
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t found = slots_[at];
      if (found == kNone) {
        slots_[at] = static_cast<std::uint32_t>(hashes_.size());
        hashes_.push_back(hash);
        return slots_[at];
      }
      if (hashes_[found] == hash && same(found)) return found;
    }
  }

 private:
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 4 * slots_.size()), kNone);
    for (std::uint32_t i = 0; i < hashes_.size(); ++i) {
      std::size_t at = hashes_[i] & (slots_.size() - 1);
      while (slots_[at] != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> hashes_;
};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32U);
}

std::uint64_t hash_of_place(const Emission& e) {
  return mixed(mixed(0, e.type), index_of(e.entity));
}

// Lists of items by group, in the order of the items.
struct Grouped {
  std::vector<std::uint32_t> begin, items;

  Grouped(const std::vector<std::uint32_t>& group_of, std::size_t groups) : begin(groups + 1, 0) {
    for (const std::uint32_t g : group_of) ++begin[g + 1];
    for (std::size_t g = 0; g < groups; ++g) begin[g + 1] += begin[g];
    items.resize(group_of.size());
    std::vector<std::uint32_t> place(begin);
    for (std::uint32_t i = 0; i < group_of.size(); ++i) items[place[group_of[i]]++] = i;
  }
};

class Folding {
 public:
  Folding(const program::Program& program, FactStore& store)
      : program_(program), store_(store), lifted_(lifted(store)) {}

  std::vector<Occurrence> run() {
    number_groups();
    std::vector<std::uint32_t> order(first_of_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return compare_groups(at(first_of_[a]), at(first_of_[b])) < 0;
    });
    Grouped groups(group_of_, first_of_.size());
    out_.reserve(first_of_.size());
    for (const std::uint32_t g : order) {
      fold_group(groups.items.begin() + groups.begin[g], groups.items.begin() + groups.begin[g + 1]);
    }
    return std::move(out_);
  }

 private:
  using Place = std::vector<std::uint32_t>::iterator;

  void number_groups() {
    Numbering numbering;
    group_of_.reserve(store_.emissions.size());
    for (std::uint32_t i = 0; i < store_.emissions.size(); ++i) {
      std::uint64_t hash = hash_of_place(at(i));
      for (const std::uint16_t key : program_.symptoms[at(i).type].key) {
        const Value& v = fields(at(i))[key];
        hash = mixed(mixed(hash, static_cast<std::uint64_t>(v.kind)),
                     static_cast<std::uint64_t>(v.number));
      }
      group_of_.push_back(numbering.number(hash, [&](std::uint32_t g) {
        return compare_groups(at(first_of_[g]), at(i)) == 0;
      }));
      if (group_of_.back() == first_of_.size()) first_of_.push_back(i);
    }
  }

  // Most groups come in order of time.
  void fold_group(Place first, Place end) {
    const auto less = [&](std::uint32_t a, std::uint32_t b) { return less_in_group(a, b); };
    if (store_.has_repeats()) return fold_runs(first, end);
    if (!std::is_sorted(first, end, less)) std::sort(first, end, less);
    for (Place i = first + 1; first != end; ++i) {
      if (i != end && !starts_burst(at(*(i - 1)), at(*i))) continue;
      out_.push_back(occurrence(std::span<const std::uint32_t>(first, i), *(i - 1)));
      first = i;
      if (i == end) break;
    }
  }

  // The same, where a fact may stand for a run of them: a burst goes on as far as a run does.
  void fold_runs(Place first, Place end) {
    std::sort(first, end, [&](std::uint32_t a, std::uint32_t b) { return less_by_runs(a, b); });
    Nanos reached = store_.begin_of(at(*first)).lo;
    for (Place i = first + 1; first != end; ++i) {
      if (i != end && !starts_burst_after(reached, at(*(i - 1)), *i)) {
        reached = std::max(reached, store_.begin_of(at(*i)).lo);
        continue;
      }
      // Its last one is the last of all, not the last to begin a run.
      const auto less = [&](std::uint32_t a, std::uint32_t b) { return less_in_group(a, b); };
      out_.push_back(occurrence(std::span<const std::uint32_t>(first, i), *std::max_element(first, i, less)));
      first = i;
      if (i == end) break;
      reached = store_.begin_of(at(*i)).lo;
    }
  }

  bool less_by_runs(std::uint32_t i, std::uint32_t j) const {
    const Moment p = begin_of_run(store_, i), q = begin_of_run(store_, j);
    if (p.known && q.known && p.lo != q.lo) return p.lo < q.lo;
    return less_in_group(i, j);
  }

  bool starts_burst_after(Nanos reached, const Emission& previous, std::uint32_t next) const {
    const Moment q = begin_of_run(store_, next);
    if (store_.begin_of(previous).known != q.known) return true;
    return q.known && model::sub_nanos(q.lo, reached) > program_.symptoms[at(next).type].quiet;
  }

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
    const Moment& p = store_.begin_of(at(i));
    const Moment& q = store_.begin_of(at(j));
    if (p.known != q.known) return p.known;
    if (p.known) {
      if (p.lo != q.lo) return p.lo < q.lo;
      if (p.hi != q.hi) return p.hi < q.hi;
    }
    const Emission& a = at(i);
    const Emission& b = at(j);
    const Moment& x = store_.seen_of(a);
    const Moment& y = store_.seen_of(b);
    if (x.known != y.known) return x.known;
    if (x.known && x.lo != y.lo) return x.lo < y.lo;
    return std::tie(a.event, a.rule, a.sequence) < std::tie(b.event, b.rule, b.sequence);
  }

  bool starts_burst(const Emission& previous, const Emission& next) const {
    const Moment& p = store_.begin_of(previous);
    const Moment& q = store_.begin_of(next);
    if (p.known != q.known) return true;
    if (!q.known) return false;
    return model::sub_nanos(q.lo, p.lo) > program_.symptoms[next.type].quiet;
  }

  Occurrence occurrence(std::span<const std::uint32_t> members, std::uint32_t last) {
    const Emission& first = at(members.front());
    Occurrence o = start(first);
    o.last = store_.begin_of(at(last));
    observed_.clear();
    bool is_lifted = false;
    for (const std::uint32_t i : members) {
      const Emission& e = at(i);
      if (e.node != o.node) o.node = EntityId::None;
      if (e.rank != o.rank) o.rank = kNone;
      o.credence = std::max(o.credence, e.credence);
      is_lifted = is_lifted || lifted_[i];
      if (e.event != kNone) {
        add_event(store_.events[e.event], &o);
      } else {
        add_inferred(store_.inferred[e.inferred], &o);
      }
    }
    add_observed(&o);
    o.count = o.from_decode ? count_observed() : members.size();
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
    o.begin = store_.begin_of(first);
    o.seen = store_.seen_of(first);
    o.table_row = first.table_row;
    const std::size_t n = program_.symptoms[first.type].fields.size();
    o.fields.assign(fields(first), fields(first) + n);
    if (first.inferred != kNone) o.absences = store_.inferred[first.inferred].absences;
    return o;
  }

  void add_event(const Event& event, Occurrence* o) {
    o->families |= family_bit(event.family);
    if (event.extract != kNone) add_extract(event.extract, o);
    const bool known = event.seen.known;
    observed_.push_back({!known, known ? event.seen.lo : 0, event.observation});
  }

  // Each observation once.
  void add_observed(Occurrence* o) {
    if (!std::is_sorted(observed_.begin(), observed_.end())) {
      std::sort(observed_.begin(), observed_.end());
    }
    observed_.erase(std::unique(observed_.begin(), observed_.end()), observed_.end());
    const std::size_t kept = std::min(observed_.size(), kKeptEvidence + 1);  // One more: truncated.
    o->evidence.first.insert(o->evidence.first.end(), observed_.begin(),
                             observed_.begin() + static_cast<std::ptrdiff_t>(kept));
  }

  [[nodiscard]] std::uint64_t count_observed() const {
    if (!store_.has_repeats()) return observed_.size();
    return std::accumulate(observed_.begin(), observed_.end(), std::uint64_t{0},
                           [&](std::uint64_t sum, const EvidenceKey& key) {
                             return sum + store_.repeats_of(key.observation).times;
                           });
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
  std::vector<std::uint32_t> group_of_;  // By emission.
  std::vector<std::uint32_t> first_of_;  // By group: its first emission.
  std::vector<EvidenceKey> observed_;    // Of the occurrence in work.
  std::vector<Occurrence> out_;
};

}  // namespace

std::vector<bool> lifted(const FactStore& store) {
  std::vector<bool> out(store.emissions.size(), false);
  // By type and entity, of those with a known begin. One family alone lifts nothing.
  std::vector<std::uint32_t> decoded, group_of, first_of;
  std::vector<std::uint8_t> families;
  Numbering numbering;
  for (std::uint32_t i = 0; i < store.emissions.size(); ++i) {
    const Emission& e = store.emissions[i];
    if (e.event == kNone || !store.begin_of(e).known) continue;
    const std::uint32_t group = numbering.number(hash_of_place(e), [&](std::uint32_t g) {
      const Emission& first = store.emissions[first_of[g]];
      return first.type == e.type && first.entity == e.entity;
    });
    if (group == first_of.size()) {
      first_of.push_back(i);
      families.push_back(0);
    }
    families[group] |= family_bit(store.events[e.event].family);
    decoded.push_back(i);
    group_of.push_back(group);
  }
  const Grouped groups(group_of, first_of.size());
  for (std::size_t g = 0; g < first_of.size(); ++g) {
    if (std::has_single_bit(families[g])) continue;
    std::vector<std::uint32_t> members;
    for (std::uint32_t k = groups.begin[g]; k < groups.begin[g + 1]; ++k) {
      members.push_back(decoded[groups.items[k]]);
    }
    std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
      return begin_of_run(store, a).lo < begin_of_run(store, b).lo;
    });
    lift_group(store, members, 0, members.size(), &out);
  }
  return out;
}

void fold_emissions(const program::Program& program, FactStore& store) {
  std::vector<Occurrence> fresh;
  if (!store.emissions.empty()) fresh = Folding(program, store).run();
  // Their memory too: decoding may have made as many as there are events.
  store.emissions = {};
  store.emitted_values = {};
  store.emitted_begins = {};
  store.inferred = {};
  store.add_occurrences(std::move(fresh));
}

}  // namespace attrib::vm
