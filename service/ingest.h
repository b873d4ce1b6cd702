#pragma once

// What a posted body amounts to: the observations that were understood, one a line, and what it
// says of the workload. A body is read in pieces: beside it and what comes of it, an observation at
// a time is in memory.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "evidence/json_scan.h"
#include "service/problem.h"

namespace attrib::service {

struct Ingested {
  std::string
      content;  // NDJSON: perhaps a line with `sources`, then observations as they were written.
  std::string header;  // JSON: `workload` and `topology`; empty: the body says nothing of them.
  std::uint64_t accepted = 0, rejected = 0;
  std::vector<std::string> problems;  // "body:3: field `rank`: ...": the first hundred.
};
using Ingest = std::variant<Ingested, Problem>;

// A JSON document, a list of observations, or NDJSON of attrib.evidence/1; OpenTelemetry log
// records, too.
Ingest ingest_evidence(std::string_view body);

// One OpenTelemetry object becomes observations all at once, so it may not be as long as a body.
constexpr std::size_t kMaxOtlpPosted = std::size_t{4} << 20U;

// A body with more wrong in it is refused as a whole, and not read to its end.
constexpr std::uint64_t kMaxRejected = 100'000;

// What is stored of one body.
constexpr std::size_t kMaxContent = std::size_t{64} << 20U;

// Collects what a body says, whatever its form. Each thing is checked as evidence::read would.
class Collector {
 public:
  Collector();
  ~Collector();

  // An observation as JSON text: accepted, or rejected under the name of its place.
  void observation(std::string_view slice, std::uint64_t line);
  // The same of one that was made of something else: `place` says of what.
  void observation_of(std::string_view place, std::string_view slice);
  void reject(std::string_view place, std::string_view text);
  // A document with header fields and `observations`, or one observation alone.
  void document(std::string_view text, std::uint64_t line);
  // A line of NDJSON.
  void line(std::string_view text, std::uint64_t number);
  void otlp(std::string_view text, std::uint64_t line);

  // Nothing that comes counts any more.
  [[nodiscard]] bool refused() const;
  // Room for `bytes` of content.
  void expect(std::size_t bytes);
  // What is known of the workload or a source without being written in the body, as a document
  // without observations.
  void header(const std::string& text);
  // Nothing understood, or headers that contradict each other: a Problem. `empty_is_fine`: a body
  // that says of nothing is understood.
  Ingest finish(bool empty_is_fine = false) &&;

 private:
  struct State;
  void header_of(const evidence::DocumentSlices& cut, std::string_view text, std::uint64_t line);

  std::unique_ptr<State> state_;
};

}  // namespace attrib::service
