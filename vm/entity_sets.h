#pragma once

// The sets that an entity spans (`c.node.comm_ranks`), made when first asked for and shared.

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "model/attribute.h"
#include "model/truth.h"
#include "vm/topology.h"

namespace attrib::vm {

struct EntitySet {
  bool known =
      true;  // False: of a null or unknown entity; holds nobody, and membership is Unknown.
  bool closed = false;                  // All members are known.
  bool attempt = false;                 // The attempt's ranks: of an unknown world any rank is one.
  EntityId placed_on = EntityId::None;  // Ranks of a node: a rank placed elsewhere is not one.
  std::vector<EntityId> members;        // Known ones: ranks by number, others by key.
  std::vector<EntityId> sorted;         // The same by id.
};

class EntitySets {
 public:
  EntitySets(EntityTable& entities, Topology& topology);

  // Index of the set for operator[].
  std::uint32_t make(model::SetKind kind, EntityId of);
  const EntitySet& operator[](std::uint32_t id) const { return sets_[id]; }
  [[nodiscard]] model::Truth contains(std::uint32_t id, EntityId entity) const;
  [[nodiscard]] bool contains_surely(const EntitySet& set, EntityId entity) const;

 private:
  std::uint32_t add(EntitySet set);
  std::uint32_t build(model::SetKind kind, EntityId of);
  std::uint32_t of_ranks(std::vector<std::uint32_t> ranks, bool closed);
  std::uint32_t attempt_ranks();
  std::uint32_t ranks_of_node(EntityId node);
  std::uint32_t comm_ranks(const std::vector<std::uint32_t>& ranks);
  std::uint32_t comm_ranks_of(EntityId of);
  std::uint32_t ranks_of_communicator(EntityId comm);
  std::uint32_t nodes_of_attempt();
  std::uint32_t gpus_of_node(EntityId node);
  [[nodiscard]] std::vector<std::uint32_t> placed_on(EntityId node) const;

  EntityTable& entities_;
  Topology& topology_;
  std::deque<EntitySet> sets_;
  // By kind and entity (0: none), as far as asked for: joins ask for the sets of every pair.
  std::vector<std::vector<std::uint32_t>> made_;
  std::map<std::vector<EntityId>, std::uint32_t> unions_;  // By communicators: most ranks share.
  std::map<EntityId, std::vector<std::uint32_t>> node_ranks_;
  std::uint32_t attempt_ranks_ = kNone;
  std::uint32_t placed_ = 0;
};

}  // namespace attrib::vm
