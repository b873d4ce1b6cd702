#pragma once

// What the choice of lines costs, for each set of literals that alternatives look for: `rulec
// cost`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/literal_cost.h"
#include "program/program.h"

namespace attrib::ruletest {

struct LiteralCost {
  std::vector<std::string> literals;  // A line must hold one. Empty: every line is read.
  bool any_case = false;              // In any case.
  double expected = 0;                // Of a million ordinary lines, so many hold one.
  std::optional<std::uint64_t> hits;  // Lines of the measured log that hold one.
  std::size_t bytes = 0;              // Of the shortest literal.
  std::size_t alternatives = 0;       // That share them.
  std::vector<std::string> rules;     // Extracts by full name, each once, in order.
  std::vector<model::SlowPath> slow;  // Of any of the alternatives, each once.
  std::vector<std::string> reasons;   // What `slow` says in the rules, each once.
};

class LiteralCostReport {
 public:
  explicit LiteralCostReport(const program::Program& program);

  // Counts lines of the file that hold the literals, block by block: memory does not grow with the
  // file. The error names the path.
  Status measure(const std::string& log);

  // Costliest first: by lines (of the measured log if there is one) times alternatives that are
  // tried on them.
  [[nodiscard]] const std::vector<LiteralCost>& rows() const { return rows_; }
  // 80 columns; the first `top` rows (0: all), then a line that sums up.
  [[nodiscard]] std::string text(std::size_t top) const;
  [[nodiscard]] std::string json() const;  // All of it, schema attrib.cost/1.

 private:
  void sort();
  [[nodiscard]] std::string summary() const;

  std::vector<LiteralCost> rows_;
  std::size_t alternatives_ = 0;
  std::size_t literals_ = 0;  // Distinct ones
  std::size_t short_ = 0;     // Of them
  std::uint64_t lines_ = 0;   // Of the measured log
  bool measured_ = false;
};

}  // namespace attrib::ruletest
