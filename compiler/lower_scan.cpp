#include <algorithm>

#include "compiler/expr_walk.h"
#include "compiler/lowering.h"
#include "compiler/possible_types.h"
#include "program/verify.h"

namespace attrib::compiler {

using model::ValueKind;
using program::Opcode;

namespace {

bool has_index(const Expr& at) {
  if (at.kind == ExprKind::FieldOf) {
    return at.type.kind == ValueKind::Int || at.type.kind == ValueKind::String ||
           at.type.kind == ValueKind::Entity;
  }
  return at.kind == ExprKind::AttributeOf &&
         (at.attribute == model::Attribute::Entity || at.attribute == model::Attribute::Node ||
          at.attribute == model::Attribute::Rank);
}

}  // namespace

Reg RuleLowering::fact_register(VarId var) {
  const auto found = fact_registers_.find(var.value);
  if (found != fact_registers_.end()) return found->second;
  return fact_registers_[var.value] = code_.keep(ValueKind::Fact);
}

// A bag keeps its register, so that what it collected is there when its rule emits.
Reg RuleLowering::bag_register(std::size_t key) {
  const auto found = bag_registers_.find(key);
  if (found != bag_registers_.end()) return found->second;
  return bag_registers_[key] = code_.keep(ValueKind::Bag);
}

std::optional<std::size_t> RuleLowering::field_index(VarId var, std::uint32_t type,
                                                     const Expr& at) const {
  const auto& fields = rule_.vars[var.value].scope.events ? module_.events[type].fields
                                                          : module_.symptoms[type].fields;
  const auto found = std::ranges::find(fields, at.text, &model::Field::name);
  if (found != fields.end()) return static_cast<std::size_t>(found - fields.begin());
  return std::nullopt;
}

bool RuleLowering::is_bound(ExprId id) const {
  const auto vars = vars_of(module_, rule_, id);
  // Without a variable the same facts would be sought for every binding: a filter does that as
  // well.
  return !vars.empty() &&
         std::all_of(vars.begin(), vars.end(), [&](VarId v) { return bound_[v.value].bound; });
}

std::optional<RuleLowering::Key> RuleLowering::as_key(VarId var, std::optional<std::uint32_t> type,
                                                      ExprId side, ExprId other) const {
  const Expr& at = module_.exprs[side.value];
  if (!has_index(at) || at.var != var || !is_bound(other)) return std::nullopt;
  if (kind_of(module_.exprs[other.value]) != at.type.kind) return std::nullopt;
  if (at.kind == ExprKind::AttributeOf) {
    return Key{true, static_cast<std::size_t>(at.attribute), other};
  }
  const auto index = type ? field_index(var, *type, at) : std::nullopt;
  return index ? std::optional(Key{false, *index, other}) : std::nullopt;
}

std::optional<RuleLowering::Key> RuleLowering::find_key(VarId var,
                                                        std::optional<std::uint32_t> type,
                                                        const Conditions& conditions) const {
  for (const ExprId id : conditions) {
    const Expr& at = module_.exprs[id.value];
    if (at.kind != ExprKind::Compare || at.compare != model::Compare::Equal) continue;
    if (auto key = as_key(var, type, at.a, at.b)) return key;
    if (auto key = as_key(var, type, at.b, at.a)) return key;
  }
  return std::nullopt;
}

void RuleLowering::open_scan(VarId var, std::optional<std::uint32_t> type,
                             const std::optional<Key>& key, std::optional<Reg> near) {
  const Reg fact = bound_[var.value].reg;
  const bool events = rule_.vars[var.value].scope.events;
  if (key) {
    code_.emit(Opcode::Seek, value(key->sought), key->attribute ? 1 : 0, key->index);
  }
  if (near && !events) {
    code_.open(type ? Opcode::OpenNear : Opcode::OpenNearAny, fact, type ? *type : type_set(var),
               *near);
  } else if (key) {
    code_.open(events ? Opcode::OpenEventsKeyed : Opcode::OpenKeyed, fact, *type);
  } else if (!type) {
    code_.open(Opcode::OpenAny, fact, type_set(var));
  } else {
    code_.open(events ? Opcode::OpenEvents : Opcode::OpenSymptoms, fact, *type);
  }
}

// The types that the variable's own condition leaves of `any`, as an operand; 0: all.
std::uint32_t RuleLowering::type_set(VarId var) {
  const auto types = possible_types(module_, rule_, var);
  return types.size() == module_.symptoms.size() ? 0 : pool_.types(types);
}

void RuleLowering::each_fact(VarId var, const Conditions& conditions, const Body& body) {
  each_fact_near(var, conditions, std::nullopt, body);
}

void RuleLowering::each_fact_near(VarId var, const Conditions& conditions, std::optional<Reg> near,
                                  const Body& body) {
  const Scope& scope = rule_.vars[var.value].scope;
  std::vector<std::optional<std::uint32_t>> types;
  if (scope.any) types.emplace_back();
  for (const std::uint32_t type : scope.types) types.emplace_back(type);
  const Span outer = code_.span();
  for (const auto& type : types) {
    // Lists of types multiply with one another. verify() refuses what comes out; this only keeps it
    // from growing on.
    if (code_.code().size() > program::kMaxRuleCode) break;
    const CodeBuilder::Scope registers(code_);
    code_.at(rule_.vars[var.value].span);
    Binding& binding = bound_[var.value];
    binding = {fact_register(var), false, type};
    const bool may_be_keyed = type || near;
    open_scan(var, type, may_be_keyed ? find_key(var, type, conditions) : std::nullopt, near);
    binding.bound = true;
    code_.at(outer);
    body();
    code_.at(rule_.vars[var.value].span);
    code_.close();
    binding.bound = false;
  }
  code_.at(outer);
}

}  // namespace attrib::compiler
