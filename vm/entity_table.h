#pragma once

// Entities: what facts are about. Each (kind, key) once; docs/semantics.md, "2. Events", has the
// keys.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/vocabulary.h"
#include "vm/value.h"

namespace attrib::vm {

struct Entity {
  model::EntityKind kind = model::EntityKind::Attempt;
  bool known = true;  // Else "an unknown X": equal to itself only, and any comparison is Unknown.
  std::string key;
  std::uint32_t rank = 0xffffffff;  // The number of a known rank.
};

class EntityTable {
 public:
  EntityId intern(model::EntityKind kind, std::string_view key, bool known = true);
  [[nodiscard]] const Entity& operator[](EntityId id) const { return entities_[index_of(id)]; }
  [[nodiscard]] std::size_t size() const { return entities_.size(); }
  [[nodiscard]] bool known(EntityId id) const {
    return id != EntityId::None && entities_[index_of(id)].known;
  }

  EntityId attempt() { return intern(model::EntityKind::Attempt, ""); }
  EntityId node(std::string_view name);  // None for the empty name.
  EntityId rank(std::uint32_t number);
  EntityId unknown(model::EntityKind kind, std::uint32_t stream);
  EntityId collective(EntityId communicator, std::int64_t number);
  // What a capture or field of that kind means on this node in this stream. None: not such a name.
  EntityId from_text(model::EntityKind kind, std::string_view text, EntityId node,
                     std::uint32_t stream);

  // By key: the node of a Gpu, Nic, Link or Mount (a Node's is itself), the Gpu of a Link, the
  // Communicator of a Collective, the Switch of a SwitchPort. None if unknown.
  EntityId node_of(EntityId id);
  EntityId gpu_of_link(EntityId id);
  EntityId communicator_of(EntityId id);
  EntityId switch_of(EntityId id);
  [[nodiscard]] std::optional<std::uint32_t> rank_number(EntityId id) const {
    if (id == EntityId::None || entities_[index_of(id)].rank == kNone) return std::nullopt;
    return entities_[index_of(id)].rank;
  }

  // The part of the key that names it on its node: "0000:04:00" of the GPU "node-b/0000:04:00".
  [[nodiscard]] std::string_view short_name(EntityId id) const;
  // Canonical order: by kind, then key.
  [[nodiscard]] bool less(EntityId a, EntityId b) const;
  // "node node-b", "rank 3", "attempt", "unknown gpu"
  [[nodiscard]] std::string text(EntityId id) const;

 private:
  const std::string& gpu_name(std::string_view text);

  std::vector<Entity> entities_;
  std::unordered_map<std::string, EntityId> ids_;
  std::string sought_;  // Of intern().
  std::unordered_map<std::string, std::string> gpu_names_;
  std::vector<EntityId> ranks_;  // By number, as far as asked for.
  std::vector<std::vector<EntityId>> unknown_;  // By kind and stream, the same.
  // By id, as far as asked for: joins ask for the node of every pair.
  std::vector<std::optional<EntityId>> nodes_;
};

// Is a key of this kind NODE/REST?
bool is_part_of_node(model::EntityKind kind);

}  // namespace attrib::vm
