#include "vm/bag.h"

#include <algorithm>
#include <map>
#include <set>

namespace attrib::vm {

using model::Truth;
using model::ValueKind;

void Bag::clear() {
  members_.clear();
  certain_ = 0;
  over_.reset();
}

void Bag::add(const BagMember& member) {
  if (member.value.null()) return;
  members_.push_back(member);
  if (member.certain) ++certain_;
}

Count Bag::count() const { return {certain_, static_cast<std::int64_t>(members_.size())}; }

Count Bag::distinct() const {
  std::set<Value> certain, all;
  for (const BagMember& m : members_) {
    all.insert(m.value);
    if (m.certain) certain.insert(m.value);
  }
  return {static_cast<std::int64_t>(certain.size()), static_cast<std::int64_t>(all.size())};
}

bool Bag::speaks_for_all(const EntitySets& sets) const {
  if (members_.empty() || certain_ != static_cast<std::int64_t>(members_.size())) return false;
  if (!over_) return true;
  const EntitySet& set = sets[*over_];
  if (!set.known || !set.closed) return false;
  std::vector<EntityId> ranks;
  for (const BagMember& m : members_) ranks.push_back(m.rank);
  std::sort(ranks.begin(), ranks.end());
  return std::all_of(set.members.begin(), set.members.end(), [&](EntityId member) {
    return std::binary_search(ranks.begin(), ranks.end(), member);
  });
}

Value Bag::least(const EntitySets& sets, const EntityTable& entities, const TextPool& texts) const {
  if (!speaks_for_all(sets)) return {};
  Value best = members_.front().value;
  for (const BagMember& m : members_) {
    const Truth less = compare(model::Compare::Less, m.value, best, entities, texts);
    if (less == Truth::Unknown) return {};
    if (less == Truth::Yes) best = m.value;
  }
  return best;
}

Value Bag::odd(const EntitySets& sets, const EntityTable& entities) const {
  if (!speaks_for_all(sets) || members_.size() < 3) return {};
  std::map<Value, std::size_t> times;
  for (const BagMember& m : members_) {
    if (m.value.is(ValueKind::Entity) && !entities.known(m.value.entity())) return {};
    if (m.value == truth_value(Truth::Unknown)) return {};
    ++times[m.value];
    if (times.size() > 2) return {};
  }
  if (times.size() != 2) return {};
  const auto& [first, first_times] = *times.begin();
  const auto& [second, second_times] = *times.rbegin();
  if (first_times == 1 && second_times >= 2) return first;
  return second_times == 1 && first_times >= 2 ? second : Value{};
}

Truth Bag::absent(Truth covered) const {
  if (certain_ > 0) return Truth::No;
  return members_.empty() && covered == Truth::Yes ? Truth::Yes : Truth::Unknown;
}

}  // namespace attrib::vm
