#pragma once

// Evidence: what one workload attempt left behind, normalised. Readers (read.h) make it from JSON, NDJSON and raw logs;
// everything past them works on this value and never looks at files, clocks or the environment.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/id_list.h"
#include "evidence/shared_text.h"
#include "evidence/text_map.h"
#include "model/time.h"
#include "model/vocabulary.h"

namespace attrib::evidence {

struct Placement {
  std::uint32_t rank = 0;
  std::string node;
  std::string gpu;  // PCI address, normalised; empty: unknown.
};

struct Workload {
  std::string id;
  std::optional<std::int64_t> attempt;
  std::string kind, name, user, cluster, framework;
  std::string state;  // Of the header: "FAILED"; empty: not given.
  std::optional<std::int64_t> exit_code, signal;
  std::optional<model::Nanos> start, end;
  std::vector<std::string> nodes;  // Sorted, unique.
  std::optional<std::uint32_t> ranks, ranks_per_node;
  std::vector<Placement> placement;  // Sorted by rank.
};

struct Interval {
  model::Nanos begin = 0;
  model::Nanos end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// One entry of `sources`, or what a raw log file amounts to.
struct SourceStatus {
  model::SourceKind kind = model::SourceKind::App;
  std::string node;                    // Empty: not of one node.
  std::optional<std::uint32_t> rank;
  std::optional<model::Family> family;
  std::string status;                  // "ok", "empty", "failed", ... as given
  std::string reason;
  std::vector<Interval> coverage;      // Sorted, disjoint; loss lines are cut out.
  std::optional<model::Nanos> clock_error;
  std::optional<model::Nanos> lag;
};

// There are many: what few have costs little where it is missing (some 250 bytes and its text a line).
struct Observation {
  IdList ids;                          // At least one, sorted: a copy delivered twice keeps both references.
  model::Moment seen;                  // Not known: no stamp and no stamped neighbour.
  model::SourceKind source = model::SourceKind::App;
  bool is_metric = false;
  bool is_record = false;
  model::SourceMask speaks = 0;        // The source kinds its line counts as, `source` among them (framing may add some).
  std::string node;                    // Empty: not known.
  std::optional<std::uint32_t> rank;
  SharedText pod, container, file;
  std::string message;                 // Framing stripped; valid UTF-8.
  SharedText name;                     // Metric
  std::int64_t value = 0;              // Metric, millionths
  std::optional<std::int64_t> previous_value;  // Of the sample before it in its series.
  TextMap labels;
  TextMap record;
  std::uint32_t stream = 0;            // From 1; equal for observations of one stream. Index of `streams` + 1.
  std::uint32_t found = 0;             // What the filter noted of it (line_filter.h); 0: nothing is known.
  std::uint64_t position = 0;          // Place in its stream: equal stamps without `seq` share one.
  std::uint64_t offset = 0;            // Of a raw line: where it begins in its file.
};

// An observation of a raw log that stands for so many lines of its stream, equal to it but for their times: it is
// the last of them (docs/semantics.md, "Counted repeats").
struct Repeats {
  std::uint32_t observation = 0;  // Index.
  std::uint64_t times = 1;
  model::Nanos over = 0;          // From the first to the last.
};

// Identity of a stream; streams are in the order of this tuple.
struct Stream {
  model::SourceKind source = model::SourceKind::App;
  std::string node, pod, container, file;
  std::optional<std::uint32_t> rank;
  friend auto operator<=>(const Stream&, const Stream&) = default;
  friend bool operator==(const Stream&, const Stream&) = default;
};

struct Counters {
  std::uint64_t lines = 0;      // Distinct observations, and lines that were not kept.
  std::uint64_t copies = 0;     // Further deliveries of the same; never in the verdict.
  std::uint64_t rejected = 0;   // Bad observations, each named in `problems`.
  std::uint64_t truncated = 0;  // Lines cut at the matching limit.
  std::uint64_t escaped = 0;    // Observations with invalid UTF-8.
  std::uint64_t unparsed = 0;   // Lines whose framing or stamp was not understood.
};

struct Evidence {
  Workload workload;
  std::vector<SourceStatus> sources;      // Sorted by kind, node, rank.
  std::vector<Stream> streams;            // Sorted.
  std::vector<Observation> observations;  // Canonical order: stream, position, message, ids. Copies are already one.
  std::vector<Repeats> repeats;           // By observation; those of more than one line.
  Counters counters;
  std::vector<std::string> problems;      // "FILE:LINE: field `ts`: ...": first kMaxProblems, then a count.
};

constexpr std::size_t kMaxProblems = 100;
// The later lines of a pattern of several lines begin within so many bytes of its first, in a raw log.
constexpr std::size_t kNextReach = std::size_t{96} << 10U;

// Is some source of `mask` known to be complete for this node/rank (empty: the attempt) over [from, to]? Unlisted sources
// cover nothing. For the attempt: every node of the workload must be covered, or a source without a node.
bool covers(const Evidence& evidence, model::SourceMask mask, const std::string& node, std::optional<std::uint32_t> rank,
            model::Nanos from, model::Nanos to);

}  // namespace attrib::evidence
