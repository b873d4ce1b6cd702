#include "program/opcode.h"

#include <algorithm>
#include <array>

namespace attrib::program {
namespace {

constexpr auto kOpcodes = std::to_array<OpcodeInfo>({
#define ATTRIB_OPCODE(byte, Name, mnemonic, a, b, c, d, sentence)  \
  {Opcode::Name,   #Name,          mnemonic,       OperandKind::a, \
   OperandKind::b, OperandKind::c, OperandKind::d, sentence},
#include "program/opcodes.def"
});

constexpr std::size_t kBytes = 256;

// Byte -> place in kOpcodes, or kOpcodes.size().
constexpr std::array<std::uint8_t, kBytes> by_byte() {
  static_assert(kOpcodes.size() < kBytes);
  std::array<std::uint8_t, kBytes> out{};
  out.fill(static_cast<std::uint8_t>(kOpcodes.size()));
  for (std::size_t i = 0; i < kOpcodes.size(); ++i) {
    out[static_cast<std::uint8_t>(kOpcodes[i].op)] = static_cast<std::uint8_t>(i);
  }
  return out;
}

}  // namespace

std::span<const OpcodeInfo> opcodes() {
  static const auto kSorted = [] {
    auto out = kOpcodes;
    std::ranges::sort(out, {}, &OpcodeInfo::op);
    return out;
  }();
  return kSorted;
}

const OpcodeInfo* find_opcode(std::uint8_t byte) {
  static constexpr auto kByByte = by_byte();
  const std::size_t index = kByByte[byte];
  return index < kOpcodes.size() ? &kOpcodes[index] : nullptr;
}

std::string_view to_text(OperandKind kind) {
  constexpr auto kTexts = std::to_array<std::string_view>({
      "",          "out any",    "out truth", "out number", "out word",     "out decimal",
      "out time",  "out entity", "out set",   "out row",    "out count",    "out bag",
      "any",       "truth",      "number",    "word",       "duration",     "time",
      "entity",    "set",        "row",       "bag",        "fact",         "new fact",
      "immediate", "constant",   "parameter", "event type", "symptom type", "type set",
      "table",     "text",       "target",
  });
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string_view to_text(RuleKind kind) {
  constexpr auto kTexts = std::to_array<std::string_view>(
      {"extract", "decode", "infer", "demote", "outcome", "ambiguous"});
  return kTexts[static_cast<std::size_t>(kind)];
}

}  // namespace attrib::program
