#include <fmt/format.h>

#include <algorithm>

#include "program/verify.h"
#include "program/verify_parts.h"

namespace attrib::program {

Refusal verify_strata(const Program& program) {
  // Of each symptom type: one more than the last infer layer that makes it; 0 if none does.
  std::vector<std::uint32_t> ready(program.symptoms.size(), 0);
  const auto code = [&](const Rule& rule) {
    return std::span(program.code).subspan(rule.code_begin, rule.code_end - rule.code_begin);
  };
  for (const Rule& rule : program.rules) {
    if (rule.kind != RuleKind::Infer) continue;
    for (const Instruction& in : code(rule)) {
      if (in.op == Opcode::EmitSymptom) ready[in.b] = std::max(ready[in.b], rule.stratum + 1);
    }
  }
  for (const Rule& rule : program.rules) {
    if (rule.kind != RuleKind::Infer) continue;
    for (const Instruction& in : code(rule)) {
      const bool opens =
          in.op == Opcode::OpenSymptoms || in.op == Opcode::OpenKeyed || in.op == Opcode::OpenNear;
      if (!opens || ready[in.b] <= rule.stratum) continue;
      return Error{fmt::format("rule `{}` of layer {} reads `{}`, which layer {} makes", rule.name,
                               rule.stratum, program.symptoms[in.b].name, ready[in.b] - 1)};
    }
  }
  return std::nullopt;
}

}  // namespace attrib::program
