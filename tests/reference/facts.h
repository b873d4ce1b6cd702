#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/module.h"
#include "tests/reference/value.h"
#include "verdict/verdict.h"

namespace attrib::reference {

constexpr std::uint32_t kHeader = 0xffffffff;  // The "observation" that the workload's header is.

// An event, a symptom before folding, or an occurrence: what rules look at.
struct Fact {
  bool event = false;
  std::uint32_t type = 0;
  Entity entity;
  std::vector<Value> fields;
  std::string node;  // That printed it (or was named); empty: not known.
  std::optional<std::uint32_t> rank;
  Moment seen, begin, last;
  std::set<std::uint32_t> observations;
  std::uint32_t stream = 0;
  std::set<model::Family> families;

  // Events
  std::uint32_t extract = 0;

  // Symptoms
  std::uint32_t rule = 0;  // Index into Module::rules.
  model::Role role = model::Role::Victim;
  model::Domain domain = model::Domain::Unattributed;
  model::Severity severity = model::Severity::Error;
  model::Retry retry = model::Retry::Unknown;
  std::string action, title;
  bool accuses = false;
  bool unknown_part = false;  // About an unknown part of its node: that node is accused.
  model::Band credence = model::Band::Hint;
  bool decoded = false;
  std::size_t event_id = 0;  // Decoded: of its event.
  bool lifted = false;       // Told by two families.
  std::uint64_t count = 1;
  std::string table_row;
  std::set<std::uint32_t> extracts;  // That its events came from.
  std::vector<std::size_t> inputs;   // Occurrences it was inferred from: their `id`.
  std::vector<verdict::AbsentEvidence> absences;

  std::size_t id = 0;  // Of an event or an occurrence.
};

}  // namespace attrib::reference
