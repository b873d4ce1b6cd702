#pragma once

// Three-valued evaluation of a rule's expressions by walking the typed tree.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/module.h"
#include "evidence/evidence.h"
#include "tests/reference/facts.h"
#include "tests/reference/pattern.h"
#include "tests/reference/world.h"

namespace attrib::reference {

// All that a run knows.
struct State {
  const compiler::Module& module;
  const evidence::Evidence& evidence;
  World world;
  std::vector<Fact> events;
  std::vector<Fact> occurrences;  // Canonical order.
  std::size_t next_id = 0;
  mutable std::array<std::uint64_t, 3> truths{};  // How often a condition was no, unknown, yes.
  std::uint64_t learned = 0;
  // For ambiguous rules: the heads of the tied candidates (ids of occurrences).
  std::vector<std::vector<std::size_t>> tied;
};

// What a rule's variables are bound to just now.
struct Bindings {
  std::map<std::uint32_t, const Fact*> facts;
  std::map<std::uint32_t, Entity> members;
  std::map<std::uint32_t, const model::TableRow*> rows;
  // Certain members of each query when it was last asked: part of an inference's evidence.
  std::map<std::uint32_t, std::vector<const Fact*>> collected;
  std::string row_place;  // Of the row looked up last.
  // Extract rules
  const evidence::Observation* observation = nullptr;
  const Captures* captures = nullptr;
  const compiler::Extract* extract = nullptr;
};

std::optional<Entity> node_of_fact(const State& state, const Fact& fact);
std::optional<Entity> rank_of_fact(const State& state, const Fact& fact);
std::string node_of_observation(const compiler::Extract& extract, const Captures& captures,
                                const evidence::Observation& observation);
std::optional<std::uint32_t> rank_of_observation(const compiler::Extract& extract,
                                                 const Captures& captures,
                                                 const evidence::Observation& observation);

std::string describe(const Entity& e);

// Occurrences or events a variable ranges over, in canonical order.
std::vector<const Fact*> range_of(const State& state, const compiler::Scope& scope);

class Evaluator {
 public:
  Evaluator(const State& state, const compiler::Rule& rule, Bindings& bindings)
      : state_(state), rule_(rule), bindings_(bindings) {}

  Value value(compiler::ExprId id);
  Truth truth(compiler::ExprId id);  // Invalid: Yes.
  const model::TableRow* row(const compiler::Var& var);
  // Membership and coverage of one absence; fills in what it looked for.
  struct Absence {
    Truth truth = Truth::Unknown;
    bool possible = false;                        // A match may exist.
    std::optional<verdict::AbsentEvidence> what;  // If it is known of what and when.
  };
  Absence absent(const compiler::AbsentTest& test);

 private:
  Value attribute(const Fact& fact, model::Attribute attribute);
  Value field(const Fact& fact, const compiler::Expr& expr);
  Value capture(std::uint32_t index);
  Value in_list(const compiler::Expr& expr);
  Value text_test(const compiler::Expr& expr);
  Value aggregate(const compiler::Expr& expr);
  Value bursts(const compiler::Expr& expr);
  Value solo(const compiler::Expr& expr);
  Value related(const compiler::Expr& expr);
  const Fact& fact(compiler::VarId var) { return *bindings_.facts.at(var.value); }

  const State& state_;
  const compiler::Rule& rule_;
  Bindings& bindings_;
};

}  // namespace attrib::reference
