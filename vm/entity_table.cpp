#include "vm/entity_table.h"

#include <charconv>
#include <tuple>

#include "model/value.h"

namespace attrib::vm {

using model::EntityKind;

namespace {

std::optional<std::uint32_t> parse_rank(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number == kNone ? std::nullopt : std::optional(number);
}

}  // namespace

bool is_part_of_node(EntityKind kind) {
  return kind == EntityKind::Gpu || kind == EntityKind::Nic || kind == EntityKind::Link ||
         kind == EntityKind::Mount;
}

EntityId EntityTable::intern(EntityKind kind, std::string_view key, bool known) {
  sought_.clear();
  sought_.push_back(static_cast<char>(kind));
  sought_.push_back(known ? 'k' : '?');
  sought_.append(key);
  const auto [it, fresh] = ids_.try_emplace(sought_, static_cast<EntityId>(entities_.size()));
  if (fresh) {
    const bool numbered = known && kind == EntityKind::Rank;
    entities_.push_back({kind, known, std::string(key),
                         numbered ? parse_rank(key).value_or(kNone) : kNone});
  }
  return it->second;
}

EntityId EntityTable::node(std::string_view name) {
  return name.empty() ? EntityId::None : intern(EntityKind::Node, name);
}

EntityId EntityTable::rank(std::uint32_t number) {
  constexpr std::uint32_t kKept = 1U << 20U;
  if (number >= kKept) return intern(EntityKind::Rank, std::to_string(number));
  if (number >= ranks_.size()) ranks_.resize(number + 1, EntityId::None);
  if (ranks_[number] == EntityId::None) {
    const EntityId made = intern(EntityKind::Rank, std::to_string(number));
    ranks_[number] = made;
  }
  return ranks_[number];
}

EntityId EntityTable::unknown(EntityKind kind, std::uint32_t stream) {
  const auto of = static_cast<std::size_t>(kind);
  if (of >= unknown_.size()) unknown_.resize(of + 1);
  if (stream >= unknown_[of].size()) unknown_[of].resize(std::size_t{stream} + 1, EntityId::None);
  EntityId& made = unknown_[of][stream];
  if (made == EntityId::None) made = intern(kind, "?" + std::to_string(stream), false);
  return made;
}

EntityId EntityTable::collective(EntityId communicator, std::int64_t number) {
  if (communicator == EntityId::None) return EntityId::None;
  const Entity& comm = entities_[index_of(communicator)];
  const bool known = comm.known;
  return intern(EntityKind::Collective, comm.key + "/" + std::to_string(number), known);
}

// A PCI address in the one form that keys have; other names of a GPU (UUID, index) as they are.
const std::string& EntityTable::gpu_name(std::string_view text) {
  const auto [it, fresh] = gpu_names_.try_emplace(std::string(text));
  if (!fresh) return it->second;
  const model::Type pci{model::ValueKind::String, model::Reader::Pci, EntityKind::Node, {}};
  const auto read = model::read_strict(pci, text);
  it->second = read ? read->text : std::string(text);
  return it->second;
}

EntityId EntityTable::from_text(EntityKind kind, std::string_view text, EntityId node,
                                std::uint32_t stream) {
  if (kind == EntityKind::Attempt || kind == EntityKind::Job) return intern(kind, "");
  if (text.empty()) return EntityId::None;
  if (kind == EntityKind::Rank) {
    const auto number = parse_rank(text);
    return number ? rank(*number) : EntityId::None;
  }
  if (!is_part_of_node(kind)) return intern(kind, text);
  const std::string name = kind == EntityKind::Gpu ? gpu_name(text) : std::string(text);
  if (known(node)) {
    const std::string key = entities_[index_of(node)].key + "/" + name;
    return intern(kind, key);
  }
  return intern(kind, "?" + std::to_string(stream) + "/" + name, false);
}

EntityId EntityTable::node_of(EntityId id) {
  if (!known(id)) return EntityId::None;
  const Entity& entity = entities_[index_of(id)];
  if (entity.kind == EntityKind::Node) return id;
  if (!is_part_of_node(entity.kind)) return EntityId::None;
  if (index_of(id) >= nodes_.size()) nodes_.resize(entities_.size());
  if (const auto& found = nodes_[index_of(id)]) return *found;
  const std::string name = entity.key.substr(0, entity.key.find('/'));
  const EntityId made = node(name);
  nodes_[index_of(id)] = made;
  return made;
}

EntityId EntityTable::gpu_of_link(EntityId id) {
  if (!known(id)) return EntityId::None;
  const Entity& entity = entities_[index_of(id)];
  const std::size_t slash = entity.key.rfind('/');
  if (entity.kind != EntityKind::Link || slash == entity.key.find('/')) return EntityId::None;
  const std::string key = entity.key.substr(0, slash);
  return intern(EntityKind::Gpu, key);
}

EntityId EntityTable::communicator_of(EntityId id) {
  if (!known(id)) return EntityId::None;
  const Entity& entity = entities_[index_of(id)];
  const std::size_t slash = entity.key.rfind('/');
  if (entity.kind != EntityKind::Collective || slash == std::string::npos) return EntityId::None;
  const std::string key = entity.key.substr(0, slash);
  return intern(EntityKind::Communicator, key);
}

EntityId EntityTable::switch_of(EntityId id) {
  if (!known(id)) return EntityId::None;
  const Entity& entity = entities_[index_of(id)];
  const std::size_t slash = entity.key.rfind('/');
  if (entity.kind != EntityKind::SwitchPort || slash == std::string::npos) return EntityId::None;
  const std::string key = entity.key.substr(0, slash);
  return intern(EntityKind::Switch, key);
}

std::string_view EntityTable::short_name(EntityId id) const {
  const Entity& entity = entities_[index_of(id)];
  const std::string_view key = entity.key;
  const std::size_t slash = key.find('/');
  if (is_part_of_node(entity.kind) && slash != std::string_view::npos) return key.substr(slash + 1);
  return entity.known ? key : std::string_view();
}

bool EntityTable::less(EntityId a, EntityId b) const {
  const Entity& x = entities_[index_of(a)];
  const Entity& y = entities_[index_of(b)];
  return std::tie(x.kind, x.key, x.known) < std::tie(y.kind, y.key, y.known);
}

std::string EntityTable::text(EntityId id) const {
  if (id == EntityId::None) return "unknown";
  const Entity& entity = entities_[index_of(id)];
  const std::string kind(model::word(entity.kind));
  if (!entity.known) return "unknown " + kind;
  return entity.key.empty() ? kind : kind + " " + entity.key;
}

}  // namespace attrib::vm
