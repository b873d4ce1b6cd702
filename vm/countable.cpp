#include "vm/countable.h"

#include <algorithm>
#include <bit>
#include <span>

#include "program/code_shape.h"
#include "vm/facts.h"

namespace attrib::vm {
namespace {

using program::Instruction;
using program::Opcode;
using program::RuleKind;

std::span<const Instruction> code_of(const program::Program& program, const program::Rule& rule) {
  return {program.code.data() + rule.code_begin, rule.code_end - rule.code_begin};
}

// Operations that give the same for every repeat of a line, or a time that is as much later as the
// repeat. What is not listed compares times or looks at other facts.
bool same_for_repeats(Opcode op) {
  switch (op) {
    case Opcode::OpenEvents:
    case Opcode::Next:
    case Opcode::LoadConst:
    case Opcode::LoadParam:
    case Opcode::LoadField:
    case Opcode::LoadAttr:
    case Opcode::Relate:
    case Opcode::MakeSet:
    case Opcode::Lookup:
    case Opcode::LoadCell:
    case Opcode::LoadCapture:
    case Opcode::LoadSeen:
    case Opcode::LoadHere:
    case Opcode::MakeComm:
    case Opcode::MakeColl:
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Negate:
    case Opcode::Hull:
    case Opcode::LoadMessage:
    case Opcode::ReadText:
    case Opcode::Compare:
    case Opcode::InList:
    case Opcode::InSet:
    case Opcode::Has:
    case Opcode::TextTest:
    case Opcode::Not:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Filter:
    case Opcode::Halt:
    case Opcode::EmitEvent:
    case Opcode::EmitSymptom:
    case Opcode::EmitField:
    case Opcode::EmitMeta:
    case Opcode::EmitBegin:
    case Opcode::EmitDone:
    case Opcode::Learn:
      return true;
    default:
      return false;
  }
}

bool opens_events(Opcode op) { return op == Opcode::OpenEvents || op == Opcode::OpenEventsKeyed; }

// A time that does not come from when the line was seen is the same for all its repeats; and what
// is asked of a time or put in a field may differ from one to the next.
bool keeps_times_apart(const program::Rule& rule, const Instruction& i) {
  const auto is_time = [&rule](std::uint16_t reg) {
    return reg < rule.registers.size() && rule.registers[reg] == model::ValueKind::Moment;
  };
  switch (i.op) {
    case Opcode::LoadConst:
    case Opcode::LoadParam:
    case Opcode::LoadField:
    case Opcode::LoadCell:
    case Opcode::LoadCapture:
    case Opcode::ReadText:
    case Opcode::EmitField:
      return !is_time(i.a);
    case Opcode::Has:
    case Opcode::Compare:
    case Opcode::InList:
      return !is_time(i.b);
    default:
      return true;
  }
}

// Does the rule make of each event, looked at alone, the same but for its time?
bool looks_at_each_alone(const program::Program& program, const program::Rule& rule) {
  std::size_t depth = 0;
  for (const Instruction& i : code_of(program, rule)) {
    if (!same_for_repeats(i.op) || !keeps_times_apart(rule, i)) return false;
    if (program::is_open(i.op) && ++depth > 1) return false;
    if (i.op == Opcode::Next && depth > 0) --depth;
  }
  return true;
}

}  // namespace

Countable::Countable(const program::Program& program)
    : program_(program),
      uses_(program.events.size()),
      made_by_(program.extracts.size()),
      plain_extract_(program.extracts.size()),
      makers_(program.symptoms.size()) {
  for (std::uint32_t e = 0; e < program.extracts.size(); ++e) read_extract(e);
  for (const program::Rule& rule : program.rules) read_rule(rule);
  note_families();
}

void Countable::read_extract(std::uint32_t extract) {
  const program::Rule& rule = program_.rules[program_.extracts[extract].rule];
  plain_extract_[extract] = looks_at_each_alone(program_, rule);
  for (const Instruction& i : code_of(program_, rule)) {
    if (i.op == Opcode::EmitEvent) made_by_[extract].push_back(i.b);
  }
}

void Countable::read_rule(const program::Rule& rule) {
  std::vector<std::uint32_t> events, symptoms;
  for (const Instruction& i : code_of(program_, rule)) {
    if (opens_events(i.op)) events.push_back(i.b);
    if (i.op == Opcode::EmitSymptom) symptoms.push_back(i.b);
  }
  const bool alone = rule.kind == RuleKind::Decode && looks_at_each_alone(program_, rule);
  for (const std::uint32_t event : events) {
    EventUse& use = uses_[event];
    use.countable = use.countable && alone;
    for (const std::uint32_t symptom : symptoms) {
      use.quiet = std::min(use.quiet, program_.symptoms[symptom].quiet);
      use.symptoms.push_back(symptom);
    }
  }
}

// Facts of different families about one thing support each other, if they began together.
void Countable::note_families() {
  std::vector<Makers> of_event(program_.events.size());
  std::vector<bool> extracted(program_.events.size());
  for (std::uint32_t e = 0; e < program_.extracts.size(); ++e) {
    const auto family = program_.extracts[e].family;
    for (const std::uint32_t event : made_by_[e]) {
      extracted[event] = true;
      if (family) of_event[event].named |= family_bit(*family);
      of_event[event].by_source = of_event[event].by_source || !family;
    }
  }
  for (std::uint32_t event = 0; event < uses_.size(); ++event) {
    if (!extracted[event]) of_event[event].named |= family_bit(model::Family::Scheduler);
    for (const std::uint32_t symptom : uses_[event].symptoms) {
      makers_[symptom].named |= of_event[event].named;
      makers_[symptom].by_source = makers_[symptom].by_source || of_event[event].by_source;
    }
  }
}

std::optional<evidence::Counting> Countable::lines_of(std::uint32_t extract,
                                                      model::SourceMask present) {
  if (present != present_ || told_.empty()) told_.assign(plain_extract_.size(), std::nullopt);
  present_ = present;
  auto& told = told_[extract];
  if (!told) told = look_at(extract, present);
  return *told;
}

std::optional<evidence::Counting> Countable::look_at(std::uint32_t extract,
                                                     model::SourceMask present) const {
  if (!plain_extract_[extract]) return std::nullopt;
  Families of_sources = 0;
  for (std::size_t k = 0; k < model::words<model::SourceKind>().size(); ++k) {
    const auto kind = static_cast<model::SourceKind>(k);
    if ((present & model::source_bit(kind)) != 0)
      of_sources |= family_bit(model::default_family(kind));
  }
  evidence::Counting out;
  for (const std::uint32_t event : made_by_[extract]) {
    const EventUse& use = uses_[event];
    if (!use.countable) return std::nullopt;
    out.quiet = std::min(out.quiet, use.quiet);
    for (const std::uint32_t symptom : use.symptoms) {
      const Makers& makers = makers_[symptom];
      const auto families =
          static_cast<Families>(makers.named | (makers.by_source ? of_sources : 0));
      out.gapless = out.gapless || std::popcount(families) > 1;
    }
  }
  return out;
}

}  // namespace attrib::vm
