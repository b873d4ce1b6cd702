// The first filters of a rule over events mostly ask for a few things, a fault's code say and its unit. They are
// asked once for all events that agree in these: of a hundred rules over one type of event, nearly all
// have nothing to do with a flood of one code. And none of the events is looked at for it: each thing is read
// of all of them once, for all rules, for of a flood each look waits for memory.

#include <algorithm>
#include <unordered_map>

#include "vm/interpreter.h"

namespace attrib::vm {

using model::Attribute;
using program::Instruction;
using program::Opcode;

namespace {

constexpr std::size_t kFewEvents = 32;  // Not worth an index.
constexpr std::size_t kMostLoads = 8;

bool is_moment(const Instruction& load) {
  const auto which = static_cast<Attribute>(load.c);
  return load.op == Opcode::LoadAttr &&
         (which == Attribute::Seen || which == Attribute::Begin || which == Attribute::Last);
}

bool same_load(const Instruction& a, const Instruction& b) { return a.op == b.op && a.c == b.c; }

// Numbers things in the order in which they first come.
template <typename Key, typename HashOf>
class Numbering {
 public:
  // And whether it is new.
  std::pair<std::uint32_t, bool> number(const Key& key) {
    const auto [at, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    return {at->second, fresh};
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<Key, std::uint32_t, HashOf> numbers_;  // Asked, never walked.
};

struct PairHash {
  std::size_t operator()(std::uint64_t pair) const {
    pair *= 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(pair ^ (pair >> 32U));
  }
};

struct ValueHash {
  std::size_t operator()(const Value& v) const {
    const auto n = static_cast<std::uint64_t>(v.number) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(n ^ (n >> 32U)) + static_cast<std::size_t>(v.kind);
  }
};

}  // namespace

void Interpreter::prefilter_alike(const Instruction& i, std::uint32_t pc, Loop* loop) {
  if (loop->list->size() < kFewEvents || state_.trace != nullptr) return;  // A trace tells of all.
  // The more filters the better, but what the later ones read may differ from event to event.
  std::vector<FirstFilters> ends = first_filters(pc, loop->exit, loop->reg);
  while (!ends.empty() && !alike(i.b, ends.back().loads).worth_it) ends.pop_back();
  if (ends.empty()) return;
  const FirstFilters& filters = ends.back();
  const Alike& classes = alike(i.b, filters.loads);
  Prefilter& p = prefilters_[pc];
  const std::vector<Register> saved = registers_;
  const std::vector<model::Moment> saved_moments = moments_;
  std::size_t passed = 0;
  for (std::size_t c = 0; c < classes.events.size(); ++c) {
    if (passes_with(classes, c, filters, pc + 1)) {
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

// Do the filters let through events of that class?
bool Interpreter::passes_with(const Alike& classes, std::size_t of_class,
                              const FirstFilters& filters, std::uint32_t pc) {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  const Value* const values = classes.values.data() + of_class * filters.loads.size();
  for (; pc < filters.end; ++pc) {
    if (!charge(1)) return false;
    const Instruction& i = code[pc];
    if (i.op == Opcode::Filter) {
      if ((i.b & (1U << static_cast<unsigned>(truth(i.a)))) == 0) return false;
    } else if (i.op == Opcode::LoadField || i.op == Opcode::LoadAttr) {
      const auto load = std::find_if(filters.loads.begin(), filters.loads.end(),
                                     [&](const Instruction& l) { return same_load(l, i); });
      set_value(i.a, values[load - filters.loads.begin()]);
    } else {
      step(i, pc);
    }
  }
  return true;
}

// Those that stand before all else and depend on fields and attributes of the event: the first one, the first two and
// so on.
std::vector<Interpreter::FirstFilters> Interpreter::first_filters(std::uint32_t pc,
                                                                  std::uint32_t exit,
                                                                  std::uint16_t reg) const {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  std::set<std::uint32_t> known;
  const auto knows = [&](std::uint32_t r) { return known.contains(r); };
  std::vector<FirstFilters> out;
  FirstFilters now;
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
        own = i.b == reg && !is_moment(i);
        if (own && std::none_of(now.loads.begin(), now.loads.end(),
                                [&](const Instruction& l) { return same_load(l, i); })) {
          now.loads.push_back(i);
        }
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
        now.looks_up = true;
        break;
      case Opcode::Compare:
      case Opcode::TextTest:
      case Opcode::And:
      case Opcode::Or:
        own = knows(i.b) && knows(i.c);
        break;
      case Opcode::Filter:
        if (!knows(i.a) || i.d != exit - 1) return out;
        now.end = k + 1;
        if (!now.loads.empty()) out.push_back(now);
        continue;
      default:
        break;
    }
    if (!own || now.loads.size() > kMostLoads) return out;
    known.insert(i.a);
  }
  return out;
}

// Events do not change once they are resolved, so this holds for all rules that follow.
const Interpreter::Column& Interpreter::column(std::uint32_t type, const Instruction& load) {
  const std::array<std::uint32_t, 3> id{type, load.op == Opcode::LoadAttr ? 1U : 0U, load.c};
  const auto [it, fresh] = columns_.try_emplace(id);
  Column& out = it->second;
  if (!fresh) return out;
  const std::vector<std::uint32_t>& list = state_.facts.events_of[type];
  charge(list.size());
  Numbering<Value, ValueHash> numbering;
  out.numbers.reserve(list.size());
  registers_.push_back({});  // attribute() reads facts through a register.
  const auto reg = static_cast<std::uint16_t>(registers_.size() - 1);
  for (std::size_t position = 0; position < list.size(); ++position) {
    fetch_ahead(list, position, true);
    set_fact(reg, list[position], true);
    const Value value = load.op == Opcode::LoadAttr
                            ? attribute(reg, static_cast<Attribute>(load.c))
                            : state_.facts.event_values[event(reg).fields + load.c];
    const auto [number, is_new] = numbering.number(value);
    if (is_new) out.values.push_back(value);
    out.numbers.push_back(number);
    if (out.values.size() > list.size() / 2) break;  // Hardly any are alike.
  }
  registers_.pop_back();
  out.worth_it = out.values.size() <= list.size() / 2;
  if (!out.worth_it) out = {};
  return out;
}

const Interpreter::Alike& Interpreter::alike(std::uint32_t type,
                                             const std::vector<Instruction>& loads) {
  std::vector<std::uint32_t> id{type};
  for (const Instruction& load : loads) {
    id.push_back((std::uint32_t{load.c} << 1U) | (load.op == Opcode::LoadAttr ? 1U : 0U));
  }
  const auto [it, fresh] = alike_.try_emplace(std::move(id));
  Alike& out = it->second;
  if (!fresh) return out;
  std::vector<const Column*> columns;
  for (const Instruction& load : loads) {
    columns.push_back(&column(type, load));
    if (!columns.back()->worth_it) return out;
  }
  const std::vector<std::uint32_t>& list = state_.facts.events_of[type];
  charge(list.size());
  // Of two things numbered, their pairs are numbered, and so on.
  std::vector<std::uint32_t> numbers = columns.front()->numbers;
  for (std::size_t k = 1; k < columns.size(); ++k) {
    Numbering<std::uint64_t, PairHash> pairs;
    std::uint64_t last = 0;
    std::uint32_t last_number = kNone;
    for (std::size_t position = 0; position < list.size(); ++position) {
      const std::uint64_t pair =
          (std::uint64_t{numbers[position]} << 32U) | columns[k]->numbers[position];
      if (pair != last || last_number == kNone) last_number = pairs.number(pair).first;
      last = pair;
      numbers[position] = last_number;
    }
    if (pairs.size() > list.size() / 2) return out;
  }
  out.worth_it = true;
  for (std::size_t position = 0; position < list.size(); ++position) {
    if (numbers[position] == out.events.size()) {
      out.events.emplace_back();
      for (const Column* each : columns) out.values.push_back(each->values[each->numbers[position]]);
    }
    out.events[numbers[position]].push_back(list[position]);
  }
  return out;
}

}  // namespace attrib::vm
