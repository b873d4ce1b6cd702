#pragma once

// The verdict as a value: schema attrib.verdict/1 (docs/verdict.schema.json). Printers: print.h.
// Lists are in canonical order when the VM hands a Verdict out; printers never sort.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/time.h"
#include "model/value.h"
#include "model/vocabulary.h"

namespace attrib::verdict {

struct EntityRef {
  model::EntityKind kind = model::EntityKind::Attempt;
  std::string id;  // Empty: unknown, printed null.
  friend bool operator==(const EntityRef&, const EntityRef&) = default;
  friend auto operator<=>(const EntityRef&, const EntityRef&) = default;
};

struct NamedField {
  std::string name;
  model::Constant value;  // Never Null: absent fields are left out.
  model::Reader reader = model::Reader::Word;
};

// "no XID in kernel of node-c during [..]": the absence of something is evidence too.
struct AbsentEvidence {
  std::string absent;  // What was looked for: symptom or event type.
  std::string of;      // Where: entity.
  model::Nanos from = 0, to = 0;
  bool covered = false;
};

struct Demotion {
  std::uint32_t cause = 0;  // Index into Verdict::symptoms.
  std::string rule;
  std::string because;
  bool strong = true;
  model::Nanos margin_lo = 0, margin_hi = 0;  // What effect - cause can be (for --explain).
};

// How a symptom came to be, for --explain.
struct Proof {
  std::string rule;       // Full name of the decode or infer rule.
  std::string table_row;  // Place of the row looked up, or empty.
  std::vector<std::uint32_t>
      inputs;  // Symptoms it was inferred from: indexes into Verdict::symptoms.
  std::vector<std::string> extracts;  // Full names, sorted.
};

enum class SymptomState : std::uint8_t {
  Root,
  Demoted,
  Unexplained,
  Late,
  Survived,
  History,
  Note
};
std::string_view to_text(SymptomState state);

struct Symptom {
  std::string symptom;  // Type name
  std::string title;
  SymptomState state = SymptomState::Unexplained;  // JSON `role`
  model::Role role = model::Role::Victim;          // What the rule says it is.
  model::Domain domain = model::Domain::Unattributed;
  model::Severity severity = model::Severity::Error;
  model::Band confidence = model::Band::Hint;  // Printed band.
  EntityRef entity;
  std::optional<std::string> node;
  std::optional<std::int64_t> rank;
  std::optional<std::string> gpu;
  std::vector<NamedField> fields;
  model::Moment begin, last;
  std::uint64_t count = 1;  // Distinct repeats.
  std::vector<std::string>
      evidence;  // Observation ids, at most kMaxEvidence of distinct observations; canonical.
  bool evidence_truncated = false;
  std::vector<AbsentEvidence> absences;
  std::vector<Demotion> demoted_by;
  std::string action;
  std::string owner;
  model::Retry retry = model::Retry::Unknown;
  bool accuses = false;  // Blames its entity.
  Proof proof;
  // Set by fold(): this entry stands for several alike symptoms on other ranks or nodes.
  std::uint64_t folded = 1;         // How many symptoms.
  std::vector<std::int64_t> ranks;  // All of them, sorted; printed as ranges.
  std::vector<std::string> nodes;   // At most kMaxFoldedNodes are kept; nodes_total counts.
  std::uint64_t nodes_total = 0;
};

struct WhereItem {
  std::optional<std::int64_t> rank;
  std::optional<std::string> node;
  std::optional<std::string> gpu;
  EntityRef entity;
  std::string why;
  std::vector<std::string> evidence;
};

struct CoverageItem {
  model::SourceKind source = model::SourceKind::App;
  std::string node;
  std::string status;
  std::string reason;
};

struct Candidate {  // A root component that accounts for the failure and lost, or one of a tied
                    // set.
  std::vector<std::uint32_t> members;  // Its head: indexes into symptoms.
  std::string why;                     // "tied", or why it lost.
};

struct Ending {  // One outcome rule that held.
  std::string rule;
  model::Outcome outcome = model::Outcome::Unknown;
  std::int64_t rank = 0;
};

struct Incomplete {    // A budget that was passed.
  std::string rule;    // Or "total".
  std::string factor;  // "loop steps", "facts", "edges", "bytes matched", ...
  std::uint64_t limit = 0;
};

struct Verdict {
  std::string workload_id;
  std::optional<std::int64_t> attempt;
  std::vector<std::pair<std::string, std::string>> packs;  // name, version; sorted
  std::string program_digest;
  model::Outcome outcome = model::Outcome::Unknown;
  std::vector<Ending> endings;  // All that held, best rank first.
  model::VerdictStatus status = model::VerdictStatus::Unattributed;
  bool provisional = false;
  std::vector<Incomplete> incomplete;
  model::Domain domain = model::Domain::Unattributed;
  std::optional<model::Band> confidence;  // Only when attributed.
  std::string summary;
  std::vector<std::uint32_t> root_causes;  // Indexes into symptoms.
  std::vector<Candidate> alternatives;
  std::vector<std::string> affected_nodes;
  std::vector<EntityRef> suspects;
  std::vector<WhereItem> where;
  std::vector<std::string> reports;  // From ambiguous rules.
  std::vector<std::string> ask;
  std::vector<Symptom> symptoms;
  std::vector<CoverageItem> coverage;
  model::Retry retry = model::Retry::Unknown;
  std::vector<std::string> exclude_nodes;
  std::map<std::string, std::uint64_t> counters;
  std::optional<model::Nanos> job_end;
};

constexpr std::size_t kMaxEvidence = 8;
constexpr std::size_t kMaxFoldedNodes = 16;
constexpr std::size_t kFoldFrom = 16;  // More alike symptoms than this become one entry.

// Replaces groups of more than kFoldFrom symptoms that differ only in entity, times, evidence and
// field values of times or ranks (same type, state, role, rules that demoted them) by one entry,
// and renumbers every index. Root causes and members of alternatives are folded only with their
// like. Linear in symptoms.
void fold(Verdict& verdict);

}  // namespace attrib::verdict
