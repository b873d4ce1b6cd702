#pragma once

// What is known of the attempt beside events: placement, addresses, other names, communicators, how
// many ranks. Facts that contradict one another cancel.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "tests/reference/value.h"

namespace attrib::reference {

// "A node", as a key prefix.
bool sits_on_node(EntityKind kind);
Entity unknown_entity(EntityKind kind, std::uint32_t stream);
std::optional<std::uint32_t> rank_number(const Entity& e);
Entity rank_entity(std::uint32_t rank);

// What `text` names when it is read as an entity of that kind in a line of `node` (empty: not
// known).
std::optional<Entity> named(EntityKind kind, const std::string& text, const std::string& node,
                            std::uint32_t stream);

class World {
 public:
  explicit World(const evidence::Evidence& evidence) : evidence_(evidence) {}

  // Learned facts, as they come from extracts.
  void learn(model::LearnKind kind, const std::vector<Value>& operands);
  // After all of them: cancels what contradicts.
  void settle();

  [[nodiscard]] std::string real_node(const std::string& name) const;
  [[nodiscard]] Entity real(const Entity& e) const;  // Other names replaced.
  void name(const Entity& e);                        // The evidence names it; after settle().
  [[nodiscard]] std::uint64_t contradictions() const { return contradictions_; }

  [[nodiscard]] std::optional<Entity> node_of(const Entity& e) const;
  [[nodiscard]] std::optional<Entity> related(const Entity& e, model::Relation relation) const;
  [[nodiscard]] Set set_of(const Entity& e, model::SetKind kind) const;
  [[nodiscard]] Truth contains(const Set& set, const Entity& e) const;
  [[nodiscard]] bool left_out(const std::string& node) const;  // By the header's node list.

 private:
  template <typename K, typename V>
  std::map<K, V> settled(const std::map<K, std::set<V>>& claims);
  [[nodiscard]] Set ranks_of_attempt() const;
  [[nodiscard]] Set ranks_of_node(const std::string& node) const;
  [[nodiscard]] Set peers_of(const std::set<std::uint32_t>& ranks) const;
  [[nodiscard]] Set comm_ranks(const Entity& of) const;
  [[nodiscard]] Set all_named(EntityKind kind) const;
  [[nodiscard]] Set ranks_of_comm(const std::string& comm) const;
  [[nodiscard]] std::vector<std::string> listed_nodes() const;
  [[nodiscard]] bool is_host(const std::string& name) const;

  const evidence::Evidence& evidence_;
  std::map<std::uint32_t, std::set<std::string>> placed_claims_;
  std::map<std::uint32_t, std::set<std::pair<std::string, std::string>>> gpu_claims_;  // node, GPU
  std::map<std::string, std::set<std::string>> address_claims_;
  std::map<std::string, std::set<Entity>> node_alias_claims_, gpu_alias_claims_;
  std::set<std::uint32_t> world_claims_;
  std::set<std::pair<std::string, std::uint32_t>> members_;
  std::set<std::uint32_t> named_ranks_;

  std::map<std::uint32_t, std::string> placed_;
  std::map<std::uint32_t, Entity> gpus_;
  std::map<std::string, std::string> addresses_;
  std::map<std::string, Entity> node_aliases_, gpu_aliases_;
  std::set<Entity> named_;  // Nodes and GPUs.
  std::optional<std::uint32_t> world_;
  std::uint64_t contradictions_ = 0;
};

}  // namespace attrib::reference
