// The loops of a demotion. Each effect asks, type by type, for the causes near it until it has
// enough, so that work grows with the number of effects and not with that of pairs.

#include <algorithm>

#include "program/code_shape.h"
#include "program/opcode.h"
#include "vm/interpreter.h"

namespace attrib::vm {

using program::Instruction;
using program::Opcode;
using program::OperandKind;

namespace {

bool binds_occurrence(Opcode op) {
  return op == Opcode::OpenSymptoms || op == Opcode::OpenKeyed || op == Opcode::OpenNear ||
         op == Opcode::OpenAny || op == Opcode::OpenNearAny;
}

// The types of loops side by side, each at most once.
class Types {
 public:
  bool add(const Instruction& i) {
    const bool any = i.op == Opcode::OpenAny || i.op == Opcode::OpenNearAny;
    const bool fresh = !any_ && (!any || seen_.empty()) &&
                       std::find(seen_.begin(), seen_.end(), i.b) == seen_.end();
    any_ = any_ || any;
    seen_.push_back(i.b);
    return fresh;
  }

 private:
  std::vector<std::uint16_t> seen_;
  bool any_ = false;
};

bool reads_several(Opcode op) {
  return op == Opcode::Lookup || op == Opcode::Learn || op == Opcode::Covered;
}

bool is_read(OperandKind kind) {
  switch (kind) {
    case OperandKind::InAny:
    case OperandKind::InTruth:
    case OperandKind::InInt:
    case OperandKind::InString:
    case OperandKind::InDuration:
    case OperandKind::InMoment:
    case OperandKind::InEntity:
    case OperandKind::InSet:
    case OperandKind::InRow:
    case OperandKind::InBag:
    case OperandKind::Fact:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Which registers hold causes and effects, and whether the rule goes from effect to effect: one
// loop over each effect, in it one over each cause, as the compiler writes them.
void Interpreter::plan_demotion() {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  const std::uint32_t size = code_->code_end - code_->code_begin;
  effect_registers_.assign(code_->registers.size(), false);
  cause_registers_.assign(code_->registers.size(), false);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (code[pc].op != Opcode::Edge) continue;
    cause_registers_[code[pc].a] = true;
    effect_registers_[code[pc].b] = true;
  }
  by_effect_ = true;
  Types effects, causes;
  std::uint32_t depth = 0;
  for (std::uint32_t pc = 0; pc < size && by_effect_; ++pc) {
    const Instruction& i = code[pc];
    if (i.op == Opcode::Next) --depth;
    if (!binds_occurrence(i.op)) {
      // Loops over members and events are none of a demotion's.
      const bool opens = i.op == Opcode::OpenMembers || i.op == Opcode::OpenEvents ||
                         i.op == Opcode::OpenEventsKeyed;
      by_effect_ = !opens;
      continue;
    }
    const auto& own = depth == 0 ? effect_registers_ : cause_registers_;
    const auto& other = depth == 0 ? cause_registers_ : effect_registers_;
    if (depth == 0) causes = {};
    by_effect_ = depth < 2 && own[i.a] && !other[i.a] && (depth == 0 ? effects : causes).add(i);
    ++depth;
  }
}

// Of a loop over effects: does one of those over causes in it have any?
bool Interpreter::any_cause_inside(std::uint32_t pc, std::uint32_t exit) {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  return std::any_of(code + pc + 1, code + exit, [&](const Instruction& i) {
    if (!binds_occurrence(i.op)) return false;
    const bool any = i.op == Opcode::OpenAny || i.op == Opcode::OpenNearAny;
    return !(any ? facts_in(i.b) : state_.facts.occurrences_of[i.b]).empty();
  });
}

void Interpreter::open_join(const Instruction& i, std::uint32_t pc, Loop* loop) {
  loop->kind = LoopKind::Join;
  loop->list = i.op == Opcode::OpenNear ? &state_.facts.occurrences_of[i.b] : &facts_in(i.b);
  Prefilter& p = prefilters_[pc];
  if (++p.opened == 1) p.end = own_filters_end(pc, *loop);
  if (p.end != 0) {
    if (!p.made) filter_list(pc, *loop, &p);
    loop->list = &p.list;
    loop->body = p.body;
  }
  const bool seeks = pc > 0 && state_.program.code[code_->code_begin + pc - 1].op == Opcode::Seek;
  const auto key = seeks ? key_of(sought_.value) : std::nullopt;
  // What is not known to be equal does not explain an origin.
  const bool surely =
      seeks && by_effect_ && occurrence(i.c).meta.role == model::Role::Origin;
  if (surely && !key) {
    loop->join = JoinCursor(JoinIndex::nothing(), {});
    return;
  }
  const JoinIndex& join = join_of(i, pc, *loop, key.has_value());
  JoinParts parts = key ? join.of(*key) : join.all();
  if (surely) parts.maybe = JoinIndex::nothing().maybe;
  loop->join = JoinCursor(parts, bounds_from(occurrence(i.c)));
}

const JoinIndex& Interpreter::join_of(const Instruction& i, std::uint32_t pc, const Loop& loop,
                                      bool keyed) {
  Prefilter& p = prefilters_[pc];
  if (p.end != 0) {
    std::optional<JoinIndex>& own = keyed ? p.keyed_join : p.join;
    if (!own) own.emplace(make_join(*loop.list, keyed));
    return *own;
  }
  const std::array<std::uint32_t, 6> id{
      i.op == Opcode::OpenNear ? 1U : 0U,         i.b,
      static_cast<std::uint32_t>(reach_.inner),   keyed ? 1U : 0U,
      keyed && sought_.attribute ? 1U : 0U,       keyed ? sought_.which : 0U};
  const auto it = joins_.find(id);
  if (it != joins_.end()) return it->second;
  return joins_.emplace(id, make_join(*loop.list, keyed)).first->second;
}

JoinIndex Interpreter::make_join(const std::vector<std::uint32_t>& list, bool keyed) {
  charge(list.size());
  const auto& occurrences = state_.facts.occurrences;
  if (!keyed) return {occurrences, list, reach_.inner};
  return {occurrences, list, reach_.inner, keys_of(list, false, sought_.attribute, sought_.which)};
}

NearBounds Interpreter::bounds_from(const Occurrence& outer) {
  const model::Moment& from = point_of(outer, reach_.outer);
  if (!reach_.low || !reach_.high || !from.known) return {};
  const bool begins =
      reach_.outer == model::Point::Begin && reach_.inner == model::Point::Begin;
  auto& disorder = disorder_[begins ? 0 : 1];
  if (!disorder) disorder = disorder_of_streams(state_.facts.occurrences, !begins);
  const bool has_one = from.stream < disorder->size();
  return near_bounds(outer, reach_.outer, *reach_.low, *reach_.high, reach_.reversed,
                     has_one ? (*disorder)[from.stream] : 0);
}

// With enough causes of a type the search goes on with the next type.
bool Interpreter::advance_join(Loop* loop, std::uint32_t* found) {
  for (;;) {
    const bool enough = loop->in_lane && by_effect_ && state_.edges.full(0, loop->join.type());
    *found = loop->in_lane && !enough ? loop->join.next() : kNone;
    if (*found != kNone) return true;
    if (!charge(1)) return false;
    loop->in_lane = loop->join.next_type();
    if (!loop->in_lane) return false;
  }
}

// Where the body goes on for facts that the filters up to `end` have passed: behind these, unless
// something later reads what they wrote.
std::uint32_t Interpreter::body_behind(std::uint32_t pc, std::uint32_t end,
                                       std::uint32_t exit) const {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  std::set<std::uint32_t> written;
  bool straight = true;  // What is written here is written before all that follows.
  for (std::uint32_t k = pc + 1; k < end; ++k) {
    if (code[k].op != Opcode::Filter) written.insert(code[k].a);
  }
  for (std::uint32_t k = end; k < exit; ++k) {
    const Instruction& i = code[k];
    const program::OpcodeInfo& about = program::info(i.op);
    const auto reads = [&](OperandKind kind, std::uint32_t reg) {
      return is_read(kind) && written.contains(reg);
    };
    if (reads_several(i.op) || reads(about.a, i.a) || reads(about.b, i.b) || reads(about.c, i.c) ||
        reads(about.d, i.d)) {
      return pc + 1;
    }
    straight = straight && !program::is_open(i.op) &&
               !(i.op == Opcode::Filter && i.d + 1 < exit);
    if (straight && about.a >= OperandKind::OutAny && about.a <= OperandKind::OutBag) {
      written.erase(i.a);
    }
  }
  return end;
}

}  // namespace attrib::vm
