#pragma once

// Everything a run holds, stage after stage. The stages of machine.cpp fill it; the interpreter
// reads and writes it.

#include <memory>
#include <string>
#include <vector>

#include "vm/edges.h"
#include "vm/entity_sets.h"
#include "vm/facts.h"
#include "vm/machine.h"
#include "vm/table_index.h"

namespace attrib::vm {

// The texts of a vocabulary's words, as far as asked for.
template <typename T>
class Words {
 public:
  std::int64_t of(T word, TextPool& texts) {
    const auto at = static_cast<std::size_t>(word);
    if (at >= ids_.size()) ids_.resize(at + 1, -1);
    if (ids_[at] < 0) ids_[at] = texts.intern(model::word(word));
    return ids_[at];
  }

 private:
  std::vector<std::int64_t> ids_;
};

struct State {
  State(const program::Program& p, const evidence::Evidence& e, const Budget& b);

  const program::Program& program;
  const evidence::Evidence& evidence;
  const Budget& budget;
  TextPool texts;
  EntityTable entities;
  Topology topology;
  std::unique_ptr<EntitySets> sets;  // Once the topology is resolved.
  FactStore facts;
  std::vector<TableIndex> tables;
  std::vector<Value> constants;
  std::vector<std::int64_t> event_names, symptom_names;  // Texts, by type.
  Words<model::Role> role_words;
  Words<model::Domain> domain_words;
  Words<model::Severity> severity_words;
  EdgeCollector edges;

  std::vector<std::uint32_t> tied;          // Heads of the tied candidates, canonical order.
  std::vector<std::uint32_t> candidate_of;  // By occurrence: which tied candidate, or kNone.
  std::vector<verdict::Ending> endings;
  std::vector<std::string> reports, asks;
  std::vector<verdict::Incomplete> incomplete;
  std::vector<RuleStats> stats;         // By rule.
  Trace* trace = nullptr;               // Filled when there is one.
  bool lists_learned = true;
  std::vector<ExtractedEvent> learned;  // What extracts that learn made of lines, if it is listed.
  std::uint64_t learned_made = 0;
  std::uint64_t symptoms_made = 0;

  std::vector<std::vector<bool>> tagged;  // By text of the program and type, as far as asked for.
  std::uint64_t steps_left = 0;
  bool total_reported = false;

  // Has the symptom type the tag that is that text of the program?
  bool has_tag(std::uint32_t type, std::uint32_t text);
  // The node and rank of a fact: of its entity, else those that printed it.
  EntityId node_of(EntityId entity, EntityId printed);
  std::uint32_t rank_of(EntityId entity, std::uint32_t printed) const;
};

// `{a}` and `{a.node}` of messages.
std::string text_of(State& state, const Value& value);
std::string text_of(State& state, const Occurrence& o);

}  // namespace attrib::vm
