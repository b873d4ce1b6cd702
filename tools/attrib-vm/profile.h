#pragma once

// Where the time of `attrib-vm run --profile` went. The one place of attrib-vm that reads clocks;
// what it reads goes to standard error and never into a verdict.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "program/program.h"
#include "vm/machine.h"
#include "vm/profile.h"

namespace attrib::attrib_vm {

struct Times {
  std::int64_t cpu = 0;  // Nanoseconds, of all threads.
  std::int64_t wall = 0;
};

// Stages of the program around the run.
enum class Step : std::uint8_t { Start, Load, Read, Print };
constexpr std::size_t kSteps = static_cast<std::size_t>(Step::Print) + 1;

class RunProfile final : public vm::Profile {
 public:
  // Start: what the process did before.
  RunProfile();

  void enter(vm::Stage stage) override;
  void leave(vm::Stage stage) override;
  void enter_rule(std::uint32_t rule) override;
  void leave_rule(std::uint32_t rule) override;
  // All since the last step or stage was `step`.
  void stepped(Step step);

  // Every row of each table, for machines; or the first rows, for people: `all` gives all there.
  [[nodiscard]] std::string json(const program::Program& program,
                                 const evidence::Evidence& evidence,
                                 const vm::RunResult& result) const;
  [[nodiscard]] std::string text(const program::Program& program,
                                 const evidence::Evidence& evidence, const vm::RunResult& result,
                                 bool all) const;

 private:
  // Times of a stage count once: those of a stage inside it are its own.
  void charge();

  Times last_;
  std::array<Times, kSteps> steps_{};
  std::array<Times, vm::kStages> stages_{};
  std::vector<vm::Stage> open_;
  std::vector<std::int64_t> rules_;  // Wall time, by rule.
  std::int64_t rule_began_ = 0;
};

}  // namespace attrib::attrib_vm
