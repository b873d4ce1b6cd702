#pragma once

// Random rule sets as source text, with what is needed to write lines that hit them.

#include <functional>
#include <string>
#include <vector>

#include "tests/reference/differential_random.h"

namespace attrib::differential {

// One way to be seen by an extract: a record of lines, a sample or a record, as JSON members of an
// observation.
struct Recipe {
  enum class Kind { Lines, Metric, Record };
  Kind kind = Kind::Lines;
  std::vector<std::string> sources;  // Source words that the extract reads.
  std::function<std::vector<std::string>(Random&)> instance;  // Lines; else one JSON object.
};

struct RuleSet {
  std::vector<std::string>
      declarations;  // Text of each, in order; any may be left out by shrinking.
  std::vector<Recipe> recipes;
  [[nodiscard]] std::string text() const;
};

RuleSet random_rules(Random& random);

}  // namespace attrib::differential
