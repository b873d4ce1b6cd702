#include <fmt/format.h>

#include "program/disassemble.h"
#include "program/opcode.h"

namespace attrib::program {
namespace {

std::string cell(OperandKind kind) {
  const std::string_view text = to_text(kind);
  return text.empty() ? "-" : std::string(text);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

constexpr std::string_view kHead = R"(# Instructions

Generated from `program/opcodes.def`. Do not edit: `bytecode_page > docs/bytecode.md` writes it anew.

An instruction has an opcode and four operands: a, b, c of 16 bits and d of 32. Registers are numbered within a rule and
have one kind each. *out* operands are written, the others read. A *fact* register holds an event or a symptom while its
loop is open. An *immediate* is a number; what it means stands in the last column. A *target* is a later instruction of the same
rule, counted from its first. docs/program-format.md says how instructions lie in a file and what the verifier demands.

| byte | instruction | a | b | c | d | meaning |
|---|---|---|---|---|---|---|
)";

}  // namespace

std::string bytecode_page() {
  std::string out(kHead);
  for (const OpcodeInfo& op : opcodes()) {
    out += fmt::format("| 0x{:02x} | `{}` | {} | {} | {} | {} | {} |\n",
                       static_cast<unsigned>(op.op), op.mnemonic, cell(op.a), cell(op.b),
                       cell(op.c), cell(op.d), escaped(op.sentence));
  }
  return out;
}

}  // namespace attrib::program
