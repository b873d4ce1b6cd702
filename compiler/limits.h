#pragma once

// Limits of the front half of the compiler: each is an error RL0501 that names it, never a crash.
// docs/limits.md lists them. They keep every index within 16 bits and every check within seconds.

#include <cstddef>

namespace attrib::compiler {

constexpr std::size_t kMaxTypes = 4096;            // Event types, and symptom types.
constexpr std::size_t kMaxFields = 64;             // Fields of one event or symptom.
constexpr std::size_t kMaxWords = 256;             // Words of one field type.
constexpr std::size_t kMaxRules = 16384;           // Rules of all kinds together.
constexpr std::size_t kMaxAlternatives = 64;       // `line` clauses of one extract.
constexpr std::size_t kMaxLinesOfRecord = 16;      // A line and its `next` ones.
constexpr std::size_t kMaxWithinLines = 1000;      // `within N lines`.
constexpr std::size_t kMaxCaptures = 64;           // Of one extract.
constexpr std::size_t kMaxTemplateBytes = 4096;    // Of one line template.
constexpr std::size_t kMaxVariables = 16;          // `each`, `lookup` ... of one rule.
constexpr std::size_t kMaxExprsPerRule = 4096;     // After lets are inlined.
constexpr std::size_t kMaxLetDepth = 16;           // lets inside lets.
constexpr std::size_t kMaxKeyColumns = 8;          // Of one table.
constexpr std::size_t kMaxResultColumns = 64;      // Of one table.
constexpr std::size_t kMaxTableRows = 50'000;      // Of one table.
constexpr std::size_t kMaxRowProofs = 20'000'000;  // Row pairs compared to prove one table.
constexpr std::size_t kMaxCsvBytes = 16U << 20U;   // One data file.
constexpr std::size_t kMaxCellBytes = 4096;        // One cell.
constexpr std::size_t kMaxMessageHoles = 32;       // {a.node} in one text.

}  // namespace attrib::compiler
