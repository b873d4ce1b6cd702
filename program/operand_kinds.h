#pragma once

// Which kinds of value meet in an operation, and which operations a rule of each kind may have.

#include "model/attribute.h"
#include "program/opcode.h"

namespace attrib::program {

constexpr bool is_output(OperandKind kind) {
  return kind >= OperandKind::OutAny && kind <= OperandKind::OutBag;
}

// May a register that holds `held` stand at an operand of this kind?
bool fits(OperandKind operand, model::ValueKind held);

bool is_number(model::ValueKind kind);  // Int, Duration, Decimal
bool is_scalar(model::ValueKind kind);  // What a field can hold, and times.
bool comparable(model::ValueKind a, model::ValueKind b, model::Compare op);
bool adds(model::ValueKind a, model::ValueKind b, model::ValueKind sum);

// Each stage of a run has its own inputs and outputs.
bool allowed(RuleKind kind, const Instruction& instruction);

}  // namespace attrib::program
