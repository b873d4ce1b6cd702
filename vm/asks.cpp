#include "vm/asks.h"

#include <algorithm>
#include <bit>
#include <set>

#include "verdict/format.h"

namespace attrib::vm {
namespace {

using program::Instruction;
using program::Opcode;
using program::RuleKind;

constexpr model::Nanos kLookBack = 10 * model::kMinute;
constexpr std::size_t kNamedNodes = 4;

// The symptom types that the loops over a register range over.
struct Types {
  bool any = false;
  std::vector<std::uint32_t> listed;  // Unless any; a type may stand there twice.
};

Types types_of(const program::Program& program, const program::Rule& rule, std::uint16_t reg) {
  Types types;
  for (std::uint32_t pc = rule.code_begin; pc < rule.code_end; ++pc) {
    const Instruction& i = program.code[pc];
    if (i.a != reg) continue;
    if (i.op == Opcode::OpenAny || i.op == Opcode::OpenNearAny) return {true, {}};
    if (i.op == Opcode::OpenSymptoms || i.op == Opcode::OpenKeyed || i.op == Opcode::OpenNear) {
      types.listed.push_back(i.b);
    }
  }
  return types;
}

model::SourceMask least_bit(model::SourceMask mask) {
  return static_cast<model::SourceMask>(mask & (~mask + 1U));
}

// By symptom type: the first source kind of each extract whose events a decode rule makes it from.
std::vector<model::SourceMask> sources_by_symptom(const program::Program& program) {
  std::vector<model::SourceMask> of_event(program.events.size(), 0);
  for (const program::Extract& extract : program.extracts) {
    if (extract.event) of_event[*extract.event] |= least_bit(extract.sources);
  }
  std::vector<model::SourceMask> out(program.symptoms.size(), 0);
  for (const program::Rule& rule : program.rules) {
    if (rule.kind != RuleKind::Decode) continue;
    model::SourceMask read = 0;
    for (std::uint32_t pc = rule.code_begin; pc < rule.code_end; ++pc) {
      const Instruction& i = program.code[pc];
      if (i.op == Opcode::OpenEvents || i.op == Opcode::OpenEventsKeyed) read |= of_event[i.b];
    }
    for (std::uint32_t pc = rule.code_begin; pc < rule.code_end; ++pc) {
      const Instruction& i = program.code[pc];
      if (i.op == Opcode::EmitSymptom) out[i.b] |= read;
    }
  }
  return out;
}

// By effect type: the sources of what demote rules name as its causes.
std::vector<model::SourceMask> sources_of_causes(const program::Program& program) {
  const std::vector<model::SourceMask> sources = sources_by_symptom(program);
  model::SourceMask all = 0;
  for (const model::SourceMask each : sources) all |= each;
  std::vector<model::SourceMask> out(program.symptoms.size(), 0);
  for (const program::Rule& rule : program.rules) {
    if (rule.kind != RuleKind::Demote) continue;
    std::set<std::pair<std::uint16_t, std::uint16_t>> done;
    for (std::uint32_t pc = rule.code_begin; pc < rule.code_end; ++pc) {
      const Instruction& i = program.code[pc];
      if (i.op != Opcode::Edge || !done.emplace(i.a, i.b).second) continue;
      const Types causes = types_of(program, rule, i.a), effects = types_of(program, rule, i.b);
      model::SourceMask mask = causes.any ? all : model::SourceMask{0};
      for (const std::uint32_t cause : causes.listed) mask |= sources[cause];
      if (effects.any) {
        for (model::SourceMask& each : out) each |= mask;
      }
      for (const std::uint32_t effect : effects.listed) out[effect] |= mask;
    }
  }
  return out;
}

std::string list_text(const std::vector<std::string>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size() && i < kNamedNodes; ++i) {
    if (i > 0) text += ", ";
    text += nodes[i];
  }
  if (nodes.size() > kNamedNodes) {
    text += " and " + std::to_string(nodes.size() - kNamedNodes) + " more";
  }
  return text;
}

// Whose log of that kind is missing; empty: nobody's.
std::string missing(const evidence::Evidence& evidence, model::SourceMask bit, model::Nanos from,
                    model::Nanos to) {
  const auto& nodes = evidence.workload.nodes;
  if (nodes.empty()) {
    return evidence::covers(evidence, bit, "", std::nullopt, from, to) ? "" : "the job";
  }
  std::vector<std::string> uncovered;
  for (const std::string& node : nodes) {
    if (!evidence::covers(evidence, bit, node, std::nullopt, from, to)) uncovered.push_back(node);
  }
  return list_text(uncovered);
}

}  // namespace

std::vector<std::string> computed_asks(const State& state,
                                       const std::vector<std::uint32_t>& unexplained) {
  std::set<std::uint32_t> effects;
  bool known = false;
  model::Nanos from = 0;
  model::Nanos to = 0;
  for (const std::uint32_t v : unexplained) {
    const Occurrence& o = state.facts.occurrences[v];
    effects.insert(o.type);
    if (!o.begin.known) continue;
    from = known ? std::min(from, o.begin.lo) : o.begin.lo;
    to = known ? std::max(to, o.begin.hi) : o.begin.hi;
    known = true;
  }
  if (!known) return {};
  from = model::sub_nanos(from, kLookBack);
  const std::vector<model::SourceMask> sources = sources_of_causes(state.program);
  model::SourceMask wanted = 0;
  std::string names;
  for (const std::uint32_t effect : effects) {
    if (sources[effect] == 0) continue;
    wanted |= sources[effect];
    names += (names.empty() ? "" : ", ") + state.program.symptoms[effect].name;
  }
  std::vector<std::string> asks;
  for (; wanted != 0; wanted = static_cast<model::SourceMask>(wanted & (wanted - 1U))) {
    const model::SourceMask bit = least_bit(wanted);
    const std::string whose = missing(state.evidence, bit, from, to);
    if (whose.empty()) continue;
    const auto kind = static_cast<model::SourceKind>(std::countr_zero(bit));
    asks.push_back("ask for the " + std::string(model::word(kind)) + " log of " + whose + " from " +
                   verdict::rfc3339(from) + " to " + verdict::rfc3339(to) +
                   ": it could show what " + names + " began with");
  }
  return asks;
}

}  // namespace attrib::vm
