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

}  // namespace

std::span<const OpcodeInfo> opcodes() {
  static const auto kSorted = [] {
    auto out = kOpcodes;
    std::ranges::sort(out, {}, &OpcodeInfo::op);
    return out;
  }();
  return kSorted;
}

constinit const std::array<const OpcodeInfo*, 256> kOpcodeOf = [] {
  std::array<const OpcodeInfo*, 256> out{};
  for (const OpcodeInfo& each : kOpcodes) out[static_cast<std::uint8_t>(each.op)] = &each;
  return out;
}();

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
