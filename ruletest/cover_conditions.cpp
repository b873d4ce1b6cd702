#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "compiler/generate.h"
#include "ruletest/cover_parts.h"
#include "ruletest/loosen.h"
#include "ruletest/run_tests.h"

namespace attrib::ruletest {
namespace {

using Facts = std::vector<std::uint32_t>;

class ConditionWatch {
 public:
  ConditionWatch(const SourceMap& sources, const Loosened& loosened,
                 const program::Program& program)
      : loosened_(loosened), decided_(loosened.conditions.size()) {
    std::map<std::pair<program::RuleKind, std::string>, std::uint32_t> rules;
    const auto& all = loosened_.module.rules;
    for (std::uint32_t r = 0; r < all.size(); ++r) {
      rules[{static_cast<program::RuleKind>(all[r].kind), all[r].pack + "." + all[r].name}] = r;
    }
    for (const program::Rule& compiled : program.rules) {
      const std::uint32_t index = rules.at({compiled.kind, compiled.name});
      rule_of_.push_back(index);
      for (std::uint32_t at = compiled.code_begin; at < compiled.code_end; ++at) {
        plain_.push_back(output_at(sources, all[index], program.places[at]) == 0);
      }
    }
  }

  void add(const vm::Trace& trace) {
    std::map<std::uint32_t, std::vector<Facts>> fired;  // By rule of the module, sorted.
    for (const vm::Firing& firing : trace.firings) {
      if (plain_[firing.instruction]) fired[rule_of_[firing.rule]].push_back(firing.facts);
    }
    for (auto& [rule, facts] : fired) std::sort(facts.begin(), facts.end());
    for (std::size_t c = 0; c < decided_.size(); ++c) {
      if (decided_[c]) continue;
      const LoosenedCondition& condition = loosened_.conditions[c];
      const auto without = fired.find(condition.without);
      if (without == fired.end()) continue;
      const std::vector<Facts>& whole = fired[condition.rule];
      decided_[c] = !std::includes(whole.begin(), whole.end(), without->second.begin(),
                                   without->second.end());
    }
  }

  [[nodiscard]] bool decided(std::size_t condition) const { return decided_[condition]; }

 private:
  const Loosened& loosened_;
  std::vector<std::uint32_t> rule_of_;  // By rule of the program.
  std::vector<bool> plain_;             // By instruction.
  std::vector<bool> decided_;           // By condition.
};

}  // namespace

std::vector<CoverItem> cover_conditions(const std::vector<dsl::File>& files,
                                        const SourceMap& sources, const compiler::Module& module) {
  const Loosened loosened = loosen(module, sources);
  const auto program = program::verify(compiler::generate(loosened.module, sources));
  ATTRIB_CHECK(program, "loosened rules are rules");
  ConditionWatch watch(sources, loosened, *program.value());
  trace_tests(files, sources, program.value(), [&](const vm::Trace& trace) { watch.add(trace); });
  std::vector<CoverItem> items;
  for (std::size_t c = 0; c < loosened.conditions.size(); ++c) {
    const LoosenedCondition& condition = loosened.conditions[c];
    CoverItem item = cover_item(sources, CoverKind::Condition,
                                loosened.module.rules[condition.rule], condition.span);
    item.covered = watch.decided(c);
    item.missing = fmt::format("no near miss differs in this alone: {}", condition.text);
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace attrib::ruletest
