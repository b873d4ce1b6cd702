#pragma once

// The compiled templates of a program's extracts.

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/line_matcher.h"
#include "program/program.h"

namespace attrib::vm {

struct Candidate {
  std::uint32_t extract;
  std::uint32_t alternative;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

// Compiled templates, made when first needed: most are never. RE2 may keep LineMatcher::kMaxMemory
// for each, so their number is bounded; past it all are dropped, which costs time only.
class Matchers {
 public:
  static constexpr std::size_t kMaxKept = 1024;

  explicit Matchers(const program::Program& program) : program_(program) {}

  const model::LineMatcher& get(const Candidate& which, std::uint32_t line) {
    const auto key = std::pair(which, line);
    if (const auto it = kept_.find(key); it != kept_.end()) return it->second;
    if (kept_.size() == kMaxKept) kept_.clear();
    const program::Extract& extract = program_.extracts[which.extract];
    std::vector<std::string> names;
    std::vector<model::Type> types;
    for (const program::Capture& capture : extract.captures) {
      names.push_back(capture.name);
      types.push_back(capture.type);
    }
    const model::LineTemplate& source = extract.alternatives[which.alternative].lines[line];
    return kept_.emplace(key, model::LineMatcher(source, names, types)).first->second;
  }

  // Of its extract.
  [[nodiscard]] std::size_t captures(const Candidate& which) const {
    return program_.extracts[which.extract].captures.size();
  }

  [[nodiscard]] std::size_t lines(const Candidate& which) const {
    return program_.extracts[which.extract].alternatives[which.alternative].lines.size();
  }

 private:
  const program::Program& program_;
  std::map<std::pair<Candidate, std::uint32_t>, model::LineMatcher> kept_;
};

}  // namespace attrib::vm
