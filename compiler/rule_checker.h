#pragma once

// Checks one rule: its variables, and every expression in it, into the typed IR. The files
// expr*.cpp, guards.cpp, emit.cpp and message.cpp each hold one part of it; rules_*.cpp say which
// clauses a kind of rule has.

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/context.h"
#include "compiler/template.h"

namespace attrib::compiler {

// What a `has` speaks of: a field of a variable, a capture, a label ... by the text that names it.
using GuardKey = std::tuple<std::uint32_t, std::string>;
using Guards = std::set<GuardKey>;
// Keys of labels, record fields and table cells begin with this: they may be compared unguarded
// (null gives unknown), but not assigned to what may not be null.
constexpr char kLenient = '?';

// What an expression is. Not valid: it was wrong, and that has been reported.
struct Typed {
  ExprId id;
  model::Type type;
  std::vector<model::EntityKind> kinds;  // Entity: the kinds it may be of.
  VarId fact;                   // A variable alone: a whole fact or a row; `id` is invalid then.
  bool nullable = false;        // May be null here.
  std::optional<GuardKey> key;  // What a `has` of it would be remembered as.
  [[nodiscard]] bool ok() const { return id.valid(); }
};

class RuleChecker {
 public:
  RuleChecker(Context& context, RuleKind kind, const dsl::Name& name, std::string pack);

  Context& c;
  Rule rule;

  // -- Variables. The rule's own are numbered in the order they are declared; there are `own` of
  // them. Query variables come after them.
  void reserve(std::size_t own, Span span);
  enum class Facts { Events, Symptoms, Either };
  // Declares `x: T where W` as the next own variable.
  std::optional<VarId> declare_fact(const dsl::VariableDecl& decl, Facts wanted);
  std::optional<VarId> declare_any(const dsl::Name& name);  // Over all symptoms.
  std::optional<VarId> declare_member(const dsl::VariableDecl& decl, const dsl::Expr& set);
  std::optional<VarId> declare_row(const dsl::LookupDecl& lookup);
  void declare_param(const dsl::ParamDecl& param);
  AbsentTest absent(const dsl::AbsentDecl& decl);

  // -- Expressions.
  Typed expr(const dsl::Expr& e, const model::Type* expected = nullptr);
  // A truth value; what it guards stays guarded. Invalid if wrong.
  ExprId condition(const dsl::Expr& e);
  // A value of this kind, or a report that names `what`.
  Typed wanted(const dsl::Expr& e, model::ValueKind kind, const std::string& what);
  // A value that may be assigned to a field of `type`.
  ExprId assigned(const dsl::Expr& e, const model::Field& field, const std::string& owner);
  ExprId entity_for(const dsl::Expr& e, const std::vector<model::EntityKind>& kinds,
                    const std::string& owner);
  void range(const dsl::RangeClause& clause, ExprId* from, ExprId* to);
  [[nodiscard]] std::optional<VarId> fact_named(
      const dsl::Name& name);  // A fact variable, or a report.

  // -- Outputs.
  std::optional<Emit> emit(const dsl::EmitDecl& decl, EmitOn on);
  Message message(const dsl::Text& text);

  // -- Inputs of extracts.
  struct Observation {
    ExtractKind kind = ExtractKind::Lines;
    const Captures* captures = nullptr;
    std::set<std::uint16_t> sure;  // Captures that every alternative has.
  };
  std::optional<Observation> observation;
  ExprId read_capture(std::uint16_t index, Span span);
  // A duration that may use parameters and duration fields (windows).
  ExprId duration(const dsl::Expr& e);

  [[nodiscard]] const char* stage() const;
  // The file-wide check that a let is right by itself; its IR is thrown away by the caller.
  bool check_let(const dsl::LetDecl& let);

 private:
  struct Binding {
    std::string name;
    Span span;
    VarId var;    // Valid: a variable.
    Typed value;  // Else: a parameter's value.
  };
  ExprId add(Expr e);
  ExprId add(ExprKind kind, Span span, model::Type type, ExprId a = {}, ExprId b = {});
  ExprId constant(model::Constant value, model::Type type, Span span);
  bool bind(const dsl::Name& name, VarId var, Typed value);
  const Binding* find_binding(const std::string& name) const;
  [[nodiscard]] bool is_word(
      const dsl::Expr& e) const;  // A bare word or literal, whose type comes from the other side.
  std::optional<Scope> scope_of(const std::vector<dsl::Name>& types, Facts wanted);
  std::optional<VarId> next_var(const dsl::Name& name, Span span);
  void where_of(VarId var, const dsl::ExprPtr& where);
  void param_range(const dsl::ParamDecl& decl, const model::Type& type, Param* param);

  Typed check(const dsl::Expr& e, const dsl::Literal& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::NameExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::CallExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::UnaryExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::BinaryExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::HasExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::InExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::RisesExpr& node, const model::Type* expected);
  Typed check(const dsl::Expr& e, const dsl::AggregateExpr& node, const model::Type* expected);

  Typed logic(const dsl::Expr& e, const dsl::BinaryExpr& node);
  Typed compare(const dsl::Expr& e, const dsl::BinaryExpr& node);
  Typed arithmetic(const dsl::Expr& e, const dsl::BinaryExpr& node, const model::Type* expected);
  bool comparable(const dsl::Expr& e, const Typed& a, const Typed& b, model::Compare op);
  void check_constant(const Typed& subject, const Typed& value, const dsl::Expr& where);
  Typed word_constant(const std::string& text, Span span, const model::Type& type);
  Typed in_list(const dsl::Expr& e, const dsl::InExpr& node);
  Typed has_tag(const dsl::Expr& e, const dsl::HasExpr& node);

  // expr_path.cpp
  Typed head(const dsl::Name& name, bool* found);
  Typed step(const Typed& from, const dsl::Name& part, Span so_far);
  Typed field_of(VarId var, const dsl::Name& part, Span so_far);
  Typed column_of(VarId var, const dsl::Name& part, Span so_far);
  Typed readable(Typed value, const std::string& shown, Span span);
  [[nodiscard]] std::optional<GuardKey> guard_key(const dsl::Expr& e) const;

  // expr_call.cpp
  Typed call_let(const dsl::Expr& e, const dsl::CallExpr& node);
  Typed call_text_test(const dsl::Expr& e, const dsl::CallExpr& node, model::TextTest test);
  Typed call_input(const dsl::Expr& e, const dsl::CallExpr& node);
  Typed call_entity(const dsl::Expr& e, const dsl::CallExpr& node);
  Typed call_history(const dsl::Expr& e, const dsl::CallExpr& node, bool bursts);
  Typed call_pair(const dsl::Expr& e, const dsl::CallExpr& node, bool tied);
  bool arguments(const dsl::CallExpr& node, std::size_t count, const std::string& what);
  bool bind_let_param(const dsl::FieldDecl& param, const dsl::Expr& argument,
                      std::vector<Binding>* frame);
  std::optional<VarId> fact_argument(const dsl::Expr& e);
  bool allowed(bool here, Span span, const std::string& what);

  // guards.cpp: what must be there when `e` holds (or does not hold).
  void guards_if(const dsl::Expr& e, bool holds, Guards* out, int depth = 0) const;

  // emit.cpp
  ExprId meta(const std::string& word, const dsl::Expr& e);
  template <typename T>
  ExprId meta_word(const std::string& word, const dsl::Expr& e);

  std::vector<Binding> bindings_;
  std::size_t own_ = 0, own_declared_ = 0;
  Guards guards_;
  bool null_ok_ = false;  // A read that may be null is allowed here.
  bool closed_ = false;   // Inside a let: only its parameters are visible.
  bool in_query_ = false;
  std::size_t let_depth_ = 0;
  std::size_t exprs_ = 0;
  bool too_many_ = false;
};

// "number", "word", "a Gpu", "a set of Rank": a type in a message.
std::string describe(const model::Type& type);
std::string describe(const Typed& value);

// Is `number` a value that the reader of `type` can give?
bool in_range(const model::Type& type, std::int64_t number);

}  // namespace attrib::compiler
