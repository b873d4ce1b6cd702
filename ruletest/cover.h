#pragma once

// How far a library's samples and tests exercise it: which alternatives and rules never fire, and
// which rules were never seen to stay quiet although all that they read was there.
//
// A rule fires when it puts something out. A near miss of it is a test that passes and holds facts
// of every type the rule reads, in a combination for which it does not fire: another code, another
// entity, another window. A rule without any condition has none. An ambiguous rule's near miss has
// two symptoms that could be causes, and no report of the rule.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "compiler/module.h"
#include "dsl/ast.h"
#include "program/verify.h"

namespace attrib::ruletest {

enum class CoverKind : std::uint8_t {
  Alternative,  // Of an extract: a sample or a test line reaches it.
  Reject,       // An extract has a `reject`.
  Fires,        // A rule, or one more `emit` of an infer rule, fires in a test.
  NearMiss,     // A rule that has conditions stays quiet in a test.
  Condition,    // It alone keeps its rule quiet in a test. Only if asked for.
  Row,          // A table's row is looked up in a test. Only if asked for.
};
constexpr std::size_t kCoverKinds = 6;

struct CoverItem {
  CoverKind kind = CoverKind::Fires;
  std::string declaration;  // extract, decode, infer, demote, outcome, ambiguous, table
  std::string rule;         // pack.name
  std::string pack;
  std::string path;
  LineColumn at;
  bool covered = false;
  std::string missing;  // What to say if it is not covered.
};

struct Cover {
  std::vector<CoverItem> items;         // By file, place and kind.
  std::size_t tested_alternatives = 0;  // Reached by a line of a test, not by samples alone.
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::string failures;  // As run_tests() reports them. Failed tests cover nothing.
};

struct CoverOptions {
  bool conditions = false;  // Count conditions of rules (loosen.h), too.
  bool rows = false;        // Count rows of tables, too.
};

// Runs all tests of `files`; `module` and `program` are compiled from them.
Cover cover(const std::vector<dsl::File>& files, const SourceMap& sources,
            const compiler::Module& module, const program::VerifiedProgram& program,
            const CoverOptions& options = {});

struct CoverCount {
  std::size_t covered = 0;
  std::size_t total = 0;
  void add(bool is_covered) {
    covered += is_covered ? 1 : 0;
    ++total;
  }
  // In tenths of a percent, rounded down, so that only full cover is 100.0. Nothing of nothing is
  // all.
  [[nodiscard]] std::uint64_t permille() const {
    return total == 0 ? 1000 : std::uint64_t{covered} * 1000 / total;
  }
};

std::string_view to_text(
    CoverKind kind);  // alternatives, rejects, fires, near_misses, conditions, rows

}  // namespace attrib::ruletest
