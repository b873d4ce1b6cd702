#pragma once

// Lines of which the first in a stream says as much as all that are alike.

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/value.h"
#include "program/program.h"

namespace attrib::vm {

using Captured = std::vector<std::optional<model::Constant>>;

// What tells the extract's matches in one stream apart, by capture: what its `keep first` names, or all
// of an extract that does nothing but learn relations (which have no time, and are a set). Nothing: each
// match counts.
std::optional<std::vector<std::uint32_t>> told_apart_by(const program::Program& program,
                                                        const program::Extract& extract);

// Adds these values of a match of extract number `extract` to `out`, as bytes: equal just when they are.
void append_said(std::uint32_t extract, const std::vector<std::uint32_t>& by, const Captured& captures,
                 std::string* out);

// The matches of one stream of extracts with `keep first`.
class FirstMatches {
 public:
  // Is it the first with its values?
  bool add(std::uint32_t extract, const std::vector<std::uint32_t>& by, const Captured& captures);
  void clear() { said_.clear(); }

 private:
  std::unordered_set<std::string> said_;
};

}  // namespace attrib::vm
