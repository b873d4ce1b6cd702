#pragma once

// What facts look like: event and symptom types. Shared by the typed IR, the program and everything that runs it.

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "model/time.h"
#include "model/type.h"
#include "model/vocabulary.h"

namespace attrib::model {

struct Field {
  std::string name;
  Type type;
  bool optional = false;
  Span span;  // Of its declaration; not part of the program.
};

// An event type: what an extract makes of a line, a sample or a record.
struct EventType {
  std::string name;  // "Xid"; names resolve over all packs, so a name is declared once.
  std::string pack;
  EntityKind on = EntityKind::Node;
  std::vector<Field> fields;
  bool progress = false;  // Proves that its rank (or the attempt) went on: symptoms before it were survived.
  Span span;
};

struct SymptomType {
  std::string name;  // "nvlink.signal_integrity"
  std::string pack;
  std::vector<EntityKind> on;  // At least one; `emit ... at` chooses.
  std::vector<Field> fields;
  Role role = Role::Victim;
  std::optional<Blame> blame;          // Unset: default_blame(domain, entity kind).
  std::vector<std::uint16_t> key;      // Indexes into fields; which make two symptoms repeats of one another.
  Nanos quiet = 3 * kMinute;           // A gap longer than this starts a new burst.
  Domain domain = Domain::Unattributed;
  Severity severity = Severity::Error;
  std::string title;                   // For people: "NVLink signal integrity fault"; defaults to the name.
  std::string owner;
  std::string action;
  Retry retry = Retry::Unknown;
  std::vector<std::string> tags;       // Sorted.
  std::vector<std::string> references;
  bool locates = false;                // Goes to the verdict's `where`.
  std::string deprecated;              // "since 1.2 use NAME", or empty.
  Span span;
};

}  // namespace attrib::model
