#include <fmt/format.h>

#include <algorithm>

#include "program/verify.h"
#include "program/verify_parts.h"

namespace attrib::program {

namespace {

// Layers in the order of a run: decode 0, infer from 1, outcome last. Later stages make no
// symptoms.
std::uint32_t layer_of(const Program& program, const Rule& rule) {
  if (rule.kind == RuleKind::Infer) return rule.stratum + 1;
  return rule.kind == RuleKind::Outcome ? program.infer_strata + 1 : 0;
}

bool reads_type(Opcode op) {
  return op == Opcode::OpenSymptoms || op == Opcode::OpenKeyed || op == Opcode::OpenNear;
}

}  // namespace

Refusal verify_strata(const Program& program) {
  if (program.infer_strata > program.rules.size()) {
    return Error{
        fmt::format("{} layers for {} rules", program.infer_strata, program.rules.size())};
  }
  std::vector<std::uint32_t> made_in(program.symptoms.size(), 0);  // Of each type: the last layer.
  const auto code = [&](const Rule& rule) {
    return std::span(program.code).subspan(rule.code_begin, rule.code_end - rule.code_begin);
  };
  for (const Rule& rule : program.rules) {
    for (const Instruction& in : code(rule)) {
      if (in.op != Opcode::EmitSymptom) continue;
      made_in[in.b] = std::max(made_in[in.b], layer_of(program, rule));
    }
  }
  for (const Rule& rule : program.rules) {
    const std::uint32_t layer = layer_of(program, rule);
    if (layer == 0) continue;  // Decodes read events, demotions all there is.
    for (const Instruction& in : code(rule)) {
      if (!reads_type(in.op) || made_in[in.b] < layer) continue;
      return Error{fmt::format("rule `{}` reads `{}`, which its own or a later layer makes",
                               rule.name, program.symptoms[in.b].name)};
    }
  }
  return std::nullopt;
}

}  // namespace attrib::program
