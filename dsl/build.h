#pragma once

// From the grammar's nodes to the tree of dsl/ast.h. Builders report what the grammar cannot see
// (units, escapes, a clause written twice) and mark the declaration as failed; it is then left out.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/diagnostics.h"
#include "dsl/ast.h"
#include "dsl/syntax.h"

namespace attrib::dsl {

struct BuildContext {
  const SyntaxTree& tree;
  std::string_view text;  // Of the declaration.
  SourceId source;
  std::uint32_t base;  // Where it begins in its file.
  DiagnosticSink& sink;
  bool failed = false;
  bool too_deep = false;  // Reported once a declaration.
};

// One node with what is needed to read it.
class Node {
 public:
  Node(BuildContext& context, std::uint32_t index) : context_(&context), index_(index) {}

  [[nodiscard]] Kind kind() const { return raw().kind; }
  [[nodiscard]] bool is(Kind kind) const { return raw().kind == kind; }
  [[nodiscard]] Span span() const {
    return {context_->source, context_->base + raw().begin, context_->base + raw().end};
  }
  [[nodiscard]] std::string_view text() const {
    return context_->text.substr(raw().begin, raw().end - raw().begin);
  }
  [[nodiscard]] BuildContext& context() const { return *context_; }

  [[nodiscard]] std::vector<Node> children() const;
  [[nodiscard]] Node first() const { return {*context_, index_ + 1}; }  // There must be one.
  [[nodiscard]] bool empty() const { return raw().next == index_ + 1; }
  [[nodiscard]] std::optional<Node> child(Kind kind) const;
  [[nodiscard]] bool has(Kind kind) const { return child(kind).has_value(); }

  template <typename Kind, typename... Args>
  Diagnostic& fail(Args&&... args) const {
    context_->failed = true;
    return context_->sink.emit<Kind>(span(), std::forward<Args>(args)...);
  }

 private:
  [[nodiscard]] const SyntaxNode& raw() const { return context_->tree[index_]; }

  BuildContext* context_;
  std::uint32_t index_;
};

// Tokens
Name build_name(const Node& node);  // Name; also Text, for names that may be quoted.
Text build_text(const Node& node);  // Text
Text build_template(
    const Node& node);  // Text in which `\{` stays apart from a hole: it becomes `{{`.
Literal build_number(const Node& node);           // Number, Duration
std::int64_t build_integer(const Node& node);     // Number; reports anything but a whole number.
std::int64_t build_duration(const Node& node);    // Duration, ns; reports a bare number.
std::vector<Name> build_names(const Node& node);  // The Name children.
void add_references(const Node& node, std::vector<Text>& references);  // The Text children.

// Expressions
ExprPtr build_expr(const Node& node);
RangeClause build_range(const Node& node);
VariableDecl build_variable(const Node& node);
PairList build_object(const Node& node);

// Declarations
FieldDecl build_field(const Node& node);
EventDecl build_event(const Node& node);
SymptomDecl build_symptom(const Node& node);
ExtractDecl build_extract(const Node& node);
TableDecl build_table(const Node& node);
LookupDecl build_lookup(const Node& node);
EmitDecl build_emit(const Node& node);
DecodeDecl build_decode(const Node& node);
InferDecl build_infer(const Node& node);
DemoteDecl build_demote(const Node& node);
OutcomeDecl build_outcome(const Node& node);
AmbiguousDecl build_ambiguous(const Node& node);
TestDecl build_test(const Node& node);
Decl build_declaration(const Node& node);

// Gives a clause its value; reports a second one.
template <typename Slot, typename Value>
void set_once(const Node& clause, std::string_view word, Slot& slot, Value&& value) {
  if (slot) {
    clause.fail<diag::DuplicateClause>(word);
    return;
  }
  slot = std::forward<Value>(value);
}

}  // namespace attrib::dsl
