#include "tests/reference/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace attrib::reference {
namespace {

std::string prefix(const std::string& key) { return key.substr(0, key.find('/')); }

// The part before the last slash, if there is one.
std::optional<std::string> parent(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  return key.substr(0, slash);
}

std::string gpu_name(const std::string& text) {
  model::Type pci;
  pci.kind = ValueKind::String;
  pci.reader = model::Reader::Pci;
  const auto read = model::read_strict(pci, text);
  return read ? read->text : text;
}

Set set_of_ranks(const std::set<std::uint32_t>& ranks, bool closed) {
  Set out;
  out.known = true;
  out.closed = closed;
  for (const std::uint32_t rank : ranks) out.members.push_back(rank_entity(rank));
  return out;
}

constexpr std::uint32_t kGreatestWorld = 1U << 20U;  // A greater one is not believed.
constexpr int kAliasSteps = 8;

Set no_set() { return {}; }
Set empty_set() {
  Set out;
  out.known = out.closed = true;
  return out;
}

}  // namespace

bool sits_on_node(EntityKind kind) {
  return kind == EntityKind::Gpu || kind == EntityKind::Nic || kind == EntityKind::Link ||
         kind == EntityKind::Mount;
}

Entity unknown_entity(EntityKind kind, std::uint32_t stream) {
  return {kind, fmt::format("?{}", stream), true};
}

std::optional<std::uint32_t> rank_number(const Entity& e) {
  if (e.unknown || e.kind != EntityKind::Rank) return std::nullopt;
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(e.key.data(), e.key.data() + e.key.size(), n);
  if (error != std::errc() || end != e.key.data() + e.key.size() || n == 0xffffffffU)
    return std::nullopt;
  return n;
}

Entity rank_entity(std::uint32_t rank) {
  return {EntityKind::Rank, fmt::format("{}", rank), false};
}

std::optional<Entity> named(EntityKind kind, const std::string& text, const std::string& node,
                            std::uint32_t stream) {
  if (kind == EntityKind::Attempt || kind == EntityKind::Job) return Entity{kind, "", false};
  if (text.empty()) return std::nullopt;
  if (kind == EntityKind::Rank) {
    const auto n = rank_number({kind, text, false});
    if (!n) return std::nullopt;
    return rank_entity(*n);
  }
  if (!sits_on_node(kind)) return Entity{kind, text, false};
  const std::string name = kind == EntityKind::Gpu ? gpu_name(text) : text;
  if (node.empty()) return Entity{kind, fmt::format("?{}/{}", stream, name), true};
  return Entity{kind, node + "/" + name, false};
}

void World::learn(model::LearnKind kind, const std::vector<Value>& operands) {
  const auto text = [&](std::size_t i) -> std::string {
    if (i >= operands.size()) return "";
    const Value& v = operands[i];
    if (v.kind == ValueKind::Entity) return v.entity.unknown ? "" : v.entity.key;
    if (v.kind == ValueKind::Int) return fmt::format("{}", v.number);
    return v.kind == ValueKind::String ? v.text : "";
  };
  const auto rank = [&](std::size_t i) { return rank_number({EntityKind::Rank, text(i), false}); };
  switch (kind) {
    case model::LearnKind::Address:
      if (!text(0).empty() && !text(1).empty()) address_claims_[text(0)].insert(text(1));
      break;
    case model::LearnKind::Place: {
      if (!rank(0)) break;
      named_ranks_.insert(*rank(0));
      const std::string on = text(1);
      if (!on.empty()) placed_claims_[*rank(0)].insert(on);
      if (operands.size() > 2 && operands[2].kind == ValueKind::Entity &&
          !operands[2].entity.unknown) {
        const std::string key = operands[2].entity.key;
        gpu_claims_[*rank(0)].insert({prefix(key), key.substr(key.find('/') + 1)});
      } else if (operands.size() > 2 && !text(2).empty() && !on.empty()) {
        gpu_claims_[*rank(0)].insert({on, gpu_name(text(2))});
      }
      break;
    }
    case model::LearnKind::World:
      if (!operands.empty() && operands[0].kind == ValueKind::Int && operands[0].number >= 0 &&
          operands[0].number < 0xffffffffLL) {
        world_claims_.insert(static_cast<std::uint32_t>(operands[0].number));
      }
      break;
    case model::LearnKind::Member:
      if (!rank(0) || text(1).empty()) break;
      named_ranks_.insert(*rank(0));
      members_.insert({text(1), *rank(0)});
      break;
    case model::LearnKind::Alias: {
      if (text(0).empty() || operands.size() < 2) break;
      Entity target{EntityKind::Node, text(1), false};
      if (operands[1].kind == ValueKind::Entity) target = operands[1].entity;
      if (target.key.empty() || (target.kind == EntityKind::Node && target.unknown)) break;
      if (target.kind == EntityKind::Node && target.key != text(0))
        node_alias_claims_[text(0)].insert(target);
      if (target.kind == EntityKind::Gpu) gpu_alias_claims_[text(0)].insert(target);
      break;
    }
  }
}

template <typename K, typename V>
std::map<K, V> World::settled(const std::map<K, std::set<V>>& claims) {
  std::map<K, V> out;
  for (const auto& [key, values] : claims) {
    if (values.size() == 1) {
      out.emplace(key, *values.begin());
    } else {
      ++contradictions_;
    }
  }
  return out;
}

void World::settle() {
  for (const evidence::Placement& p : evidence_.workload.placement) {
    named_ranks_.insert(p.rank);
    if (p.node.empty()) continue;
    placed_claims_[p.rank].insert(p.node);
    if (!p.gpu.empty()) gpu_claims_[p.rank].insert({p.node, gpu_name(p.gpu)});
  }
  for (const evidence::Observation& o : evidence_.observations) {
    if (!o.rank) continue;
    named_ranks_.insert(*o.rank);
    if (!o.node.empty()) placed_claims_[*o.rank].insert(o.node);
  }
  if (evidence_.workload.ranks) world_claims_.insert(*evidence_.workload.ranks);

  node_aliases_ = settled(node_alias_claims_);
  gpu_aliases_ = settled(gpu_alias_claims_);
  for (auto& [rank, nodes] : placed_claims_) {
    std::set<std::string> real_names;
    for (const std::string& node : nodes) real_names.insert(real_node(node));
    nodes = real_names;
  }
  for (auto& [address, nodes] : address_claims_) {
    std::set<std::string> real_names;
    for (const std::string& node : nodes) real_names.insert(real_node(node));
    nodes = real_names;
  }
  placed_ = settled(placed_claims_);
  addresses_ = settled(address_claims_);
  std::map<std::uint32_t, std::set<Entity>> gpus;
  for (const auto& [rank, claims] : gpu_claims_) {
    for (const auto& [node, gpu] : claims)
      gpus[rank].insert(real({EntityKind::Gpu, node + "/" + gpu, false}));
  }
  gpus_ = settled(gpus);
  if (world_claims_.size() == 1 && *world_claims_.begin() <= kGreatestWorld)
    world_ = *world_claims_.begin();
  if (world_claims_.size() > 1) ++contradictions_;
  for (const std::string& node : evidence_.workload.nodes)
    name({EntityKind::Node, real_node(node), false});
  for (const evidence::Observation& o : evidence_.observations) {
    if (!o.node.empty()) name({EntityKind::Node, real_node(o.node), false});
  }
  for (const auto& [rank, nodes] : placed_claims_) {
    for (const std::string& node : nodes) name({EntityKind::Node, node, false});
  }
  for (const auto& [rank, claims] : gpus) {
    for (const Entity& gpu : claims) name(gpu);
  }
  for (const auto& [address, nodes] : address_claims_) {
    for (const std::string& node : nodes) name({EntityKind::Node, node, false});
  }
}

void World::name(const Entity& e) {
  if (e.unknown) return;
  if (e.kind == EntityKind::Node || e.kind == EntityKind::Gpu) named_.insert(e);
  if (const auto rank = rank_number(e)) named_ranks_.insert(*rank);
}

// Other names may lead to other names; a few steps end what would go in circles.
std::string World::real_node(const std::string& name) const {
  std::string at = name;
  for (int step = 0; step < kAliasSteps; ++step) {
    const auto next = node_aliases_.find(at);
    if (next == node_aliases_.end()) break;
    at = next->second.key;
  }
  return at;
}

Entity World::real(const Entity& given) const {
  Entity e = given;
  if (e.kind == EntityKind::Node && !e.unknown) return {e.kind, real_node(e.key), false};
  if (!sits_on_node(e.kind)) return e;
  const auto rest = [](const Entity& x) { return x.key.substr(x.key.find('/') + 1); };
  for (int step = 0; step < kAliasSteps && e.kind == EntityKind::Gpu; ++step) {
    const auto next = gpu_aliases_.find(rest(e));
    if (next == gpu_aliases_.end() || next->second.unknown) break;
    e = next->second;
  }
  if (e.unknown) return e;
  return {e.kind, real_node(prefix(e.key)) + "/" + rest(e), false};
}

std::optional<Entity> World::node_of(const Entity& e) const {
  if (e.unknown) return std::nullopt;
  if (e.kind == EntityKind::Node) return e;
  if (sits_on_node(e.kind)) return Entity{EntityKind::Node, prefix(e.key), false};
  if (const auto rank = rank_number(e)) {
    const auto at = placed_.find(*rank);
    if (at != placed_.end()) return Entity{EntityKind::Node, at->second, false};
  }
  return std::nullopt;
}

std::optional<Entity> World::related(const Entity& e, model::Relation relation) const {
  if (e.unknown) return std::nullopt;
  const auto parent_as = [&](EntityKind kind) -> std::optional<Entity> {
    const auto key = parent(e.key);
    if (!key) return std::nullopt;
    return Entity{kind, *key, false};
  };
  switch (relation) {
    case model::Relation::NodeOfGpu:
    case model::Relation::NodeOfRank:
    case model::Relation::NodeOfNic:
    case model::Relation::NodeOfLink:
    case model::Relation::NodeOfMount:
      return node_of(e);
    case model::Relation::GpuOfRank: {
      const auto rank = rank_number(e);
      const auto at = rank ? gpus_.find(*rank) : gpus_.end();
      if (at == gpus_.end()) return std::nullopt;
      return at->second;
    }
    case model::Relation::GpuOfLink:
      if (std::count(e.key.begin(), e.key.end(), '/') < 2) return std::nullopt;
      return parent_as(EntityKind::Gpu);
    case model::Relation::SwitchOfPort:
      return parent_as(EntityKind::Switch);
    case model::Relation::CommOfColl:
      return parent_as(EntityKind::Communicator);
    case model::Relation::NodeOfAddress: {
      const auto at = addresses_.find(e.key);
      if (at != addresses_.end()) return Entity{EntityKind::Node, at->second, false};
      if (address_claims_.contains(e.key) || !is_host(e.key)) return std::nullopt;
      return Entity{EntityKind::Node, real_node(e.key), false};
    }
    case model::Relation::NodeOfPod:  // The evidence does not say.
    case model::Relation::RackOfNode:
      return std::nullopt;
  }
  return std::nullopt;
}

// A name that the header or an observation gives a node, whatever it is an alias of.
bool World::is_host(const std::string& name) const {
  const auto& listed = evidence_.workload.nodes;
  if (std::find(listed.begin(), listed.end(), name) != listed.end()) return true;
  return std::any_of(evidence_.observations.begin(), evidence_.observations.end(),
                     [&](const evidence::Observation& o) { return o.node == name; });
}

std::vector<std::string> World::listed_nodes() const {
  std::set<std::string> nodes;
  for (const std::string& node : evidence_.workload.nodes) nodes.insert(real_node(node));
  return {nodes.begin(), nodes.end()};
}

bool World::left_out(const std::string& node) const {
  const std::vector<std::string> nodes = listed_nodes();
  return !nodes.empty() && std::find(nodes.begin(), nodes.end(), node) == nodes.end();
}

Set World::ranks_of_attempt() const {
  std::set<std::uint32_t> all = named_ranks_;
  if (world_) {
    all.clear();
    for (std::uint32_t rank = 0; rank < *world_; ++rank) all.insert(rank);
  }
  Set out = set_of_ranks(all, world_.has_value());
  out.attempt = true;
  return out;
}

Set World::ranks_of_node(const std::string& node) const {
  if (left_out(node)) return empty_set();
  std::set<std::uint32_t> ranks;
  for (const auto& [rank, on] : placed_) {
    if (on == node) ranks.insert(rank);
  }
  Set out = set_of_ranks(ranks, world_ && placed_.size() >= *world_);
  out.placed_on = node;
  return out;
}

// Everyone who shares a communicator with one of these. A communicator as large as the world is the
// attempt.
Set World::peers_of(const std::set<std::uint32_t>& ranks) const {
  if (members_.empty()) return ranks_of_attempt();
  std::set<std::uint32_t> peers;
  for (const auto& [comm, rank] : members_) {
    if (!ranks.contains(rank)) continue;
    std::set<std::uint32_t> of_this;
    for (const auto& [other, peer] : members_) {
      if (other == comm) of_this.insert(peer);
    }
    if (world_ && of_this.size() >= *world_) return ranks_of_attempt();
    peers.insert(of_this.begin(), of_this.end());
  }
  return set_of_ranks(peers, world_ && peers.size() >= *world_);
}

Set World::comm_ranks(const Entity& of) const {
  std::set<std::uint32_t> ranks;
  if (const auto rank = rank_number(of)) {
    if (world_ && *rank >= *world_) return empty_set();
    const auto on = node_of(of);
    if (on && left_out(on->key)) return empty_set();
    return peers_of({*rank});
  }
  const auto node = node_of(of);
  if (!node || left_out(node->key)) return empty_set();
  for (const auto& [rank, on] : placed_) {
    if (on == node->key) ranks.insert(rank);
  }
  return peers_of(ranks);
}

Set World::ranks_of_comm(const std::string& comm) const {
  if (members_.empty()) return ranks_of_attempt();
  std::set<std::uint32_t> ranks;
  for (const auto& [name, rank] : members_) {
    if (name == comm) ranks.insert(rank);
  }
  return set_of_ranks(ranks, world_ && !ranks.empty() && ranks.size() >= *world_);
}

Set World::all_named(EntityKind kind) const {
  Set out;
  out.known = true;
  for (const Entity& e : named_) {
    if (e.kind == kind) out.members.push_back(e);
  }
  return out;
}

Set World::set_of(const Entity& e, model::SetKind kind) const {
  if (e.unknown) return no_set();
  switch (kind) {
    case model::SetKind::RanksOfNode:
      return ranks_of_node(e.key);
    case model::SetKind::CommRanksOfNode:
    case model::SetKind::CommRanksOfGpu:
    case model::SetKind::CommRanksOfRank:
      return comm_ranks(e);
    case model::SetKind::RanksOfComm:
      return ranks_of_comm(e.key);
    case model::SetKind::RanksOfColl:
      return ranks_of_comm(parent(e.key).value_or(""));
    case model::SetKind::RanksOfAttempt:
      return ranks_of_attempt();
    case model::SetKind::NodesOfAttempt: {
      if (listed_nodes().empty()) return all_named(EntityKind::Node);
      Set out = empty_set();
      for (const std::string& node : listed_nodes())
        out.members.push_back({EntityKind::Node, node, false});
      return out;
    }
    case model::SetKind::GpusOfNode: {
      if (left_out(e.key)) return empty_set();
      Set out = all_named(EntityKind::Gpu);
      std::erase_if(out.members, [&](const Entity& gpu) { return prefix(gpu.key) != e.key; });
      return out;
    }
    case model::SetKind::NodesOfRack: {
      Set open;  // Nothing in the evidence says who stands where.
      open.known = true;
      return open;
    }
  }
  return no_set();
}

Truth World::contains(const Set& set, const Entity& e) const {
  if (!set.known || e.unknown) return Truth::Unknown;
  if (std::find(set.members.begin(), set.members.end(), e) != set.members.end()) return Truth::Yes;
  if (set.closed) return Truth::No;
  const auto rank = rank_number(e);
  if (set.attempt && rank) return Truth::Yes;
  if (set.placed_on.empty() || !rank) return Truth::Unknown;
  const auto node = node_of(e);
  const bool elsewhere = node && node->key != set.placed_on;
  return elsewhere || (world_ && *rank >= *world_) ? Truth::No : Truth::Unknown;
}

}  // namespace attrib::reference
