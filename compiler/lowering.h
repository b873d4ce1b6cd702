#pragma once

// One rule of the typed IR to code. A class only so that the parts (lower_*.cpp) share the state of
// the rule in work.

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "compiler/code_builder.h"
#include "compiler/constant_pool.h"
#include "compiler/module.h"

namespace attrib::compiler {

class RuleLowering {
 public:
  RuleLowering(const Module& module, const Rule& rule, ConstantPool& pool)
      : module_(module), rule_(rule), pool_(pool), bound_(rule.vars.size()) {}

  // Makes the rule's code; call once.
  void run();
  [[nodiscard]] const CodeBuilder& code() const { return code_; }

 private:
  // Where a variable's value is while it is bound.
  struct Binding {
    Reg reg = 0;
    bool bound = false;
    std::optional<std::uint32_t> type;  // Of a fact; none: any symptom.
  };
  struct Key {
    bool attribute = false;
    std::size_t index = 0;
    ExprId sought;
  };
  using Conditions = std::vector<ExprId>;
  using Body = std::function<void()>;

  // -- lower_expr.cpp: expressions
  Reg value(ExprId id);
  void into(Reg out, ExprId id);
  void entity_or_set(Reg out, const Expr& at);
  void logic(Reg out, const Expr& at);
  void fact_test(Reg out, const Expr& at);
  void aggregate(Reg out, ExprId id);
  void field(Reg out, const Expr& at);
  [[nodiscard]] model::ValueKind kind_of(const Expr& at) const;
  Reg yes();
  void constant(Reg out, const model::Constant& value);
  // All of them, as one truth. One that is `no` ends the binding early.
  Reg all_of(const Conditions& conditions);
  // Goes on where all are `yes`.
  void demand(const Conditions& conditions);

  // -- lower_scan.cpp: loops over facts
  // Runs `body` in a loop for each type of the variable's scope. `conditions` may hold an equality
  // that makes the scan a keyed one; they are not tested here.
  void each_fact(VarId var, const Conditions& conditions, const Body& body);
  // The same for the inner side of a demotion: near the fact in `near`.
  void each_fact_near(VarId var, const Conditions& conditions, std::optional<Reg> near,
                      const Body& body);
  void open_scan(VarId var, std::optional<std::uint32_t> type, const std::optional<Key>& key,
                 std::optional<Reg> near);
  // Without a type only attributes are keys.
  std::optional<Key> find_key(VarId var, std::optional<std::uint32_t> type,
                              const Conditions& conditions) const;
  std::optional<Key> as_key(VarId var, std::optional<std::uint32_t> type, ExprId side,
                            ExprId other) const;
  [[nodiscard]] bool is_bound(ExprId id) const;
  [[nodiscard]] std::optional<std::size_t> field_index(VarId var, std::uint32_t type,
                                                       const Expr& at) const;
  std::uint32_t type_set(VarId var);
  Reg fact_register(VarId var);
  Reg bag_register(std::size_t key);

  // -- lower_rule.cpp: clauses
  void bind_from(std::size_t var, const Body& body);
  void lookup(VarId var);
  void clauses();
  void three_valued_clauses();
  Reg absence(std::size_t index, std::optional<Reg>* possible);
  Reg fold(program::Opcode op, const std::vector<Reg>& truths);
  void emit_all(EmitOn on);
  void emission(const Emit& emit);
  void learn();
  void messages();
  void message(const Message& message, unsigned which);
  [[nodiscard]] Conditions whens() const;

  // -- lower_demote.cpp
  void demote();
  void pair(VarId cause, VarId effect);
  void reach(bool outer_ends_window);

  const Module& module_;
  const Rule& rule_;
  ConstantPool& pool_;
  CodeBuilder code_;
  std::vector<Binding> bound_;
  std::map<std::uint32_t, Reg> fact_registers_;
  std::map<std::size_t, Reg> bag_registers_;
};

}  // namespace attrib::compiler
