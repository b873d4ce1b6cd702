#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "program/program.h"

namespace attrib::program {

// Limits a program must stay within; docs/limits.md.
constexpr std::size_t kMaxRegisters = 8192;       // a rule
constexpr std::size_t kMaxLoopDepth = 20;         // nested loops in a rule
constexpr std::size_t kMaxRuleCode = 65536;       // instructions in a rule
constexpr std::size_t kMaxCode = 4U << 20U;       // instructions in a program
constexpr std::size_t kMaxTypeFields = 256;
constexpr std::size_t kMaxRules = 65536;
constexpr std::size_t kMaxPatternBytes = 16384;   // text of one template
constexpr std::size_t kMaxRegexProgram = 1U << 20U;  // RE2 memory budget of one pattern
constexpr std::size_t kMaxWithinLines = 1024;     // how far apart the lines of a record may stand
constexpr std::size_t kMaxTableRows = 65536;      // of a table
constexpr std::uint64_t kMaxTableWork = std::uint64_t{1} << 30U;  // key values compared to prove rows disjoint
constexpr std::size_t kMaxCellValues = 65536;     // of a set in a key cell
constexpr std::size_t kMaxKeyColumns = 16;

// A program that the VM may run without re-checking anything.
class VerifiedProgram {
 public:
  [[nodiscard]] const Program& get() const { return *program_; }
  const Program* operator->() const { return program_.get(); }
  const Program& operator*() const { return *program_; }
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  friend Result<VerifiedProgram> verify(Program program);
  friend Result<VerifiedProgram> load(std::string_view bytes);
  friend Result<VerifiedProgram> load_for_runs(std::string_view beginning, std::size_t size);
  explicit VerifiedProgram(std::shared_ptr<const Program> program, std::string digest)
      : program_(std::move(program)), digest_(std::move(digest)) {}
  std::shared_ptr<const Program> program_;
  std::string digest_;
};

// One forward pass over every rule: bounds of every index, register kinds at each point, loops properly nested,
// jumps forward and inside their loop, strata descending, emitted fields of the schema's kinds, tables disjoint,
// templates that hold their literal. The message names rule and instruction. Accepted implies that a run neither
// crashes nor passes its fuel.
Result<VerifiedProgram> verify(Program program);

// decode() and verify() in one, for programs that were saved.
Result<VerifiedProgram> load(std::string_view bytes);

// decode_for_runs() and verify() in one: all that a run depends on is read, checked and verified as by load(), with
// half of the bytes. For the standard library some 42 million instructions and a
// megabyte of SHA-256.
Result<VerifiedProgram> load_for_runs(std::string_view beginning, std::size_t size);

}  // namespace attrib::program
