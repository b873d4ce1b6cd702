// The first filters of a rule over events mostly ask for one thing, a fault's code say. They are
// asked once for all events that agree in it: of a hundred rules over one type of event, nearly all
// have nothing to do with a flood of one code.

#include <algorithm>
#include <unordered_map>

#include "vm/interpreter.h"

namespace attrib::vm {

using model::Attribute;
using program::Instruction;
using program::Opcode;

namespace {

constexpr std::size_t kFewEvents = 32;  // Not worth an index.

bool is_moment(const Instruction& load) {
  const auto which = static_cast<Attribute>(load.c);
  return load.op == Opcode::LoadAttr &&
         (which == Attribute::Seen || which == Attribute::Begin || which == Attribute::Last);
}

struct Hash {
  std::size_t operator()(const Value& v) const {
    const auto n = static_cast<std::uint64_t>(v.number) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(n ^ (n >> 32U)) + static_cast<std::size_t>(v.kind);
  }
};

}  // namespace

void Interpreter::prefilter_alike(const Instruction& i, std::uint32_t pc, Loop* loop) {
  if (loop->list->size() < kFewEvents || state_.trace != nullptr) return;  // A trace tells of all.
  const FirstFilters filters = first_filters(pc, loop->exit, loop->reg);
  if (filters.end == 0 || !filters.load) return;
  const Alike& classes = alike(i.b, *filters.load);
  if (!classes.worth_it) return;
  Prefilter& p = prefilters_[pc];
  const std::vector<Register> saved = registers_;
  const std::vector<model::Moment> saved_moments = moments_;
  std::size_t passed = 0;
  for (std::size_t c = 0; c < classes.events.size(); ++c) {
    if (passes_with(classes.values[c], *filters.load, pc + 1, filters.end)) {
      const std::vector<std::uint32_t>& events = classes.events[c];
      p.list.insert(p.list.end(), events.begin(), events.end());
      ++passed;
    }
    if (stopped_) break;
  }
  registers_ = saved;
  moments_ = saved_moments;
  if (passed > 1) std::sort(p.list.begin(), p.list.end());  // Canonical order is that of numbers.
  charge(p.list.size() / 4);
  loop->list = &p.list;
  // The row looked up last is told with what the rule emits.
  if (!filters.looks_up) loop->body = body_behind(pc, filters.end, loop->exit);
}

// Do the filters let through events of which the one thing that they read is that value? None of the events is looked
// at: of a flood each look would wait for memory.
bool Interpreter::passes_with(const Value& value, const Instruction& load, std::uint32_t pc,
                              std::uint32_t end) {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  for (; pc < end; ++pc) {
    if (!charge(1)) return false;
    const Instruction& i = code[pc];
    if (i.op == Opcode::Filter) {
      if ((i.b & (1U << static_cast<unsigned>(truth(i.a)))) == 0) return false;
    } else if (i.op == load.op && i.b == load.b && i.c == load.c) {
      set_value(i.a, value);
    } else {
      step(i, pc);
    }
  }
  return true;
}

// Those that stand before all else and depend on one field or attribute of the event.
Interpreter::FirstFilters Interpreter::first_filters(std::uint32_t pc, std::uint32_t exit,
                                                     std::uint16_t reg) const {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  std::set<std::uint32_t> known;
  const auto knows = [&](std::uint32_t r) { return known.contains(r); };
  FirstFilters out;
  std::optional<Instruction> load;
  bool looks_up = false;
  for (std::uint32_t k = pc + 1; k + 1 < exit; ++k) {
    const Instruction& i = code[k];
    bool own = false;
    switch (i.op) {
      case Opcode::LoadConst:
      case Opcode::LoadParam:
        own = true;
        break;
      case Opcode::LoadField:
      case Opcode::LoadAttr:
        own = i.b == reg && !is_moment(i) && (!load || (load->op == i.op && load->c == i.c));
        if (own) load = i;
        break;
      case Opcode::InList:
      case Opcode::Has:
      case Opcode::Not:
      case Opcode::Negate:
      case Opcode::Relate:
      case Opcode::LoadCell:
        own = knows(i.b);
        break;
      case Opcode::Lookup:
        own = true;
        for (std::uint32_t r = i.b; r < std::uint32_t{i.b} + i.c; ++r) own = own && knows(r);
        looks_up = true;
        break;
      case Opcode::Compare:
      case Opcode::TextTest:
      case Opcode::And:
      case Opcode::Or:
        own = knows(i.b) && knows(i.c);
        break;
      case Opcode::Filter:
        if (!knows(i.a) || i.d != exit - 1) return out;
        out = {k + 1, looks_up, load};
        continue;
      default:
        break;
    }
    if (!own) return out;
    known.insert(i.a);
  }
  return out;
}

// Events do not change once they are resolved, so this holds for all rules that follow.
const Interpreter::Alike& Interpreter::alike(std::uint32_t type, const Instruction& load) {
  const std::array<std::uint32_t, 3> id{type, load.op == Opcode::LoadAttr ? 1U : 0U, load.c};
  const auto [it, fresh] = alike_.try_emplace(id);
  Alike& out = it->second;
  if (!fresh) return out;
  const std::vector<std::uint32_t>& list = state_.facts.events_of[type];
  charge(list.size());
  std::unordered_map<Value, std::size_t, Hash> number;
  registers_.push_back({});  // attribute() reads facts through a register.
  const auto reg = static_cast<std::uint16_t>(registers_.size() - 1);
  for (std::size_t position = 0; position < list.size(); ++position) {
    const std::uint32_t k = list[position];
    fetch_ahead(list, position, true);
    set_fact(reg, k, true);
    const Value value = load.op == Opcode::LoadAttr
                            ? attribute(reg, static_cast<Attribute>(load.c))
                            : state_.facts.event_values[event(reg).fields + load.c];
    const auto [at, is_new] = number.try_emplace(value, out.events.size());
    if (is_new) {
      out.events.emplace_back();
      out.values.push_back(value);
    }
    out.events[at->second].push_back(k);
    if (out.events.size() > list.size() / 2) break;  // Hardly any are alike.
  }
  registers_.pop_back();
  out.worth_it = out.events.size() <= list.size() / 2;
  if (!out.worth_it) {
    out.events = {};
    out.values = {};
  }
  return out;
}

}  // namespace attrib::vm
