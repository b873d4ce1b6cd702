#pragma once

// What opcodes.def says of each opcode, as data.

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "program/program.h"

namespace attrib::program {

enum class OperandKind : std::uint8_t {
  None,
  OutAny, OutTruth, OutInt, OutString, OutDecimal, OutMoment, OutEntity, OutSet, OutRow, OutCount, OutBag,
  InAny, InTruth, InInt, InString, InDuration, InMoment, InEntity, InSet, InRow, InBag,
  Fact, NewFact,
  Imm, Const, Param, EventT, SymptomT, TypeSet, TableI, TextI, Target,
};

struct OpcodeInfo {
  Opcode op;
  std::string_view name;
  std::string_view mnemonic;
  OperandKind a, b, c, d;
  std::string_view sentence;
};

std::span<const OpcodeInfo> opcodes();           // In byte order.
// By byte; null for an unknown one.
extern const std::array<const OpcodeInfo*, 256> kOpcodeOf;
inline const OpcodeInfo* find_opcode(std::uint8_t byte) { return kOpcodeOf[byte]; }
inline const OpcodeInfo& info(Opcode op) { return *find_opcode(static_cast<std::uint8_t>(op)); }
std::string_view to_text(OperandKind kind);

}  // namespace attrib::program
