#pragma once

// What the evidence says about who is where: placement, addresses, aliases, communicators, world.
// Learned facts have no time; two values for one key cancel to unknown and are counted.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "model/attribute.h"
#include "vm/entity_table.h"

namespace attrib::vm {

// A key's one value, or none once two facts disagree.
template <typename Key, typename T>
class Claims {
 public:
  void add(const Key& key, const T& value) {
    const auto [it, fresh] = claims_.try_emplace(key, value);
    if (!fresh && it->second.has_value() && *it->second != value) {
      it->second.reset();
      ++contradictions_;
    }
  }
  [[nodiscard]] bool contains(const Key& key) const { return claims_.contains(key); }
  [[nodiscard]] std::optional<T> find(const Key& key) const {
    const auto it = claims_.find(key);
    return it == claims_.end() ? std::nullopt : it->second;
  }
  [[nodiscard]] std::uint64_t contradictions() const { return contradictions_; }
  [[nodiscard]] const std::map<Key, std::optional<T>>& all() const { return claims_; }

 private:
  std::map<Key, std::optional<T>> claims_;
  std::uint64_t contradictions_ = 0;
};

// One `learn`, before aliases are known.
struct Learned {
  model::LearnKind kind = model::LearnKind::World;
  std::string name;                  // Address, alias
  std::uint32_t number = 0;          // Rank, world
  EntityId target = EntityId::None;  // Node, GPU or communicator
  EntityId gpu = EntityId::None;     // Place
};

class Topology {
 public:
  static constexpr std::uint32_t kMaxWorld = 1U << 20U;  // A greater world is not believed.

  Topology(const evidence::Evidence& evidence, EntityTable& entities);

  void learn(Learned fact) { learned_.push_back(std::move(fact)); }
  // After the last learn(): aliases first, then everything else by canonical names.
  void resolve();

  // The entity that this one is, by aliases of nodes and GPUs.
  EntityId canonical(EntityId id);
  // Facts name this entity (ranks and nodes "that the evidence names").
  void name(EntityId id);

  [[nodiscard]] std::optional<std::uint32_t> world() const { return world_; }
  [[nodiscard]] EntityId node_of_rank(std::uint32_t rank) const;
  [[nodiscard]] EntityId gpu_of_rank(std::uint32_t rank) const;
  // As told, else the node of that name: programs that resolve names print them for addresses.
  [[nodiscard]] EntityId node_of_address(const std::string& address) const;
  // Node of an entity: by its key or, for a rank, its place.
  EntityId node_of(EntityId id);
  EntityId relate(model::Relation relation, EntityId id);

  // Does the header's node list leave this node out? Without a list nothing is left
  // out, nor is an unknown node.
  [[nodiscard]] bool left_out(EntityId node) const;
  [[nodiscard]] const std::vector<EntityId>& listed_nodes() const { return listed_nodes_; }
  [[nodiscard]] const std::set<std::uint32_t>& named_ranks() const { return named_ranks_; }
  [[nodiscard]] const std::set<EntityId>& named() const { return named_; }  // Nodes and GPUs.
  [[nodiscard]] const std::map<std::uint32_t, std::optional<EntityId>>& places() const {
    return rank_node_.all();
  }
  // Members by communicator; communicators by rank. Empty: no member fact at all.
  [[nodiscard]] const std::map<EntityId, std::set<std::uint32_t>>& members() const {
    return members_;
  }
  [[nodiscard]] const std::map<std::uint32_t, std::set<EntityId>>& communicators() const {
    return communicators_;
  }
  [[nodiscard]] std::uint64_t contradictions() const;

 private:
  void resolve_aliases();
  void place(std::uint32_t rank, EntityId node, EntityId gpu);
  void apply(const Learned& fact);
  EntityId canonical_node(EntityId id) const;

  const evidence::Evidence& evidence_;
  EntityTable& entities_;
  std::vector<Learned> learned_;
  Claims<std::string, EntityId> node_aliases_, gpu_aliases_, addresses_;
  Claims<std::uint32_t, EntityId> rank_node_, rank_gpu_;
  std::vector<EntityId> node_of_rank_;  // rank_node_ once resolved, of ranks below kMaxWorld.
  Claims<int, std::uint32_t> worlds_;
  std::optional<std::uint32_t> world_;
  std::vector<EntityId> listed_nodes_;  // Sorted by id.
  std::set<std::uint32_t> named_ranks_;
  std::set<EntityId> named_;
  std::map<std::string, EntityId> hosts_;  // As the header and the observations call them.
  std::map<EntityId, std::set<std::uint32_t>> members_;
  std::map<std::uint32_t, std::set<EntityId>> communicators_;
};

}  // namespace attrib::vm
