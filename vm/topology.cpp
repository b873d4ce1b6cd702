#include "vm/topology.h"

#include <algorithm>

namespace attrib::vm {

using model::EntityKind;
using model::LearnKind;
using model::Relation;

namespace {
constexpr int kMaxAliasSteps = 8;
}

Topology::Topology(const evidence::Evidence& evidence, EntityTable& entities)
    : evidence_(evidence), entities_(entities) {}

void Topology::resolve() {
  resolve_aliases();
  const evidence::Workload& job = evidence_.workload;
  for (const std::string& name : job.nodes) {
    const EntityId node = canonical(entities_.node(name));
    if (node == EntityId::None) continue;
    listed_nodes_.push_back(node);
    named_.insert(node);
    hosts_.emplace(name, node);
  }
  std::sort(listed_nodes_.begin(), listed_nodes_.end());
  listed_nodes_.erase(std::unique(listed_nodes_.begin(), listed_nodes_.end()), listed_nodes_.end());
  if (job.ranks) worlds_.add(0, *job.ranks);
  for (const evidence::Placement& p : job.placement) {
    const EntityId node = entities_.node(p.node);
    const EntityId gpu =
        p.gpu.empty() ? EntityId::None : entities_.from_text(EntityKind::Gpu, p.gpu, node, 0);
    place(p.rank, node, gpu);
  }
  std::uint32_t last_stream = kNone;  // Observations come by stream, which has one node and rank.
  for (const evidence::Observation& o : evidence_.observations) {
    if (o.stream == last_stream) continue;
    last_stream = o.stream;
    const EntityId node = canonical(entities_.node(o.node));
    name(node);
    if (entities_.known(node)) hosts_.emplace(o.node, node);
    if (!o.rank) continue;
    named_ranks_.insert(*o.rank);
    if (!o.node.empty()) place(*o.rank, entities_.node(o.node), EntityId::None);
  }
  for (const Learned& fact : learned_) apply(fact);
  const auto world = worlds_.find(0);
  if (world && *world <= kMaxWorld) world_ = world;
  for (const auto& [rank, node] : rank_node_.all()) {
    if (!node || rank >= kMaxWorld) continue;
    if (rank >= node_of_rank_.size()) node_of_rank_.resize(rank + 1, EntityId::None);
    node_of_rank_[rank] = *node;
  }
}

// Alias facts come in any order and may point at one another, so they are all taken first and
// followed when asked.
void Topology::resolve_aliases() {
  for (const Learned& fact : learned_) {
    if (fact.kind != LearnKind::Alias) continue;
    const Entity& target = entities_[fact.target];
    if (target.kind == EntityKind::Node && target.key != fact.name) {
      node_aliases_.add(fact.name, fact.target);
    }
    if (target.kind == EntityKind::Gpu) gpu_aliases_.add(fact.name, fact.target);
  }
}

void Topology::place(std::uint32_t rank, EntityId node, EntityId gpu) {
  named_ranks_.insert(rank);
  node = canonical(node);
  gpu = canonical(gpu);
  if (entities_.known(node)) {
    name(node);
    rank_node_.add(rank, node);
  }
  if (entities_.known(gpu)) {
    name(gpu);
    rank_gpu_.add(rank, gpu);
  }
}

void Topology::apply(const Learned& fact) {
  const EntityId target = canonical(fact.target);
  switch (fact.kind) {
    case LearnKind::Address:
      name(target);
      addresses_.add(fact.name, target);
      break;
    case LearnKind::Place:
      place(fact.number, target, fact.gpu);
      break;
    case LearnKind::World:
      worlds_.add(0, fact.number);
      break;
    case LearnKind::Member:
      named_ranks_.insert(fact.number);
      members_[target].insert(fact.number);
      communicators_[fact.number].insert(target);
      break;
    case LearnKind::Alias:
      break;
  }
}

EntityId Topology::canonical_node(EntityId id) const {
  for (int step = 0; step < kMaxAliasSteps; ++step) {
    const auto next = node_aliases_.find(entities_[id].key);
    if (!next) return id;
    id = *next;
  }
  return id;
}

EntityId Topology::canonical(EntityId id) {
  if (!entities_.known(id)) {
    // A GPU of an unknown node may still be known by its alias.
    if (id == EntityId::None || entities_[id].kind != EntityKind::Gpu) return id;
    const auto gpu = gpu_aliases_.find(std::string(entities_.short_name(id)));
    return gpu && entities_.known(*gpu) ? canonical(*gpu) : id;
  }
  const EntityKind kind = entities_[id].kind;
  if (kind == EntityKind::Node) return canonical_node(id);
  if (!is_part_of_node(kind)) return id;
  if (kind == EntityKind::Gpu) {
    for (int step = 0; step < kMaxAliasSteps; ++step) {
      const auto next = gpu_aliases_.find(std::string(entities_.short_name(id)));
      if (!next || !entities_.known(*next)) break;
      id = *next;
    }
  }
  const EntityId node = entities_.node_of(id);
  const EntityId other = node == EntityId::None ? node : canonical_node(node);
  if (other == node) return id;
  const std::string key = entities_[other].key + "/" + std::string(entities_.short_name(id));
  return entities_.intern(kind, key);
}

void Topology::name(EntityId id) {
  if (!entities_.known(id)) return;
  const EntityKind kind = entities_[id].kind;
  if (kind == EntityKind::Node || kind == EntityKind::Gpu) named_.insert(id);
  if (const auto rank = entities_.rank_number(id)) named_ranks_.insert(*rank);
}

EntityId Topology::node_of_rank(std::uint32_t rank) const {
  if (rank >= kMaxWorld) return rank_node_.find(rank).value_or(EntityId::None);
  return rank < node_of_rank_.size() ? node_of_rank_[rank] : EntityId::None;
}

EntityId Topology::gpu_of_rank(std::uint32_t rank) const {
  return rank_gpu_.find(rank).value_or(EntityId::None);
}

EntityId Topology::node_of_address(const std::string& address) const {
  if (addresses_.contains(address)) return addresses_.find(address).value_or(EntityId::None);
  const auto host = hosts_.find(address);
  return host == hosts_.end() ? EntityId::None : host->second;
}

EntityId Topology::node_of(EntityId id) {
  if (const auto rank = entities_.rank_number(id)) return node_of_rank(*rank);
  return entities_.node_of(id);
}

EntityId Topology::relate(Relation relation, EntityId id) {
  if (!entities_.known(id)) return EntityId::None;
  switch (relation) {
    case Relation::NodeOfGpu:
    case Relation::NodeOfNic:
    case Relation::NodeOfLink:
    case Relation::NodeOfMount:
    case Relation::NodeOfRank:
      return node_of(id);
    case Relation::GpuOfRank: {
      const auto rank = entities_.rank_number(id);
      return rank ? gpu_of_rank(*rank) : EntityId::None;
    }
    case Relation::GpuOfLink:
      return entities_.gpu_of_link(id);
    case Relation::SwitchOfPort:
      return entities_.switch_of(id);
    case Relation::CommOfColl:
      return entities_.communicator_of(id);
    case Relation::NodeOfAddress:
      return node_of_address(entities_[id].key);
    case Relation::NodeOfPod:  // Nothing in the evidence says.
    case Relation::RackOfNode:
      return EntityId::None;
  }
  return EntityId::None;
}

bool Topology::left_out(EntityId node) const {
  return node != EntityId::None && !listed_nodes_.empty() &&
         !std::binary_search(listed_nodes_.begin(), listed_nodes_.end(), node);
}

std::uint64_t Topology::contradictions() const {
  return node_aliases_.contradictions() + gpu_aliases_.contradictions() +
         addresses_.contradictions() + rank_node_.contradictions() + rank_gpu_.contradictions() +
         worlds_.contradictions();
}

}  // namespace attrib::vm
