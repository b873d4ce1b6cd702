#pragma once

// Which extracts see something in which observations, and what they capture: the first stage of a
// run.
//
// A line is tried on the alternatives of whose texts it holds one: those that the reader's filter
// found (`engine`), or else by a search of the line itself. Both give the same matches.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "model/value.h"
#include "program/program.h"
#include "vm/line_engine.h"
#include "vm/machine.h"

namespace attrib::vm {

struct Match {
  std::uint32_t observation = 0;  // Index into Evidence::observations.
  std::uint32_t extract = 0;      // Index into Program::extracts.
  std::uint32_t alternative = 0;  // Which alternative (0 for metric and record extracts).
  std::vector<std::optional<model::Constant>>
      captures;                     // By capture index; String for entity captures.
  std::vector<std::uint32_t> more;  // Observations of `next` lines.
};

struct MatchLimits {
  std::uint64_t matched_bytes = 0;
  std::uint64_t matches = 0;
};

struct MatchResult {
  std::vector<Match> matches;  // By observation, then extract; of match() alone.
  // Each line counts once with its line end, and once more for each template tried on it (one of
  // whose literals it holds).
  std::uint64_t bytes = 0;
  std::string exceeded;  // Name of the limit that ended the stage early, or empty.
  std::vector<LineLook> looks;  // By extract and alternative.
  std::vector<std::uint32_t> overtaken;  // Observations of matches in whose place another of their stream counts.
};

// An extract sees an observation when (extract.sources & observation.speaks) != 0. Line extracts
// see messages, of metrics only those without a name, of records none; metric and record extracts
// give one match for each observation of their kind that they see (their `where` runs as code). Of an
// extract that keeps the last, each stream has one match at most: the one of its last observation
// that matches. Of one that keeps the first by some captures, it has one match for their values: the
// first.
//
// `engine`: the one of the filter with which the evidence was read, which has the tables and what it
// noted of the lines; or any of the program that noted nothing, if it was read without one; null: a new one.
MatchResult match(const program::Program& program, const evidence::Evidence& evidence,
                  const MatchLimits& limits, LineEngine* engine = nullptr);

// The same, and hands each match to `use` as soon as it is sure of its place: what was matched a moment ago is still in the
// processor's caches. `use` may take the match apart.
MatchResult match_each(const program::Program& program, const evidence::Evidence& evidence,
                       const MatchLimits& limits, LineEngine* engine,
                       const std::function<void(Match&)>& use);

}  // namespace attrib::vm
