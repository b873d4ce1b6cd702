#pragma once

// What a differential run has exercised. A construct that never occurred has not been compared.

#include <cstdint>
#include <map>
#include <string>

#include "compiler/module.h"
#include "program/program.h"
#include "tests/reference/evaluate.h"
#include "verdict/verdict.h"

namespace attrib::differential {

class Tally {
 public:
  void add(const compiler::Module& module, const program::Program& program,
           const verdict::Verdict& verdict, const reference::Notes& notes);
  void refused(const std::string& why) { ++refused_, last_refusal_ = why; }
  // Prints everything; false when something never occurred or too much was empty (only if
  // `demand`).
  [[nodiscard]] bool print(bool demand) const;

 private:
  using Counts = std::map<std::string, std::uint64_t>;
  void count_module(const compiler::Module& module);
  void count_verdict(const verdict::Verdict& verdict);

  std::map<std::string, Counts> counts_;  // By group.
  std::uint64_t cases_ = 0, empty_ = 0, refused_ = 0;
  std::string last_refusal_;
};

}  // namespace attrib::differential
