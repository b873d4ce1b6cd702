#include "vm/entity_sets.h"

#include <algorithm>

namespace attrib::vm {

using model::EntityKind;
using model::SetKind;
using model::Truth;

EntitySets::EntitySets(EntityTable& entities, Topology& topology)
    : entities_(entities), topology_(topology), made_(model::sets().size()) {
  for (const auto& [rank, node] : topology.places()) {
    if (!node) continue;
    node_ranks_[*node].push_back(rank);
    ++placed_;
  }
}

std::uint32_t EntitySets::make(SetKind kind, EntityId of) {
  std::vector<std::uint32_t>& made = made_[static_cast<std::size_t>(kind)];
  const std::size_t at = of == EntityId::None ? 0 : std::size_t{index_of(of)} + 1;
  if (at >= made.size()) made.resize(std::max(at, entities_.size()) + 1, kNone);
  if (made[at] == kNone) {
    const std::uint32_t id = build(kind, of);  // May ask for other sets of the kind.
    made_[static_cast<std::size_t>(kind)][at] = id;
    return id;
  }
  return made[at];
}

std::uint32_t EntitySets::add(EntitySet set) {
  set.sorted = set.members;
  std::sort(set.sorted.begin(), set.sorted.end());
  sets_.push_back(std::move(set));
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

std::uint32_t EntitySets::of_ranks(std::vector<std::uint32_t> ranks, bool closed) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  EntitySet set;
  set.closed = closed;
  for (const std::uint32_t rank : ranks) set.members.push_back(entities_.rank(rank));
  return add(std::move(set));
}

std::uint32_t EntitySets::build(SetKind kind, EntityId of) {
  if (!entities_.known(of)) {
    EntitySet none;
    none.known = false;
    return add(std::move(none));
  }
  switch (kind) {
    case SetKind::RanksOfNode:
      return ranks_of_node(of);
    case SetKind::CommRanksOfNode:
    case SetKind::CommRanksOfRank:
    case SetKind::CommRanksOfGpu:
      return comm_ranks_of(of);
    case SetKind::RanksOfComm:
      return ranks_of_communicator(of);
    case SetKind::RanksOfColl:
      return ranks_of_communicator(entities_.communicator_of(of));
    case SetKind::RanksOfAttempt:
      return attempt_ranks();
    case SetKind::NodesOfAttempt:
      return nodes_of_attempt();
    case SetKind::GpusOfNode:
      return gpus_of_node(of);
    case SetKind::NodesOfRack:
      return add({});
  }
  return add({});
}

std::uint32_t EntitySets::attempt_ranks() {
  if (attempt_ranks_ != kNone) return attempt_ranks_;
  EntitySet set;
  set.attempt = true;
  if (topology_.world()) {
    set.closed = true;
    for (std::uint32_t r = 0; r < *topology_.world(); ++r) set.members.push_back(entities_.rank(r));
  } else {
    for (const std::uint32_t r : topology_.named_ranks()) set.members.push_back(entities_.rank(r));
  }
  attempt_ranks_ = add(std::move(set));
  return attempt_ranks_;
}

std::vector<std::uint32_t> EntitySets::placed_on(EntityId node) const {
  const auto it = node_ranks_.find(node);
  return it == node_ranks_.end() ? std::vector<std::uint32_t>() : it->second;
}

std::uint32_t EntitySets::ranks_of_node(EntityId node) {
  if (topology_.left_out(node)) return of_ranks({}, true);
  const bool all_placed = topology_.world() && placed_ >= *topology_.world();
  const std::uint32_t id = of_ranks(placed_on(node), all_placed);
  sets_[id].placed_on = node;
  return id;
}

// Ranks that share a communicator with a node, a GPU (of a node) or a rank.
std::uint32_t EntitySets::comm_ranks_of(EntityId of) {
  if (const auto rank = entities_.rank_number(of)) {
    const bool outside = topology_.world() && *rank >= *topology_.world();
    if (outside || topology_.left_out(topology_.node_of_rank(*rank))) return of_ranks({}, true);
    return comm_ranks({*rank});
  }
  const EntityId node = entities_.node_of(of);
  if (topology_.left_out(node)) return of_ranks({}, true);
  return comm_ranks(placed_on(node));
}

// The union of the communicators of these ranks. One that spans the world is the attempt, whatever
// the others hold, so that ten thousand ranks share one set.
std::uint32_t EntitySets::comm_ranks(const std::vector<std::uint32_t>& ranks) {
  if (topology_.members().empty()) return attempt_ranks();
  std::set<EntityId> comms;
  for (const std::uint32_t rank : ranks) {
    const auto it = topology_.communicators().find(rank);
    if (it != topology_.communicators().end()) comms.insert(it->second.begin(), it->second.end());
  }
  const std::vector<EntityId> key(comms.begin(), comms.end());
  if (const auto it = unions_.find(key); it != unions_.end()) return it->second;
  std::vector<std::uint32_t> all;
  for (const EntityId comm : comms) {
    const auto& members = topology_.members().at(comm);
    if (topology_.world() && members.size() >= *topology_.world()) return attempt_ranks();
    all.insert(all.end(), members.begin(), members.end());
  }
  const std::uint32_t id = of_ranks(std::move(all), false);
  sets_[id].closed = topology_.world() && sets_[id].members.size() >= *topology_.world();
  unions_.emplace(key, id);
  return id;
}

std::uint32_t EntitySets::ranks_of_communicator(EntityId comm) {
  if (topology_.members().empty()) return attempt_ranks();
  const auto it = topology_.members().find(comm);
  if (it == topology_.members().end()) return of_ranks({}, false);
  const bool whole = topology_.world() && it->second.size() >= *topology_.world();
  return of_ranks({it->second.begin(), it->second.end()}, whole);
}

std::uint32_t EntitySets::nodes_of_attempt() {
  EntitySet set;
  set.closed = !topology_.listed_nodes().empty();
  if (set.closed) {
    set.members = topology_.listed_nodes();
  } else {
    for (const EntityId id : topology_.named()) {
      if (entities_[id].kind == EntityKind::Node) set.members.push_back(id);
    }
  }
  std::sort(set.members.begin(), set.members.end(),
            [&](EntityId a, EntityId b) { return entities_.less(a, b); });
  return add(std::move(set));
}

std::uint32_t EntitySets::gpus_of_node(EntityId node) {
  EntitySet set;
  if (topology_.left_out(node)) {
    set.closed = true;
    return add(std::move(set));
  }
  for (const EntityId id : topology_.named()) {
    if (entities_[id].kind == EntityKind::Gpu && entities_.node_of(id) == node) {
      set.members.push_back(id);
    }
  }
  std::sort(set.members.begin(), set.members.end(),
            [&](EntityId a, EntityId b) { return entities_.less(a, b); });
  return add(std::move(set));
}

bool EntitySets::contains_surely(const EntitySet& set, EntityId entity) const {
  return std::binary_search(set.sorted.begin(), set.sorted.end(), entity);
}

Truth EntitySets::contains(std::uint32_t id, EntityId entity) const {
  const EntitySet& set = sets_[id];
  if (!set.known || !entities_.known(entity)) return Truth::Unknown;
  const auto rank = entities_.rank_number(entity);
  if (set.attempt && rank) {
    return set.closed ? model::truth(*rank < *topology_.world()) : Truth::Yes;
  }
  if (contains_surely(set, entity)) return Truth::Yes;
  if (set.closed) return Truth::No;
  if (set.attempt) return Truth::Unknown;
  if (set.placed_on != EntityId::None && rank) {
    const EntityId node = topology_.node_of_rank(*rank);
    if (node != EntityId::None && node != set.placed_on) return Truth::No;
    if (topology_.world() && *rank >= *topology_.world()) return Truth::No;
  }
  return Truth::Unknown;
}

}  // namespace attrib::vm
