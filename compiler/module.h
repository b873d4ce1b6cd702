#pragma once

// The typed IR: every name resolved, every expression typed, lets inlined, tables loaded and proved, strata known.
// It depends on model/ and base/ only, so that a second evaluator can run it without the VM (tests/reference/).
//
// Nodes sit in vectors and refer to each other by index. Types of one table are in name order, so a Module does not
// depend on the order of files or declarations: that is what makes programs deterministic.

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "model/attribute.h"
#include "model/line_template.h"
#include "model/schema.h"
#include "model/table.h"
#include "model/value.h"
#include "model/vocabulary.h"

namespace attrib::compiler {

struct ExprId {
  std::uint32_t value = 0xffffffff;
  [[nodiscard]] bool valid() const { return value != 0xffffffff; }
  friend bool operator==(ExprId, ExprId) = default;
};
struct QueryId {  // Index into Module::queries.
  std::uint32_t value = 0xffffffff;
  [[nodiscard]] bool valid() const { return value != 0xffffffff; }
};
struct VarId {  // Index into Rule::vars: facts, members, rows and queries' own variables of one rule.
  std::uint32_t value = 0xffffffff;
  [[nodiscard]] bool valid() const { return value != 0xffffffff; }
  friend bool operator==(VarId, VarId) = default;
};

enum class ExprKind : std::uint8_t {
  Constant,    // constant
  Param,       // index: into Rule::params
  FieldOf,     // var (a fact), text: field, index: its index in the first type of the var's scope. A scope of several
               // types may have it at other indexes: find it by name in each. Null if absent.
  AttributeOf, // var (a fact), attribute
  Member,      // var (an `each r: Rank in SET` member): the entity itself
  Cell,        // var (a row), index: result column
  Capture,     // index: capture of the extract (extract rules only)
  Seen,        // of the observation (extract rules only)
  ObservationNode,  // `node`, `rank` in an extract: entities of the observation
  ObservationRank,
  ObservationMessage,  // `message` in an extract of lines: String
  Attempt,     // the attempt entity
  MetricName,  // String
  MetricValue, // Decimal
  MetricRises, // Truth
  MetricLabel, // text: key; String or Null
  RecordField, // text: key; String or Null
  ReadText,    // a: String, read as `type` says; Null where it has not that form
  RelationOf,  // a: entity, relation -> Entity or Null
  SetOf,       // a: entity, set -> Set
  MakeCommunicator,  // a: String -> Entity
  MakeCollective,    // a: String or Communicator, b: Int -> Entity
  Not,         // a
  And,         // a, b
  Or,          // a, b
  Compare,     // a, b, compare
  InList,      // a, list: constants
  InSet,       // a: entity, b: set
  Has,         // a: is it not null? never unknown
  HasTag,      // var (a symptom), text
  TextTest,    // a, b, text_test
  Add,         // a, b: Int+Int, Duration+Duration, Moment+Duration, Decimal+Decimal
  Sub,         // a, b: the same, and Moment-Moment is not a value: use `within`
  Negate,      // a
  Aggregate,   // query, aggregate, a: the value collected (in the query's scope)
  Bursts,      // var, a: Duration -> Int
  Solo,        // var, a: Duration -> Truth
  Tied,        // var, b via second_var -> Truth (ambiguous rules)
  Related,     // var, second_var -> Truth
};

enum class Aggregate : std::uint8_t { Count, CountDistinct, Least, Odd };

struct Expr {
  ExprKind kind = ExprKind::Constant;
  model::Type type;
  Span span;
  ExprId a, b;
  VarId var, second_var;
  std::uint32_t index = 0;
  std::string text;
  model::Constant constant;
  std::vector<model::Constant> list;
  model::Attribute attribute = model::Attribute::Entity;
  model::Relation relation = model::Relation::NodeOfGpu;
  model::SetKind set = model::SetKind::RanksOfNode;
  model::Compare compare = model::Compare::Equal;
  model::TextTest text_test = model::TextTest::Contains;
  Aggregate aggregate = Aggregate::Count;
  QueryId query;
};

// What a fact variable ranges over.
struct Scope {
  bool events = false;                // Event types (indexes into Module::events), else symptom types.
  bool any = false;                   // All symptom types.
  std::vector<std::uint32_t> types;   // Sorted; empty when `any`.
};

enum class VarKind : std::uint8_t { Fact, Member, Row };
struct Var {
  std::string name;
  VarKind kind = VarKind::Fact;
  Scope scope;               // Fact
  ExprId where;              // Fact: condition on itself and earlier variables; may be invalid.
  ExprId in;                 // Member: the set.
  std::uint32_t table = 0;   // Row
  std::vector<ExprId> keys;  // Row: the look-up's keys, one a key column.
  Span span;
};

// A nested scan, for aggregates and absence: its own variable, which may see the rule's variables.
struct Query {
  VarId var;       // Fact; its `where` is the condition.
  ExprId over;     // least/odd: the set that must be covered; may be invalid.
};

struct AbsentTest {
  QueryId query;
  ExprId from, to;                 // Moments.
  model::SourceMask sources = 0;
  ExprId of;                       // Entity; invalid: the attempt.
  Span span;
};

struct FieldValue {
  std::uint32_t field = 0;
  ExprId value;
};

enum class EmitOn : std::uint8_t { True, Unknown, Unsure, Uncovered };
struct Emit {
  EmitOn on = EmitOn::True;
  bool event = false;            // Extracts emit an event type, all others a symptom type.
  std::uint32_t type = 0;
  ExprId at;                     // Entity; invalid: the default entity of an event, the attempt for a symptom.
  std::vector<FieldValue> fields;  // By field index; fields not given are null.
  ExprId role, domain, action, retry, blame, severity, title;  // Invalid: the type's own.
  ExprId begin_from, begin_to;   // Moments; invalid: the begin of the rule's first fact.
  Span span;
};

struct Param {
  std::string name;
  model::Constant value;
  model::Constant low, high;  // Null: no range.
  Span span;
};

enum class RuleKind : std::uint8_t { Extract, Decode, Infer, Demote, Outcome, Ambiguous };

// Text with holes: text[0] expr[0] text[1] expr[1] ... text[n].
struct Message {
  std::vector<std::string> texts;
  std::vector<ExprId> values;   // A fact variable alone prints as its symptom and entity: AttributeOf Name/Entity.
  std::vector<VarId> facts;     // Valid where a value is a whole fact; values[i] is invalid then.
};

// One rule of any kind. Evaluation order: variables in order (each a loop, a member loop or a look-up), then
// absences, then `when`, then emissions.
struct Rule {
  RuleKind kind = RuleKind::Decode;
  std::string pack;
  std::string name;               // Full name is pack.name.
  std::vector<Param> params;
  std::vector<Var> vars;          // Query variables come after the rule's own.
  std::uint32_t own_vars = 0;     // vars[0, own_vars) are the rule's own, in evaluation order.
  std::vector<AbsentTest> absents;
  std::vector<ExprId> whens;      // And-ed, in order. Demote: its `where` clauses.
  std::vector<Emit> emits;
  model::Band confidence = model::Band::Likely;
  std::uint32_t stratum = 0;      // Infer: its layer, from 0. Else 0.
  std::vector<std::string> references;  // Where what it says is written.
  Span span;

  // Extract
  std::uint32_t extract = 0;      // Index into Module::extracts.
  std::optional<model::LearnKind> learn;
  std::vector<ExprId> learn_operands;

  // Demote: vars[0] is the cause, vars[1] the effect.
  ExprId window_from, window_to;  // Durations; may use fields of both.
  model::Point window_start = model::Point::Begin, window_end = model::Point::Begin;
  bool window_reversed = false;   // `from e.x to c.y`: start belongs to the effect.
  std::string because;
  bool of_job = false;

  // Outcome: vars[0] is the symptom.
  model::Outcome gives = model::Outcome::Unknown;
  std::int64_t outcome_rank = 0;

  // Ambiguous: vars[0..n) are the tied roots.
  Message report;
  std::vector<Message> asks;
};

struct Capture {
  std::string name;
  model::Type type;
};

enum class ExtractKind : std::uint8_t { Lines, Metric, Record };

// The matching half of an extract; its rule (kind Extract, same index order) makes the event from the captures.
struct Extract {
  std::string pack;
  std::string name;
  ExtractKind kind = ExtractKind::Lines;
  model::SourceMask sources = 0;
  std::optional<model::Family> family;   // Unset: default_family of the observation's source.
  std::vector<Capture> captures;
  std::vector<model::Alternative> alternatives;  // Lines only.
  std::uint32_t rule = 0;                // Index into Module::rules.
  std::optional<std::uint32_t> event;    // Unset for `learn`.
  bool keep_last = false;                // Of a stream's lines that match, only the last counts.
  std::vector<std::uint32_t> keep_first_by;  // If any: captures, and only the first for each of their values counts.
  Span span;
};

struct Pack {
  std::string name;
  std::string version;
  std::vector<std::string> uses;
};

struct Module {
  std::vector<Pack> packs;                  // By name.
  std::vector<model::EventType> events;     // By name; JobState (built in) among them.
  std::vector<model::SymptomType> symptoms; // By name.
  std::vector<model::Table> tables;         // By name.
  std::vector<Extract> extracts;            // By full name.
  std::vector<Rule> rules;                  // By kind, then stratum, then full name.
  std::vector<Expr> exprs;
  std::vector<Query> queries;
  std::uint32_t infer_strata = 0;           // Number of infer layers.
  std::string tests_digest;                 // sha256 of the test files' texts, in path order.
};

// One expression as text, for dumps and messages.
std::string to_text(const Module& module, const Rule& rule, ExprId id);
// The whole module, for `rulec build --emit=ir` and golden tests.
std::string to_text(const Module& module);

}  // namespace attrib::compiler
