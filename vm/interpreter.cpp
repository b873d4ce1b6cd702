#include "vm/interpreter.h"

#include <algorithm>

namespace attrib::vm {

using model::Moment;
using model::ValueKind;
using program::Instruction;
using program::Opcode;

void Interpreter::forget_indexes() {
  columns_.clear();
  alike_.clear();
  key_indexes_.clear();
  facts_in_.clear();
  joins_.clear();
  disorder_ = {};
  points_in_time_ = {};
  decoded_on_.clear();
  decoded_on_made_ = false;
}

void Interpreter::run(std::uint32_t rule) {
  match_ = nullptr;
  observation_ = nullptr;
  if (state_.program.rules[rule].kind != program::RuleKind::Demote) {
    execute(rule);
    return;
  }
  code_ = &state_.program.rules[rule];
  find_decided_bags();
  plan_demotion();
  state_.edges.begin_rule(by_effect_);
  execute(rule);
  state_.edges.end_rule();
  state_.stats[rule].made += state_.edges.made();
  effect_registers_.clear();
  cause_registers_.clear();
  by_effect_ = false;
}

void Interpreter::execute(std::uint32_t rule) {
  const bool another = code_ != &state_.program.rules[rule];
  rule_ = rule;
  code_ = &state_.program.rules[rule];
  registers_.assign(code_->registers.size(), {});
  if (moments_.size() < registers_.size()) moments_.resize(registers_.size());
  bags_.resize(std::max(bags_.size(), registers_.size()));
  prefilters_.clear();
  pairs_.clear();
  if (another) find_decided_bags();  // An extract's rule runs once a match.
  live_bags_.clear();
  loops_.clear();
  absences_.clear();
  message_.clear();
  last_row_ = -1;
  stopped_ = false;
  made_ = 0;
  bag_members_ = 0;
  RuleStats& stats = state_.stats[rule];
  // An extract's rule runs once a match: its budget is for all of them.
  const std::uint64_t own =
      state_.budget.rule_steps > stats.steps ? state_.budget.rule_steps - stats.steps : 0;
  const std::uint64_t granted = std::min(own, state_.steps_left);
  fuel_ = granted;
  fuel_is_total_ = state_.steps_left < own;
  const std::uint32_t size = code_->code_end - code_->code_begin;
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  for (std::uint32_t pc = 0; pc < size && !stopped_;) {
    if (!charge(1)) break;
    pc = step(code[pc], pc);
  }
  stats.steps += granted - fuel_;
  state_.steps_left -= granted - fuel_;
  if (code_->kind != program::RuleKind::Demote) stats.made += made_;
  loops_.clear();
}

void Interpreter::out_of_fuel() {
  fuel_ = 0;
  stopped_ = true;
  if (!fuel_is_total_) {
    stop("loop steps", state_.budget.rule_steps);
  } else if (!state_.total_reported) {
    state_.total_reported = true;
    state_.incomplete.push_back({"total", "loop steps", state_.budget.total_steps});
  }
}

// Forgets the absences found and the bags filled inside loops of that depth or more.
void Interpreter::forget_deeper(std::size_t depth) {
  while (!absences_.empty() && absences_.back().depth >= depth) absences_.pop_back();
  while (!live_bags_.empty() && live_bags_.back().first >= depth) live_bags_.pop_back();
}

// Ends the rule and says why, once a rule and factor.
void Interpreter::stop(const std::string& factor, std::uint64_t limit) {
  stopped_ = true;
  for (const verdict::Incomplete& known : state_.incomplete) {
    if (known.rule == code_->name && known.factor == factor) return;
  }
  state_.incomplete.push_back({code_->name, factor, limit});
}

// For the trace, if one is kept. Extracts are traced by their matches.
void Interpreter::note_firing(std::uint32_t pc) {
  if (state_.trace == nullptr || code_->kind == program::RuleKind::Extract) return;
  Firing firing{rule_, code_->code_begin + pc, {}};
  const Instruction& i = state_.program.code[firing.instruction];
  if (i.op == Opcode::Edge) {  // Either of the two may be the outer loop's.
    firing.facts = {fact(i.a), fact(i.b)};
  } else {
    for (const Loop& loop : loops_) {
      if (loop.facts) firing.facts.push_back(fact(loop.reg));
    }
  }
  state_.trace->firings.push_back(std::move(firing));
}

std::uint32_t Interpreter::step(const Instruction& i, std::uint32_t pc) {
  switch (i.op) {
    case Opcode::OpenEvents:
    case Opcode::OpenSymptoms:
    case Opcode::OpenAny:
    case Opcode::OpenKeyed:
    case Opcode::OpenEventsKeyed:
    case Opcode::OpenNear:
    case Opcode::OpenNearAny:
    case Opcode::OpenMembers:
      return open(i, pc);
    case Opcode::Next:
      return next(pc);
    // What the bodies of joins consist of, straight from here.
    case Opcode::LoadConst:
      set_value(i.a, state_.constants[i.d]);
      break;
    case Opcode::LoadField:
      load_field(i);
      break;
    case Opcode::LoadAttr:
      load_attribute(i);
      break;
    case Opcode::MakeSet:
      make_set(i);
      break;
    case Opcode::Compare:
      compare_registers(i);
      break;
    case Opcode::InSet:
      set_truth(i.a, state_.sets->contains(static_cast<std::uint32_t>(registers_[i.c].value.number),
                                           registers_[i.b].value.entity()));
      break;
    case Opcode::And:
      set_truth(i.a, truth(i.b) & truth(i.c));
      break;
    case Opcode::Window:
      window(i);
      break;
    case Opcode::Reach:
      set_reach(i);
      break;
    case Opcode::Seek:
      sought_ = {registers_[i.a].value, i.b == 1, i.c};
      break;
    case Opcode::Filter: {
      const unsigned bit = 1U << static_cast<unsigned>(truth(i.a));
      if ((i.b & bit) != 0) break;
      while (!loops_.empty() && loops_.back().exit <= i.d) loops_.pop_back();
      forget_deeper(loops_.size() + 1);
      return i.d;
    }
    case Opcode::Halt:
      return code_->code_end - code_->code_begin;
    case Opcode::BagNew:
      bags_[i.a].clear();
      std::erase_if(live_bags_, [&](const auto& bag) { return bag.second == i.a; });
      live_bags_.emplace_back(loops_.size(), i.a);
      registers_[i.a].value = {ValueKind::Bag, i.a};
      break;
    case Opcode::BagAdd:
      return bag_add(i) ? bag_decided(i, pc) : pc + 1;
    case Opcode::BagCount:
    case Opcode::BagDistinct:
    case Opcode::BagLeast:
    case Opcode::BagOdd:
    case Opcode::BagOver:
    case Opcode::Absent:
    case Opcode::Bursts:
      aggregate(i);
      break;
    case Opcode::EmitEvent:
    case Opcode::EmitSymptom:
      start_emission(i);
      break;
    case Opcode::EmitField:
      emit_field(i);
      break;
    case Opcode::EmitMeta:
      emit_meta(i);
      break;
    case Opcode::EmitBegin:
      draft_.begin = moment(i.a);
      break;
    case Opcode::EmitDone:
      emit_done(i);
      note_firing(pc);
      break;
    case Opcode::Learn:
      learn(i);
      break;
    case Opcode::Edge:
      return edge(i, pc);
    case Opcode::OutcomeIs:
      outcome(i);
      note_firing(pc);
      break;
    case Opcode::SayText:
    case Opcode::SayValue:
    case Opcode::SayFact:
      say(i);
      break;
    case Opcode::SayDone:
      note_firing(pc);
      return say_done(i, pc);
    default:
      if (static_cast<int>(i.op) < static_cast<int>(Opcode::Compare)) {
        load(i);
      } else {
        test(i);
      }
  }
  return pc + 1;
}

Moment Interpreter::moment(std::uint16_t reg) const {
  const Register& r = registers_[reg];
  return r.value.is(ValueKind::Moment) ? moments_[reg] : Moment{};
}

Count Interpreter::count(std::uint16_t reg) const {
  const Register& r = registers_[reg];
  return {r.value.number, r.value.is(ValueKind::Count) ? r.extra : r.value.number};
}

void Interpreter::set_moment(std::uint16_t reg, const Moment& m) {
  registers_[reg].value = {ValueKind::Moment, 0};
  moments_[reg] = m;
}

}  // namespace attrib::vm
