#include "vm/alike.h"

#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/byte_key.h"
#include "program/opcode.h"

namespace attrib::vm {

using program::Instruction;
using program::Opcode;

namespace {

// Does the extract's rule learn, and look at nothing of its line but the captures and the stream?
bool only_learns(const program::Program& program, const program::Extract& extract) {
  const program::Rule& rule = program.rules[extract.rule];
  const std::span<const Instruction> code(program.code.data() + rule.code_begin,
                                          rule.code_end - rule.code_begin);
  bool learns = false;
  for (const Instruction& each : code) {
    switch (each.op) {
      case Opcode::Learn:
        learns = true;
        break;
      case Opcode::LoadConst:
      case Opcode::LoadParam:
      case Opcode::LoadCapture:
      case Opcode::LoadHere:
      case Opcode::MakeComm:
      case Opcode::MakeColl:
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Negate:
      case Opcode::ReadText:
      case Opcode::Compare:
      case Opcode::InList:
      case Opcode::Has:
      case Opcode::TextTest:
      case Opcode::Not:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Filter:
      case Opcode::Halt:
        break;
      default:
        return false;
    }
  }
  return learns;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> told_apart_by(const program::Program& program,
                                                        const program::Extract& extract) {
  if (!extract.keep_first_by.empty()) return extract.keep_first_by;
  if (extract.kind != program::ExtractKind::Lines || extract.keep_last || !only_learns(program, extract))
    return std::nullopt;
  std::vector<std::uint32_t> all(extract.captures.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

void append_said(std::uint32_t extract, const std::vector<std::uint32_t>& by, const Captured& captures,
                 std::string* out) {
  append_key(extract, out);
  for (const std::uint32_t capture : by) {
    const std::optional<model::Constant>& value = captures[capture];
    append_key(value.has_value(), out);
    if (!value) continue;
    append_key(value->kind, out);
    append_key(value->number, out);
    append_key(value->text, out);
  }
}

bool FirstMatches::add(std::uint32_t extract, const std::vector<std::uint32_t>& by, const Captured& captures) {
  std::string said;
  append_said(extract, by, captures, &said);
  return said_.insert(std::move(said)).second;
}

}  // namespace attrib::vm
