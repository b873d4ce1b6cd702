#pragma once

// Which kinds of value meet in an operation, and which operations a rule of each kind may have.

#include <array>

#include "model/attribute.h"
#include "program/opcode.h"

namespace attrib::program {

constexpr bool is_output(OperandKind kind) {
  return kind >= OperandKind::OutAny && kind <= OperandKind::OutBag;
}

constexpr std::size_t kOperandKinds = static_cast<std::size_t>(OperandKind::Target) + 1;

// May a register that holds `held` stand at an operand of this kind? By kind of operand: a bit for each kind
// of value.
extern const std::array<unsigned, kOperandKinds> kAccepted;
inline bool fits(OperandKind operand, model::ValueKind held) {
  return (kAccepted[static_cast<std::size_t>(operand)] >> static_cast<unsigned>(held) & 1U) != 0;
}

bool is_number(model::ValueKind kind);  // Int, Duration, Decimal
bool is_scalar(model::ValueKind kind);  // What a field can hold, and times.
bool comparable(model::ValueKind a, model::ValueKind b, model::Compare op);
bool adds(model::ValueKind a, model::ValueKind b, model::ValueKind sum);

// Each stage of a run has its own inputs and outputs. By opcode: a bit for each kind of rule.
extern const std::array<std::uint8_t, 256> kWhereAllowed;
inline bool allowed(RuleKind kind, const Instruction& in) {
  if (in.op == Opcode::LoadHere && in.c == 2) return true;  // The attempt is known to every rule.
  return (kWhereAllowed[static_cast<std::uint8_t>(in.op)] >> static_cast<unsigned>(kind) & 1U) != 0;
}

}  // namespace attrib::program
