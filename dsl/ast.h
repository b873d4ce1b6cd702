#pragma once

// The syntax tree of a rule file: what was written, with a Span everywhere, nothing resolved.
// docs/language.md is the syntax. Plain values; expression nesting is limited to kMaxNesting by the
// parser, so recursion over the tree is safe.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/source.h"

namespace attrib::dsl {

constexpr std::size_t kMaxNesting = 64;            // Brackets and operators in one expression.
constexpr std::size_t kMaxFileBytes = 16U << 20U;  // A larger rule file is refused.

struct Name {  // An identifier or dotted name as written.
  std::string text;
  Span span;
};

struct Text {  // A string literal, escapes resolved.
  std::string value;
  Span span;
};

enum class LiteralKind : std::uint8_t { Int, Decimal, Text, Truth, Duration, Size };
struct Literal {
  LiteralKind kind = LiteralKind::Int;
  std::int64_t number =
      0;  // Int; Truth 0/1; Duration ns; Size bytes; Decimal (and percentages) millionths.
  std::string text;  // Text: the value. Else the spelling ("0x95").
  bool hex = false;
  Span span;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

enum class BinaryOp : std::uint8_t {
  And,
  Or,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Sub
};

struct NameExpr {  // `x`, `x.gpu.node`: the parts between dots.
  std::vector<Name> parts;
};
struct CallExpr {  // label("gpu"), bursts(x, 24h), a let predicate, contains(a, "b").
  Name callee;
  std::vector<ExprPtr> args;
};
struct UnaryExpr {      // `not a`, `-a`
  bool negate = false;  // true: minus; false: not
  ExprPtr operand;
};
struct BinaryExpr {
  BinaryOp op = BinaryOp::And;
  ExprPtr left;
  ExprPtr right;
};
struct HasExpr {   // `has x.unit`, `x.tags has fatal` (object set then)
  ExprPtr object;  // Null for the prefix form.
  ExprPtr what;
};
struct InExpr {  // `x in [a, b]`, `x in c.node.comm_ranks`
  ExprPtr value;
  bool is_list = false;
  std::vector<ExprPtr> list;  // When is_list.
  ExprPtr set;                // Else.
};
struct RisesExpr {  // `value rises`
  ExprPtr value;
};

enum class AggregateKind : std::uint8_t { Count, CountDistinct, Least, Odd };
struct AggregateExpr {  // `least x.f of x: T where W over SET`
  AggregateKind kind = AggregateKind::Count;
  ExprPtr value;  // Null for count.
  Name variable;
  std::vector<Name> types;
  ExprPtr where;  // May be null. `where` binds up to a comparison: `count of v: T where v.a == b >=
                  // 2` compares the count.
  ExprPtr over;   // May be null.
};

struct Expr {
  Span span;
  std::variant<Literal, NameExpr, CallExpr, UnaryExpr, BinaryExpr, HasExpr, InExpr, RisesExpr,
               AggregateExpr>
      node;
};

struct TypeRef {
  Name name;                // Empty text when `words` is used.
  std::vector<Name> words;  // (Fatal | Nonfatal)
  bool optional = false;
  Span span;
};

struct FieldDecl {
  Name name;
  TypeRef type;
};

// name: value pairs in braces: gives {...}, emit fields, job {...}, metric objects.
struct Pair;
struct PairList {
  std::vector<Pair> pairs;
  Span span;
};
struct Pair {
  Name name;      // Also a quoted key.
  ExprPtr value;  // Null when object or list is used.
  std::optional<PairList> object;
  std::optional<std::vector<ExprPtr>> list;
  Span span;
};

struct UseDecl {
  std::vector<Name> packs;
  Span span;
};
struct PackDecl {
  Name name;
  std::string version;
  Span span;
};
struct LanguageDecl {
  std::int64_t version = 0;
  Span span;
};

struct EventDecl {
  Name name;
  Name on;
  std::vector<FieldDecl> fields;
  bool progress = false;
  Span span;
};

// A symptom clause that is one word, text, duration, list ...: checked by name in the compiler.
struct SymptomClause {
  Name keyword;  // role, domain, blame, key, quiet, severity, title, owner, action, retry, tags,
                 // references, locates, was, deprecated
  std::vector<ExprPtr>
      values;  // Empty for `locates`. Words are NameExpr of one (or, for `was`, several) parts.
  Span span;
};
struct SymptomDecl {
  Name name;
  std::vector<Name> on;
  std::vector<FieldDecl> fields;
  std::vector<SymptomClause> clauses;
  Span span;
};

struct LinePattern {
  Text text;
  bool at_start = false;
  bool regex = false;
};
struct LineClause {
  std::vector<LinePattern> lines;  // The first, then `next` ones.
  std::optional<std::int64_t> within_lines;
  std::optional<Text> slow;
  Span span;
};
struct SampleClause {  // sample and reject
  bool reject = false;
  std::vector<Text> lines;         // Line extracts: one, or with `next`.
  std::optional<PairList> object;  // Metric and record extracts.
  std::optional<PairList> gives;
  Span span;
};
struct SetClause {
  Name field;
  ExprPtr value;
};
struct RangeClause {  // begin A [.. B]
  ExprPtr from;
  ExprPtr to;  // Null: a point.
  Span span;
};
struct LearnClause {
  Name kind;                   // address, place, world, member, alias
  std::vector<Name> operands;  // In the order of model::LearnKind's a, b, c.
  Span span;
};
struct KeepFirst {  // keep first by a, b
  std::vector<Name> by;
  Span span;
};
enum class ExtractFrom : std::uint8_t { Lines, Metric, Record };
struct ExtractDecl {
  Name name;
  ExtractFrom from = ExtractFrom::Lines;
  std::vector<Name> sources;  // `any` is the name "any".
  std::optional<Name> event;  // `as EVENT`
  std::optional<LearnClause> learn;
  std::vector<LineClause> lines;
  std::vector<SampleClause> samples;
  std::vector<SetClause> sets;
  std::vector<ExprPtr> wheres;
  ExprPtr at;  // May be null.
  std::optional<RangeClause> begin;
  std::optional<Name> family;
  std::optional<Span> keep_last;
  std::optional<KeepFirst> keep_first;
  std::vector<Text> references;
  Span span;
};

struct CellDecl {  // One cell of a table row.
  enum class Kind : std::uint8_t { Empty, Any, Value, Set, Range, Ternary };
  Kind kind = Kind::Empty;
  std::vector<ExprPtr> values;  // Value one, Set several, Range two.
  std::string ternary;          // `------0001...` or `0xMASK/0xVALUE` as written.
  Span span;
};
struct RowDecl {
  std::vector<CellDecl> keys;
  std::vector<CellDecl> results;
  Span span;
};
struct CsvDecl {
  Text path;
  std::vector<std::pair<Name, Name>> columns;  // column = header; equal when written alone.
  Span span;
};
struct TableDecl {
  Name name;
  std::vector<FieldDecl> keys;  // Type name may be ternary32.
  std::vector<FieldDecl> results;
  std::optional<Name> match;  // unique | first
  std::optional<CsvDecl> csv;
  std::vector<RowDecl> rows;
  std::optional<RowDecl> default_row;
  Span span;
};

struct EmitDecl {
  Name symptom;
  ExprPtr at;  // May be null: the attempt.
  PairList fields;
  std::vector<std::pair<Name, ExprPtr>>
      overrides;  // role, domain, action, retry, blame, severity, title
  std::optional<RangeClause> begin;
  Span span;
};
struct LookupDecl {
  Name table;
  std::vector<ExprPtr> keys;
  Name row;
  Span span;
};
struct VariableDecl {  // x: T where W; types are alternatives (a | b), or the single name "any"
  Name name;
  std::vector<Name> types;
  ExprPtr where;  // May be null.
  Span span;
};
struct DecodeDecl {
  Name name;
  std::optional<VariableDecl> on;
  std::vector<LookupDecl> lookups;
  std::vector<ExprPtr> whens;
  std::vector<EmitDecl> emits;
  std::optional<Name> confidence;
  std::vector<Text> references;
  Span span;
};

struct EachDecl {  // each x: T ..., or each r: Rank in SET
  VariableDecl variable;
  ExprPtr in;  // Null for facts.
  Span span;
};
struct AbsentDecl {
  VariableDecl variable;
  RangeClause during;
  std::vector<Name> sources;
  ExprPtr of;  // May be null.
  Span span;
};
enum class EmitOn : std::uint8_t { True, Unknown, Unsure, Uncovered };
struct InferDecl {
  Name name;
  std::vector<EachDecl> each;
  std::vector<AbsentDecl> absents;
  std::vector<ExprPtr> whens;
  std::vector<LookupDecl> lookups;
  std::vector<std::pair<EmitOn, EmitDecl>> emits;
  std::optional<Name> confidence;
  std::vector<Text> references;
  Span span;
};

struct ParamDecl {
  Name name;
  ExprPtr value;
  ExprPtr low;  // May be null (no range).
  ExprPtr high;
  Span span;
};
struct WithinDecl {
  ExprPtr from;
  ExprPtr to;
  ExprPtr start;  // c.begin
  ExprPtr end;    // e.begin
  Span span;
};
struct DemoteDecl {
  Name name;
  std::vector<ParamDecl> params;
  std::optional<VariableDecl> cause;
  std::optional<VariableDecl> effect;
  std::vector<ExprPtr> wheres;
  std::optional<WithinDecl> within;
  std::optional<Text> because;
  bool of_job = false;
  std::vector<Text> references;
  Span span;
};

struct OutcomeDecl {
  Name name;
  std::optional<VariableDecl> on;  // `of attempt` is accepted and changes nothing.
  std::vector<ExprPtr> whens;
  std::optional<Name> gives;
  std::optional<std::int64_t> rank;
  std::optional<EmitDecl> emit;
  std::vector<Text> references;
  Span span;
};

struct AmbiguousDecl {
  Name name;
  std::vector<Name> among;
  std::vector<ExprPtr> whens;
  std::optional<Name> verdict;
  std::optional<Text> report;
  std::vector<Text> asks;
  std::vector<Text> references;
  Span span;
};

struct LetDecl {
  Name name;
  std::vector<FieldDecl> params;
  ExprPtr body;
  Span span;
};

struct OverrideDecl {  // Parsed and refused in language 1; the clauses are kept as source text.
  Name target;
  Span body;
  Span span;
};

struct Where {  // at "node" | at rank N | at gpu "pci" | at attempt
  enum class Kind : std::uint8_t { Node, Rank, Gpu, Attempt };
  Kind kind = Kind::Node;
  std::string text;
  std::int64_t number = 0;
  Span span;
};
struct TestLine {
  std::int64_t at = 0;  // ns from the job's start
  Text line;            // Lines; else object is used.
  std::optional<PairList> object;
  bool expects_nothing = false;
  std::vector<std::pair<Name, PairList>> expects;  // => extract { ... }
  Span span;
};
struct TestLog {
  enum class Kind : std::uint8_t { Lines, Metric, Record };
  Kind kind = Kind::Lines;
  Name source;  // kernel, app, slurm ...
  std::optional<Text> node;
  std::optional<std::int64_t> rank;
  std::vector<TestLine> lines;
  Span span;
};
struct TestClock {
  Text node;
  std::int64_t offset = 0;  // ns: how far this node's clock runs ahead
  std::int64_t error = 0;
  Span span;
};
struct TestSource {
  Name source;
  std::optional<Text> node;
  std::optional<std::int64_t> rank;
  std::optional<Name> status;
  std::optional<std::pair<std::int64_t, std::int64_t>> covers;
  Span span;
};
struct TestPlace {
  std::int64_t rank = 0;
  Text node;
  std::optional<Text> gpu;
  Span span;
};
struct Expectation {
  enum class Kind : std::uint8_t {
    Root,
    RootsInclude,
    Demoted,
    Symptom,
    No,
    Status,
    Outcome,
    Domain,
    Affected,
    Exclude,
    Ambiguous,
    NoAmbiguous,
    Unattributed,
    Ask
  };
  Kind kind = Kind::Root;
  std::vector<Name> names;  // Symptom names; or the word of status, outcome, domain.
  std::optional<Where> at;
  std::optional<PairList> fields;
  std::optional<Name> confidence;
  std::optional<Name> by;
  std::optional<Name> role;
  std::vector<Text> texts;  // affected, exclude, ask
  Span span;
};
struct TestDecl {
  Text title;
  std::optional<PairList> job;
  std::vector<TestPlace> places;
  std::vector<TestClock> clocks;
  std::vector<TestSource> sources;
  std::vector<TestLog> logs;
  std::vector<Expectation> expects;
  Span span;
};

using Decl = std::variant<PackDecl, LanguageDecl, UseDecl, EventDecl, SymptomDecl, ExtractDecl,
                          TableDecl, DecodeDecl, InferDecl, DemoteDecl, OutcomeDecl, AmbiguousDecl,
                          LetDecl, OverrideDecl, TestDecl>;

struct File {
  SourceId source;
  std::vector<Decl> decls;  // In the order of the file.
};

}  // namespace attrib::dsl
