#pragma once

// What the grammar makes of one declaration: a flat tree of the places that matter. It is the seam
// between PEGTL, which only dsl/match.cpp sees, and the builders, which turn it into the tree of
// dsl/ast.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attrib::dsl {

// A grammar rule that has a `kind` leaves a node; every other rule leaves its children to the rule
// around it.
enum class Kind : std::uint8_t {
  // Tokens
  Name,
  Text,
  Number,
  Truth,
  Version,
  Flag,
  // Expressions
  Or,
  And,
  Not,
  Comparison,
  CompareOp,
  In,
  List,
  HasPrefix,
  HasSuffix,
  Rises,
  Sum,
  AddOp,
  Negate,
  NameOrCall,
  Args,
  Count,
  CountDistinct,
  Least,
  Odd,
  Variable,
  Where,
  Over,
  Of,
  At,
  Range,
  From,
  To,
  Object,
  Pair,
  PairList,
  // Declarations
  Pack,
  Language,
  Use,
  Event,
  Symptom,
  Extract,
  Table,
  Decode,
  Infer,
  Demote,
  Outcome,
  Ambiguous,
  Let,
  Override,
  Test,
  Field,
  Type,
  Words,
  On,
  SymptomClause,
  Sources,
  Metric,
  Record,
  AsEvent,
  LearnAddress,
  LearnPlace,
  LearnWorld,
  LearnMember,
  LearnAlias,
  Line,
  Pattern,
  Start,
  Regex,
  WithinLines,
  Slow,
  Sample,
  Reject,
  Gives,
  Set,
  Begin,
  Family,
  KeepLast,
  KeepFirst,
  References,
  KeyColumns,
  ResultColumns,
  Match,
  Csv,
  Column,
  Row,
  DefaultRow,
  KeyCells,
  ResultCells,
  CellEmpty,
  CellAny,
  CellValue,
  CellSet,
  CellRange,
  CellTernary,
  Lookup,
  When,
  Emit,
  EmitOverride,
  Confidence,
  Each,
  Absent,
  During,
  OnUnknown,
  OnUnsure,
  OnUncovered,
  Param,
  Cause,
  Effect,
  Within,
  Because,
  OfJob,
  Rank,
  Among,
  VerdictWord,
  Report,
  Ask,
  OverrideBody,
  // Tests
  Job,
  Place,
  Clock,
  Offset,
  ErrorBound,
  SourceEntry,
  SourceStatus,
  Covers,
  Log,
  RecordLog,
  MetricLog,
  OfNode,
  OfRank,
  OnNode,
  TestLine,
  Duration,
  ExpectNothing,
  ExpectEvent,
  Gpu,
  ExpectRoot,
  ExpectRootsInclude,
  ExpectDemoted,
  ExpectSymptom,
  ExpectNo,
  ExpectStatus,
  ExpectOutcome,
  ExpectDomain,
  ExpectAffected,
  ExpectExclude,
  ExpectAmbiguous,
  ExpectNoAmbiguous,
  ExpectUnattributed,
  ExpectAsk,
  WhereNode,
  WhereRank,
  WhereGpu,
  WhereAttempt,
  By,
  Role
};

struct SyntaxNode {
  Kind kind = Kind::Name;
  std::uint32_t begin = 0;  // Bytes of the declaration's text.
  std::uint32_t end = 0;
  std::uint32_t next = 0;  // Index past the last node below this one.
};

// Nodes in the order of the text, parents before children.
using SyntaxTree = std::vector<SyntaxNode>;

struct SyntaxFailure {
  std::size_t offset = 0;
  std::string expected;  // What belongs here, or one of the kSlip texts.
  std::string hint;      // May be empty.
};

// Slips that have a diagnostic of their own.
constexpr const char* kSlipSingleEqual = "slip: =";
constexpr const char* kSlipMissingAt = "slip: at";
constexpr const char* kSlipNesting = "slip: nesting";
constexpr const char* kSlipEscape = "slip: escape";
// What may follow here is the next clause of the block or its end.
constexpr const char* kClauseOrEnd = "slip: clause";
constexpr const char* kDeclarationEnd = "slip: declaration";

// Parses the text of one declaration. On success fills `tree`; its first node is the declaration.
std::optional<SyntaxFailure> match_declaration(std::string_view text, SyntaxTree& tree);

// Problems PEGTL's analysis finds in the grammar (rules that may loop without progress). 0 is
// right.
std::size_t grammar_problems();

}  // namespace attrib::dsl
