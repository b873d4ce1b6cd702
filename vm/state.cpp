#include "vm/state.h"

#include <algorithm>

namespace attrib::vm {

using model::EntityKind;
using model::ValueKind;

State::State(const program::Program& p, const evidence::Evidence& e, const Budget& b)
    : program(p),
      evidence(e),
      budget(b),
      topology(e, entities),
      facts(p, e, entities, texts),
      edges(b.causes_per_effect, b.edges),
      steps_left(b.total_steps) {
  for (const model::Table& table : p.tables) tables.emplace_back(table);
  for (const model::Constant& c : p.constants) constants.push_back(texts.value(c));
  for (const model::EventType& type : p.events) event_names.push_back(texts.intern(type.name));
  for (const model::SymptomType& type : p.symptoms) {
    symptom_names.push_back(texts.intern(type.name));
  }
  for (const program::Rule& rule : p.rules) stats.push_back({rule.name, 0, 0});
}

bool State::has_tag(std::uint32_t type, std::uint32_t text) {
  if (tagged.empty()) tagged.resize(program.texts.size());
  std::vector<bool>& of_text = tagged[text];
  if (of_text.empty()) {
    for (const model::SymptomType& each : program.symptoms) {
      of_text.push_back(std::ranges::find(each.tags, program.texts[text]) != each.tags.end());
    }
  }
  return of_text[type];
}

EntityId State::node_of(EntityId entity, EntityId printed) {
  const EntityId own = topology.node_of(entity);
  return own != EntityId::None ? own : printed;
}

std::uint32_t State::rank_of(EntityId entity, std::uint32_t printed) const {
  return entities.rank_number(entity).value_or(printed);
}

std::string text_of(State& state, const Value& value) {
  if (value.null()) return "unknown";
  if (!value.is(ValueKind::Entity)) {
    return model::to_text(constant_of(value, state.entities, state.texts));
  }
  const EntityId id = value.entity();
  const Entity& entity = state.entities[id];
  if (!entity.known) return "unknown";
  if (entity.kind == EntityKind::Attempt || entity.kind == EntityKind::Job) return "the job";
  return entity.kind == EntityKind::Rank ? "rank " + entity.key : entity.key;
}

std::string text_of(State& state, const Occurrence& o) {
  const std::string& name = state.program.symptoms[o.type].name;
  if (!state.entities.known(o.entity)) return name;
  return name + " at " + text_of(state, entity_value(o.entity));
}

}  // namespace attrib::vm
