#include "vm/progress_types.h"

#include <algorithm>
#include <span>

namespace attrib::vm {

using program::Instruction;
using program::Opcode;

std::vector<bool> progress_only(const program::Program& program) {
  std::vector<bool> out;
  for (const model::EventType& type : program.events) out.push_back(type.progress);
  for (const Instruction& each : program.code) {
    if (each.op == Opcode::OpenEvents || each.op == Opcode::OpenEventsKeyed) out[each.b] = false;
  }
  return out;
}

bool shows_progress_only(const program::Program& program, const program::Extract& extract,
                         const std::vector<bool>& progress_only) {
  const program::Rule& rule = program.rules[extract.rule];
  const std::span<const Instruction> code(program.code.data() + rule.code_begin,
                                          rule.code_end - rule.code_begin);
  bool emits = false;
  for (const Instruction& each : code) {
    if (each.op == Opcode::Learn) return false;
    if (each.op != Opcode::EmitEvent) continue;
    if (!progress_only[each.b] || each.c != 1) return false;
    emits = true;
  }
  return emits;
}

}  // namespace attrib::vm
