#pragma once

// Evaluates the expressions of an extract on one sample: enough to run `where` and `set` without
// the VM.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/module.h"

namespace attrib::compiler {

struct SampleInput {
  std::vector<std::optional<model::Constant>> captures;
  std::string message;     // Lines: the first.
  std::string name;        // Metric
  std::int64_t value = 0;  // Millionths.
  std::optional<std::int64_t> previous;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> record;
};

// A Truth is 0 No, 1 Unknown, 2 Yes. What only a real observation has (times, its node) is Null.
// `value rises` of a sample that says nothing of the one before is Yes: a sample shows the sample
// that fires.
model::Constant evaluate(const Module& module, ExprId id, const SampleInput& input);

}  // namespace attrib::compiler
