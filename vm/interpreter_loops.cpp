// Loops: which facts an `open` binds, and in which order.

#include <algorithm>

#include "vm/interpreter.h"

namespace attrib::vm {

using model::Attribute;
using model::ValueKind;
using program::Instruction;
using program::Opcode;

void Interpreter::set_reach(const Instruction& i) {
  const auto bound = [&](std::uint16_t reg) {
    const Value& v = registers_[reg].value;
    return v.is(ValueKind::Duration) ? std::optional(v.number) : std::nullopt;
  };
  reach_ = {bound(i.a), bound(i.b), (i.c & 1U) != 0, static_cast<model::Point>((i.c >> 1U) & 3U),
            static_cast<model::Point>((i.c >> 3U) & 3U)};
}

std::uint32_t Interpreter::open(const Instruction& i, std::uint32_t pc) {
  if (by_effect_ && loops_.empty() && !any_cause_inside(pc, i.d)) return i.d;
  Loop loop;
  loop.reg = i.a;
  loop.body = pc + 1;
  loop.exit = i.d;
  loop.events = i.op == Opcode::OpenEvents || i.op == Opcode::OpenEventsKeyed;
  if (loop.events) {
    scanned_type_ = state_.event_names[i.b];
  } else if (i.op == Opcode::OpenSymptoms || i.op == Opcode::OpenKeyed ||
             i.op == Opcode::OpenNear) {
    scanned_type_ = state_.symptom_names[i.b];
  }
  switch (i.op) {
    case Opcode::OpenKeyed:
    case Opcode::OpenEventsKeyed:
      open_keyed(i, &loop);
      break;
    case Opcode::OpenNear:
    case Opcode::OpenNearAny:
      if (code_->kind == program::RuleKind::Demote) {
        open_join(i, pc, &loop);
        if (by_effect_ && run_pairs(i, pc, &loop)) return i.d;
      } else {
        open_near(i, &loop);
      }
      break;
    case Opcode::OpenMembers:
      loop.kind = LoopKind::Members;
      loop.facts = false;
      loop.set = static_cast<std::uint32_t>(registers_[i.b].value.number);
      break;
    default:
      open_list(i, &loop);
  }
  loop.one_type = i.op != Opcode::OpenAny && i.op != Opcode::OpenNearAny;
  if (!loops_.empty()) {
    prefilter(pc, &loop);
  } else if (i.op == Opcode::OpenEvents) {
    prefilter_alike(i, pc, &loop);
  }
  loops_.push_back(loop);
  if (advance(&loops_.back())) return loops_.back().body;
  loops_.pop_back();
  return i.d;
}

std::uint32_t Interpreter::next(std::uint32_t pc) {
  forget_deeper(loops_.size());
  if (advance(&loops_.back())) return loops_.back().body;
  loops_.pop_back();
  return pc + 1;
}

void Interpreter::open_list(const Instruction& i, Loop* loop) {
  if (i.op == Opcode::OpenEvents) {
    loop->list = &state_.facts.events_of[i.b];
  } else if (i.op == Opcode::OpenSymptoms) {
    loop->list = &state_.facts.occurrences_of[i.b];
  } else if (code_->kind != program::RuleKind::Ambiguous) {
    loop->list = &facts_in(i.b);
  } else {
    // The tied heads after those that enclosing loops have bound: each set of them once.
    loop->list = &state_.tied;
    for (const Loop& outer : loops_) {
      if (outer.list == &state_.tied) loop->position = outer.position;
    }
  }
}

void Interpreter::open_keyed(const Instruction& i, Loop* loop) {
  const auto key = key_of(sought_.value);
  if (!key) {
    loop->list = loop->events ? &state_.facts.events_of[i.b] : &state_.facts.occurrences_of[i.b];
    return;
  }
  static const std::vector<std::uint32_t> kEmpty;
  const KeyIndex& index = key_index(loop->events, i.b, sought_.attribute, sought_.which);
  const auto it = index.equal.find(*key);
  loop->kind = LoopKind::Keyed;
  loop->list = it == index.equal.end() ? &kEmpty : &it->second;
  loop->also = &index.maybe;
}

// Only hand-written programs look near a fact outside demotions; there all of a list is near.
void Interpreter::open_near(const Instruction& i, Loop* loop) {
  loop->list = i.op == Opcode::OpenNear ? &state_.facts.occurrences_of[i.b] : &facts_in(i.b);
}

// From the second time on that an inner loop opens. Ambiguous rules bind the tied heads by their
// place in the list, so theirs stay whole.
void Interpreter::prefilter(std::uint32_t pc, Loop* loop) {
  if (loop->kind != LoopKind::List || code_->kind == program::RuleKind::Ambiguous) return;
  Prefilter& p = prefilters_[pc];
  if (++p.opened == 1) {
    p.end = own_filters_end(pc, *loop);
    return;
  }
  if (p.end == 0) return;
  if (!p.made) filter_list(pc, *loop, &p);
  loop->list = &p.list;
  loop->body = p.body;
}

void Interpreter::filter_list(std::uint32_t pc, const Loop& loop, Prefilter* p) {
  const std::vector<Register> saved = registers_;
  const std::vector<model::Moment> saved_moments = moments_;
  for (const std::uint32_t k : *loop.list) {
    set_fact(loop.reg, k, loop.events);
    if (passes(pc + 1, p->end)) p->list.push_back(k);
    if (stopped_) break;
  }
  registers_ = saved;
  moments_ = saved_moments;
  p->made = true;
  p->body = body_behind(pc, p->end, loop.exit);
}

// Where the filters end that a loop's body begins with and that read nothing but its own fact,
// constants and parameters; 0 if there are none.
std::uint32_t Interpreter::own_filters_end(std::uint32_t pc, const Loop& loop) const {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  std::set<std::uint16_t> known{loop.reg};
  const auto knows = [&](std::uint16_t reg) { return known.contains(reg); };
  std::uint32_t end = 0;
  for (std::uint32_t k = pc + 1; k + 1 < loop.exit; ++k) {
    const Instruction& i = code[k];
    bool own = false;
    switch (i.op) {
      case Opcode::LoadConst:
      case Opcode::LoadParam:
        own = true;
        break;
      case Opcode::LoadField:
      case Opcode::LoadAttr:
      case Opcode::HasTag:
      case Opcode::InList:
      case Opcode::Has:
      case Opcode::Not:
      case Opcode::Negate:
      case Opcode::Relate:
        own = knows(i.b);
        break;
      case Opcode::Compare:
      case Opcode::TextTest:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Add:
      case Opcode::Sub:
        own = knows(i.b) && knows(i.c);
        break;
      case Opcode::Filter:
        if (!knows(i.a) || i.d != loop.exit - 1) return end;
        end = k + 1;
        continue;
      default:
        break;
    }
    if (!own) return end;
    known.insert(i.a);
  }
  return end;
}

bool Interpreter::passes(std::uint32_t pc, std::uint32_t end) {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  for (; pc < end; ++pc) {
    if (!charge(1)) return false;
    const Instruction& i = code[pc];
    if (i.op != Opcode::Filter) {
      step(i, pc);
    } else if ((i.b & (1U << static_cast<unsigned>(truth(i.a)))) == 0) {
      return false;
    }
  }
  return true;
}

bool Interpreter::advance(Loop* loop) {
  if (loop->kind == LoopKind::Members) return advance_members(loop);
  for (;;) {
    std::uint32_t found = 0;
    const bool more = loop->kind == LoopKind::List   ? advance_list(loop, &found)
                      : loop->kind == LoopKind::Join ? advance_join(loop, &found)
                                                     : advance_keyed(loop, &found);
    if (!more) return false;
    if (!effect_registers_.empty()) {
      const bool asks = loop->kind != LoopKind::Join || !by_effect_;  // A join has asked already.
      if (asks && skips(*loop, found)) {
        if (!charge(1)) return false;
        continue;
      }
      if (by_effect_ && loop == loops_.data()) state_.edges.begin_effect();
    }
    set_fact(loop->reg, found, loop->events);
    return true;
  }
}

bool Interpreter::advance_list(Loop* loop, std::uint32_t* found) {
  if (loop->position >= loop->list->size()) return false;
  fetch_ahead(*loop->list, loop->position, loop->events);
  *found = (*loop->list)[loop->position++];
  return true;
}

// Facts of a list lie apart, and their fields elsewhere: waiting for them would take most of the time of a rule over a
// flood. So they are asked for some rounds before, and their fields a little later.
void Interpreter::fetch_ahead(const std::vector<std::uint32_t>& list, std::size_t position,
                              bool events) const {
  constexpr std::size_t kFact = 12, kFields = 5;
  if (position + kFact >= list.size()) return;
  const std::uint32_t far = list[position + kFact], near = list[position + kFields];
  if (events) {
    // Both lie across lines of the cache.
    const Event& event = state_.facts.events[far];
    __builtin_prefetch(&event.type);
    __builtin_prefetch(&event.fields);
    __builtin_prefetch(&event.begin.lo);
    const Value* const fields =
        state_.facts.event_values.data() + state_.facts.events[near].fields;
    constexpr std::size_t kOfLine = 64 / sizeof(Value);
    __builtin_prefetch(fields);
    __builtin_prefetch(fields + kOfLine);
    __builtin_prefetch(fields + 2 * kOfLine);
  } else {
    __builtin_prefetch(&state_.facts.occurrences[far]);
    __builtin_prefetch(&state_.facts.occurrences[far].fields);
    __builtin_prefetch(state_.facts.occurrences[near].fields.data());
  }
}

// Two sorted lists as one.
bool Interpreter::advance_keyed(Loop* loop, std::uint32_t* found) {
  const bool a = loop->position < loop->list->size();
  const bool b = loop->also_position < loop->also->size();
  if (!a && !b) return false;
  const bool take_a =
      a && (!b || (*loop->list)[loop->position] < (*loop->also)[loop->also_position]);
  *found = take_a ? (*loop->list)[loop->position++] : (*loop->also)[loop->also_position++];
  return true;
}

bool Interpreter::advance_members(Loop* loop) {
  const EntitySet& set = (*state_.sets)[loop->set];
  if (loop->position >= set.members.size()) return false;
  set_value(loop->reg, entity_value(set.members[loop->position++]));
  return true;
}

// In a demote rule: an effect that needs no more causes of the type bound outside, or a cause of a
// type that the effect bound outside needs no more of.
bool Interpreter::skips(const Loop& loop, std::uint32_t found) const {
  if (loop.events) return false;
  const bool effect = effect_registers_[loop.reg];
  const bool cause = cause_registers_[loop.reg];
  for (const Loop& outer : loops_) {
    if (&outer == &loop || !outer.facts || outer.events) continue;
    if (effect && cause_registers_[outer.reg]) {
      return state_.edges.full(found, occurrence(outer.reg).type);
    }
    if (cause && effect_registers_[outer.reg]) {
      return state_.edges.full(fact(outer.reg), state_.facts.occurrences[found].type);
    }
  }
  return false;
}

// Ends the loops inside the one over `reg`: goes behind the outermost of them.
std::uint32_t Interpreter::leave_loops_inside(std::uint16_t reg, std::uint32_t pc) {
  for (std::size_t depth = 0; depth + 1 < loops_.size(); ++depth) {
    if (loops_[depth].reg != reg) continue;
    const std::uint32_t exit = loops_[depth + 1].exit;
    loops_.resize(depth + 1);
    return exit;
  }
  return pc + 1;
}

// Values that compare equal have one key. None: what compares Unknown with everything.
std::optional<Value> Interpreter::key_of(const Value& value) const {
  constexpr std::int64_t kMillion = 1'000'000;
  switch (value.kind) {
    case ValueKind::Int:
    case ValueKind::Duration:
      return int_value(value.number);
    case ValueKind::Decimal:
      if (value.number % kMillion == 0) return int_value(value.number / kMillion);
      return value;
    case ValueKind::String:
      return value;
    case ValueKind::Truth:
      if (value == truth_value(model::Truth::Unknown)) return std::nullopt;
      return value;
    case ValueKind::Entity:
      if (!state_.entities.known(value.entity())) return std::nullopt;
      return value;
    default:
      return std::nullopt;
  }
}

const Interpreter::KeyIndex& Interpreter::key_index(bool events, std::uint32_t type, bool of_attr,
                                                    std::uint32_t which) {
  const std::array<std::uint32_t, 4> id{events ? 1U : 0U, type, of_attr ? 1U : 0U, which};
  const auto [it, fresh] = key_indexes_.try_emplace(id);
  if (!fresh) return it->second;
  const auto& list = events ? state_.facts.events_of[type] : state_.facts.occurrences_of[type];
  const auto keys = keys_of(list, events, of_attr, which);
  for (std::size_t k = 0; k < list.size(); ++k) {
    (keys[k] ? it->second.equal[*keys[k]] : it->second.maybe).push_back(list[k]);
  }
  charge(list.size());
  return it->second;
}

std::vector<std::optional<Value>> Interpreter::keys_of(const std::vector<std::uint32_t>& list,
                                                       bool events, bool of_attr,
                                                       std::uint32_t which) {
  std::vector<std::optional<Value>> keys;
  keys.reserve(list.size());
  registers_.push_back({});  // attribute() reads facts through a register.
  const auto reg = static_cast<std::uint16_t>(registers_.size() - 1);
  for (const std::uint32_t k : list) {
    set_fact(reg, k, events);
    keys.push_back(key_of(of_attr  ? attribute(reg, static_cast<Attribute>(which))
                          : events ? state_.facts.event_values[event(reg).fields + which]
                                   : occurrence(reg).fields[which]));
  }
  registers_.pop_back();
  return keys;
}

const std::vector<std::uint32_t>& Interpreter::facts_in(std::uint32_t set) {
  if (set == 0) return state_.facts.all;
  const auto [it, fresh] = facts_in_.try_emplace(set);
  if (!fresh) return it->second;
  for (const std::uint32_t type : state_.program.type_sets[set - 1]) {
    const auto& of_type = state_.facts.occurrences_of[type];
    it->second.insert(it->second.end(), of_type.begin(), of_type.end());
  }
  std::ranges::sort(it->second);  // Indexes of occurrences are their canonical order.
  charge(it->second.size());
  return it->second;
}

}  // namespace attrib::vm
