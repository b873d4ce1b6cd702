#pragma once

// For tests: rules as text, run over evidence that is built here.

#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "vm/machine.h"

namespace attrib::vm {

// A job of which nothing is known yet. Streams are made of (kind, node, rank); each line is its own
// observation, seen at `seconds` with an error of 250 ms on its node's clock.
class Job {
 public:
  evidence::Evidence evidence;

  Job& line(model::SourceKind kind, const std::string& node, double seconds,
            const std::string& text);
  Job& rank_line(std::uint32_t rank, const std::string& node, double seconds,
                 const std::string& text);
  Job& metric(const std::string& node, double seconds, const std::string& name, double value);
  Job& record(model::SourceKind kind, double seconds,
              const std::map<std::string, std::string>& fields);
  Job& covers(model::SourceKind kind, const std::string& node, double from, double to);
  // Puts observations in canonical order and numbers streams. Ids are "o0", "o1" ... as added.
  const evidence::Evidence& done();

 private:
  evidence::Observation& add(model::SourceKind kind, const std::string& node, double seconds);
  std::uint64_t added_ = 0;
};

// Compiles the texts as one pack `t` (the header is added) and runs it. The rules must be right.
RunResult run_rules(const std::string& rules, const evidence::Evidence& evidence,
                    const RunOptions& options = {});

// "root x.y at node-a", "demoted x.y at rank 3": the symptoms of a verdict, in its order.
std::vector<std::string> symptoms_of(const verdict::Verdict& verdict);

}  // namespace attrib::vm
