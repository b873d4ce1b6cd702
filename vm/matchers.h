#pragma once

// The compiled templates of a program's extracts.

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
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

  explicit Matchers(const program::Program& program) : program_(program) {
    for (const program::Extract& each : program.extracts) {
      first_.push_back(count());
      kept_.resize(kept_.size() + each.alternatives.size());
    }
  }

  // All alternatives are numbered from 0, by extract and alternative.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(kept_.size()); }
  [[nodiscard]] std::uint32_t number(const Candidate& which) const {
    return first_[which.extract] + which.alternative;
  }

  const model::LineMatcher& get(const Candidate& which, std::uint32_t line) {
    const auto& made = kept_[number(which)];
    if (line < made.size() && made[line]) return *made[line];
    return make(which, line);
  }

  // Of its extract.
  [[nodiscard]] std::size_t captures(const Candidate& which) const {
    return program_.extracts[which.extract].captures.size();
  }

  [[nodiscard]] std::size_t lines(const Candidate& which) const {
    return program_.extracts[which.extract].alternatives[which.alternative].lines.size();
  }

 private:
  const model::LineMatcher& make(const Candidate& which, std::uint32_t line) {
    if (made_ == kMaxKept) {
      for (auto& made : kept_) made.clear();
      made_ = 0;
    }
    const program::Extract& extract = program_.extracts[which.extract];
    std::vector<std::string> names;
    std::vector<model::Type> types;
    for (const program::Capture& capture : extract.captures) {
      names.push_back(capture.name);
      types.push_back(capture.type);
    }
    const model::Alternative& source = extract.alternatives[which.alternative];
    auto& made = kept_[number(which)];
    made.resize(source.lines.size());
    static const std::vector<std::string> kNothing;
    made[line] = std::make_unique<model::LineMatcher>(
        source.lines[line], names, types, model::LineMatcher::kMaxMemory,
        model::LineMatcher::Engine::Best, line == 0 ? source.literals : kNothing);
    ++made_;
    return *made[line];
  }

  const program::Program& program_;
  std::vector<std::uint32_t> first_;  // Number of each extract's first alternative.
  std::vector<std::vector<std::unique_ptr<model::LineMatcher>>> kept_;  // By number and line.
  std::size_t made_ = 0;
};

}  // namespace attrib::vm
