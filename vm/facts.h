#pragma once

// The facts of a run: events, emissions (symptoms before folding) and occurrences (after it), with
// the indexes that rules scan.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "program/program.h"
#include "vm/entity_table.h"
#include "vm/value.h"

namespace attrib::vm {

// The built-in event's place among observations: after all of them.
constexpr std::uint32_t kWorkloadObservation = kNone - 1;

struct Event {
  std::uint32_t type = 0;
  std::uint32_t observation = 0;
  std::uint32_t extract = kNone;
  std::uint32_t stream = 0;
  EntityId entity = EntityId::None;
  EntityId node = EntityId::None;
  std::uint32_t rank = kNone;
  model::Family family = model::Family::Application;
  std::uint32_t fields = 0;  // Offset into FactStore::event_values.
  model::Moment seen, begin;
};

// What an emission says of itself beside its fields; the type's own words where it says nothing.
struct Meta {
  model::Role role = model::Role::Victim;
  model::Domain domain = model::Domain::Unattributed;
  model::Severity severity = model::Severity::Error;
  model::Retry retry = model::Retry::Unknown;
  bool accuses = false;
  bool unknown_part = false;  // About an unknown GPU, NIC, link or mount: of its node.
  std::int64_t action = 0;    // Texts of the pool.
  std::int64_t title = 0;
};

struct Absence {
  std::int64_t type = 0;  // Text: the name of the type that was looked for.
  EntityId of = EntityId::None;
  model::Nanos from = 0, to = 0;
  bool covered = false;
};

// An observation in the order in which evidence is listed: known times first, then by time.
struct EvidenceKey {
  bool unknown = true;
  model::Nanos seen = 0;
  std::uint32_t observation = 0;
  friend auto operator<=>(const EvidenceKey&, const EvidenceKey&) = default;
};

constexpr std::size_t kKeptEvidence = 8;
constexpr std::size_t kKeptInputs = 64;

struct EvidenceList {
  std::vector<EvidenceKey> first;  // Sorted, unique, at most kKeptEvidence.
  bool truncated = false;
  void add(const EvidenceList& other);
  void add(const EvidenceKey& key);
  void settle();  // Restores the order and the limit after add().
};

// What only inferred facts have.
struct Inferred {
  EvidenceList evidence;
  std::vector<std::uint32_t> inputs;    // Occurrences, sorted, at most kKeptInputs.
  std::vector<std::uint32_t> extracts;  // Of events read.
  std::vector<Absence> absences;
  model::Moment begin, seen;
};

// A symptom that a rule emitted, before folding. There may be one for each event, so what the event
// says is not said again.
struct Emission {
  std::uint32_t type = 0;
  std::uint32_t rule = 0;
  std::uint32_t event = kNone;     // Decode: of what.
  std::uint32_t inferred = kNone;  // Else index into FactStore::inferred.
  std::uint32_t stream = 0;
  EntityId entity = EntityId::None;
  EntityId node = EntityId::None;
  std::uint32_t rank = kNone;
  std::uint32_t fields = 0;     // Offset into FactStore::emitted_values.
  std::uint32_t begin = kNone;  // Index into FactStore::emitted_begins; else the event's.
  std::uint64_t sequence = 0;
  std::int64_t table_row = -1;  // Text: place of the row looked up.
  model::Band credence = model::Band::Hint;
  Meta meta;
};

// A burst of equal symptoms: what rules read and the verdict lists.
struct Occurrence {
  std::uint32_t type = 0;
  std::uint32_t rule = 0;
  std::uint32_t stream = 0;
  EntityId entity = EntityId::None;
  EntityId node = EntityId::None;
  std::uint32_t rank = kNone;
  bool from_decode = false;
  std::uint8_t families = 0;  // Bits.
  model::Band credence = model::Band::Hint;
  Meta meta;
  model::Moment begin, last, seen;
  std::uint64_t count = 1;
  std::int64_t table_row = -1;
  std::vector<Value> fields;
  EvidenceList evidence;
  std::vector<std::uint32_t> inputs;    // Occurrences.
  std::vector<std::uint32_t> extracts;  // Sorted.
  std::vector<Absence> absences;
};

class FactStore {
 public:
  FactStore(const program::Program& program, const evidence::Evidence& evidence,
            EntityTable& entities, TextPool& texts);

  std::vector<Event> events;
  std::vector<Value> event_values;
  [[nodiscard]] std::span<const Value> fields_of(const Event& e) const {
    return std::span(event_values).subspan(e.fields, program_.events[e.type].fields.size());
  }
  std::vector<std::vector<std::uint32_t>> events_of;  // By type, canonical order.
  void index_events();

  std::vector<Emission> emissions;  // Of the stage that runs.
  std::vector<Value> emitted_values;
  std::vector<model::Moment> emitted_begins;
  std::vector<Inferred> inferred;

  std::vector<Occurrence> occurrences;  // Canonical order: an index is a place in it.
  std::vector<std::vector<std::uint32_t>> occurrences_of;  // By type.
  std::vector<std::uint32_t> all;                          // Every index.
  [[nodiscard]] const model::Moment& begin_of(const Emission& e) const {
    if (e.begin != kNone) return emitted_begins[e.begin];
    return e.event != kNone ? events[e.event].begin : inferred[e.inferred].begin;
  }
  [[nodiscard]] const model::Moment& seen_of(const Emission& e) const {
    return e.event != kNone ? events[e.event].seen : inferred[e.inferred].seen;
  }

  // Adds what fold() made, restores the canonical order and renumbers inputs.
  void add_occurrences(std::vector<Occurrence> fresh);

  [[nodiscard]] EvidenceKey evidence_key(std::uint32_t observation) const;
  [[nodiscard]] const model::Moment& seen_of(std::uint32_t observation) const;
  // What the observation stands for: itself, or some repeats of which it is the last.
  [[nodiscard]] evidence::Repeats repeats_of(std::uint32_t observation) const;
  [[nodiscard]] evidence::Repeats repeats_of(const Emission& e) const {
    return e.event != kNone ? repeats_of(events[e.event].observation) : evidence::Repeats{};
  }
  [[nodiscard]] bool has_repeats() const { return !evidence_.repeats.empty(); }
  // With all that they stand for.
  [[nodiscard]] std::uint64_t count_events() const;
  // Ids of an observation; those of the built-in event are "workload".
  [[nodiscard]] std::vector<std::string> ids_of(std::uint32_t observation) const;
  [[nodiscard]] std::string field_text(const model::Field& field, const Value& value) const;
  // At most four ids of each observation.
  [[nodiscard]] std::vector<std::string> evidence_ids(const EvidenceList& list,
                                                      bool* truncated) const;

  model::Moment workload_end;

 private:
  [[nodiscard]] bool less(const Occurrence& a, const Occurrence& b) const;

  const program::Program& program_;
  const evidence::Evidence& evidence_;
  EntityTable& entities_;
  TextPool& texts_;
  std::vector<std::string> workload_ids_{"workload"};
};

constexpr std::uint8_t family_bit(model::Family family) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(family));
}
constexpr model::Band blame_of(const Occurrence& o) {
  return std::min(o.credence, model::role_cap(o.meta.role));
}
// By how long its repeats widen a window.
model::Nanos repeats_of(const Occurrence& o);

// A value for people and for JSON: entities by the name they have on their node.
model::Constant constant_of(const Value& value, const EntityTable& entities, const TextPool& texts);

}  // namespace attrib::vm
