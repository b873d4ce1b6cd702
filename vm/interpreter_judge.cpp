// Three-valued tests and aggregates.

#include <algorithm>

#include "vm/interpreter.h"

namespace attrib::vm {

using model::Attribute;
using model::Moment;
using model::Nanos;
using model::Truth;
using model::ValueKind;
using program::Instruction;
using program::Opcode;

void Interpreter::test(const Instruction& i) {
  switch (i.op) {
    case Opcode::InList:
      in_list(i);
      break;
    case Opcode::Has:
      set_truth(i.a, model::truth(!registers_[i.b].value.null()));
      break;
    case Opcode::HasTag:
      set_truth(i.a, model::truth(state_.has_tag(occurrence(i.b).type, i.d)));
      break;
    case Opcode::TextTest: {
      const Value a = registers_[i.b].value;
      const Value b = registers_[i.c].value;
      set_truth(i.a, a.null() || b.null()
                         ? Truth::Unknown
                         : text_test(static_cast<model::TextTest>(i.d), state_.texts.text(a.number),
                                     state_.texts.text(b.number)));
      break;
    }
    case Opcode::Not:
      set_truth(i.a, !truth(i.b));
      break;
    case Opcode::Or:
      set_truth(i.a, truth(i.b) | truth(i.c));
      break;
    case Opcode::NotBefore:
      set_truth(i.a, !model::before(moment(i.b), moment(i.c)));
      break;
    case Opcode::Covered:
      covered(i);
      break;
    case Opcode::Solo:
      solo(i);
      break;
    case Opcode::Tied: {
      const auto& of = state_.candidate_of;
      const std::uint32_t a = of.empty() ? kNone : of[fact(i.b)];
      const std::uint32_t b = of.empty() ? kNone : of[fact(i.c)];
      set_truth(i.a, model::truth(a != kNone && b != kNone && a != b));
      break;
    }
    case Opcode::Related:
      related(i);
      break;
    default:
      break;
  }
}

void Interpreter::aggregate(const Instruction& i) {
  switch (i.op) {
    case Opcode::BagCount:
    case Opcode::BagDistinct: {
      const Count n = i.op == Opcode::BagCount ? bags_[i.b].count() : bags_[i.b].distinct();
      registers_[i.a].value = {ValueKind::Count, n.lo};
      registers_[i.a].extra = n.hi;
      break;
    }
    case Opcode::BagLeast:
      set_value(i.a, bags_[i.b].least(*state_.sets, state_.entities, state_.texts));
      break;
    case Opcode::BagOdd:
      set_value(i.a, bags_[i.b].odd(*state_.sets, state_.entities));
      break;
    case Opcode::BagOver:
      bags_[i.a].over(static_cast<std::uint32_t>(registers_[i.b].value.number));
      break;
    case Opcode::Absent:
      absent(i);
      break;
    case Opcode::Bursts:
      bursts(i);
      break;
    default:
      break;
  }
}

void Interpreter::compare_registers(const Instruction& i) {
  const auto op = static_cast<model::Compare>(i.d);
  const Value& a = registers_[i.b].value;
  const Value& b = registers_[i.c].value;
  if (!a.is(ValueKind::Count) && !b.is(ValueKind::Count)) {
    set_truth(i.a, compare(op, a, b, state_.entities, state_.texts));
    return;
  }
  const bool numbers = (a.is(ValueKind::Count) || a.is(ValueKind::Int)) &&
                       (b.is(ValueKind::Count) || b.is(ValueKind::Int));
  set_truth(i.a, numbers ? compare(op, count(i.b), count(i.c)) : Truth::Unknown);
}

void Interpreter::in_list(const Instruction& i) {
  Truth found = Truth::No;
  for (std::uint32_t k = 0; k < i.c; ++k) {
    found = found | compare(model::Compare::Equal, registers_[i.b].value, state_.constants[i.d + k],
                            state_.entities, state_.texts);
  }
  charge(i.c / 8);
  set_truth(i.a, found);
}

const Moment& Interpreter::point(std::uint16_t reg, std::uint32_t which) const {
  return point_of(occurrence(reg), static_cast<model::Point>(which));
}

// The cause may repeat; any repeat of it may open the window.
void Interpreter::window(const Instruction& i) {
  const Moment& p = point(i.b, i.d & 3U);
  const Moment& q = point(i.c, (i.d >> 2U) & 3U);
  const bool ends_at_cause = (i.d & 16U) != 0;
  if (!reach_.low || !reach_.high) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  const Nanos repeats = repeats_of(occurrence(ends_at_cause ? i.c : i.b));
  const Nanos low = ends_at_cause ? model::sub_nanos(*reach_.low, repeats) : *reach_.low;
  const Nanos high = ends_at_cause ? *reach_.high : model::add_nanos(*reach_.high, repeats);
  set_truth(i.a, model::within(p, q, low, high));
}

void Interpreter::covered(const Instruction& i) {
  const EntityId of = registers_[i.b].value.entity();
  const Moment from = moment(i.c);
  const Moment to = moment(static_cast<std::uint16_t>(i.c + 1));
  coverage_known_ = false;
  if (!state_.entities.known(of) || !from.known || !to.known) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  const EntityId node = state_.topology.node_of(of);
  const bool covers =
      evidence::covers(state_.evidence, static_cast<model::SourceMask>(i.d),
                       node == EntityId::None ? std::string() : state_.entities[node].key,
                       state_.entities.rank_number(of), from.lo, to.hi);
  charge(state_.evidence.sources.size() / 4);
  last_coverage_ = {0, of, from.lo, to.hi, covers};
  coverage_known_ = true;
  set_truth(i.a, model::truth(covers));
}

void Interpreter::absent(const Instruction& i) {
  set_truth(i.a, bags_[i.b].absent(truth(i.c)));
  if (!coverage_known_) return;
  Absence seen = last_coverage_;
  seen.type = scanned_type_;
  absences_.push_back({loops_.size(), seen});
  coverage_known_ = false;
}

void Interpreter::solo(const Instruction& i) {
  const Value length = registers_[i.c].value;
  const Occurrence& o = occurrence(i.b);
  if (!state_.entities.known(o.entity) || !length.is(ValueKind::Duration)) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  if (!decoded_on_made_) {
    decoded_on_made_ = true;
    for (const std::uint32_t k : state_.facts.all) {
      const Occurrence& other = state_.facts.occurrences[k];
      if (other.from_decode && other.meta.role != model::Role::Note) {
        decoded_on_[other.entity].push_back(k);
      }
    }
  }
  Truth other = Truth::No;
  for (const std::uint32_t k : decoded_on_[o.entity]) {
    if (other == Truth::Yes || !charge(1)) break;
    if (k == fact(i.b)) continue;
    other = other | model::within(o.begin, state_.facts.occurrences[k].begin,
                                  model::sub_nanos(0, length.number), length.number);
  }
  set_truth(i.a, !other);
}

void Interpreter::bursts(const Instruction& i) {
  const Value length = registers_[i.c].value;
  const Occurrence& o = occurrence(i.b);
  if (!length.is(ValueKind::Duration)) {
    set_value(i.a, {});
    return;
  }
  const auto& key = state_.program.symptoms[o.type].key;
  std::int64_t n = 0;
  const auto& index = key_index(false, o.type, true, static_cast<std::uint32_t>(Attribute::Entity));
  const auto same_entity = index.equal.find(entity_value(o.entity));
  const auto& list = same_entity == index.equal.end() ? index.maybe : same_entity->second;
  for (const std::uint32_t k : list) {
    if (!charge(1)) break;
    const Occurrence& other = state_.facts.occurrences[k];
    const bool same = other.entity == o.entity &&
                      std::all_of(key.begin(), key.end(),
                                  [&](std::uint16_t f) { return other.fields[f] == o.fields[f]; });
    if (!same) continue;
    const bool near =
        k == fact(i.b) || model::within(o.begin, other.begin, model::sub_nanos(0, length.number),
                                        length.number) != Truth::No;
    if (near) ++n;
  }
  set_value(i.a, int_value(n));
}

// The same, or one is the other's node, GPU, switch or communicator.
void Interpreter::related(const Instruction& i) {
  const EntityId a = occurrence(i.b).entity;
  const EntityId b = occurrence(i.c).entity;
  EntityTable& entities = state_.entities;
  if (!entities.known(a) || !entities.known(b)) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  const auto inside = [&](EntityId part, EntityId whole) {
    return part == whole || state_.topology.node_of(part) == whole ||
           entities.gpu_of_link(part) == whole || entities.switch_of(part) == whole ||
           entities.communicator_of(part) == whole;
  };
  set_truth(i.a, model::truth(inside(a, b) || inside(b, a)));
}

// True: a certain member.
bool Interpreter::bag_add(const Instruction& i) {
  const Truth t = truth(i.c);
  if (t == Truth::No || registers_[i.b].value.is(ValueKind::Moment)) return false;
  if (++bag_members_ > state_.budget.collected) {
    stop("facts collected", state_.budget.collected);
    return false;
  }
  const auto from = static_cast<std::uint16_t>(i.d);
  BagMember member;
  member.value = registers_[i.b].value;
  member.certain = t == Truth::Yes;
  member.event = is_event(from);
  member.fact = fact(from);
  member.rank = attribute(from, Attribute::Rank).entity();
  bags_[i.a].add(member);
  return member.certain && !member.value.null();
}

// A certain member settles an absence, and a count that must be 0: the loop that fills the bag has
// nothing more to find. (What is in the bag is evidence of what the rule emits, and it emits
// nothing.)
std::uint32_t Interpreter::bag_decided(const Instruction& i, std::uint32_t pc) {
  if (!decided_by_one_[i.a] || loops_.empty()) return pc + 1;
  const auto inside = [&](const auto& bag) {
    return bag.second == i.a && bag.first < loops_.size();
  };
  if (std::none_of(live_bags_.begin(), live_bags_.end(), inside)) return pc + 1;
  const std::uint32_t exit = loops_.back().exit;
  forget_deeper(loops_.size());
  loops_.pop_back();
  return exit;
}

// Bags that are only read by `absent`, or by `== 0` and a filter that keeps back no.
void Interpreter::find_decided_bags() {
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  const std::uint32_t size = code_->code_end - code_->code_begin;
  if (has_bags_.empty()) has_bags_.resize(state_.program.rules.size());
  std::optional<bool>& has_bags =
      has_bags_[static_cast<std::size_t>(code_ - state_.program.rules.data())];
  if (!has_bags) {
    has_bags = std::any_of(code, code + size,
                           [](const Instruction& i) { return i.op == Opcode::BagNew; });
  }
  if (!*has_bags) return;
  // bag.count, const, cmp ==, filter
  const auto must_be_none = [&](std::uint32_t pc) {
    if (pc + 3 >= size) return false;
    const Instruction* i = code + pc;
    return i[1].op == Opcode::LoadConst && state_.constants[i[1].d] == int_value(0) &&
           i[2].op == Opcode::Compare && i[2].b == i[0].a && i[2].c == i[1].a &&
           static_cast<model::Compare>(i[2].d) == model::Compare::Equal &&
           i[3].op == Opcode::Filter && i[3].a == i[2].a && (i[3].b & 1U) == 0;
  };
  std::vector<bool> read_otherwise(code_->registers.size(), false);
  decided_by_one_.assign(code_->registers.size(), false);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& i = code[pc];
    const bool reads = i.op == Opcode::BagCount || i.op == Opcode::BagDistinct ||
                       i.op == Opcode::BagLeast || i.op == Opcode::BagOdd;
    if (i.op == Opcode::Absent || (i.op == Opcode::BagCount && must_be_none(pc))) {
      decided_by_one_[i.b] = true;
    } else if (reads) {
      read_otherwise[i.b] = true;
    }
  }
  for (std::size_t reg = 0; reg < read_otherwise.size(); ++reg) {
    if (read_otherwise[reg]) decided_by_one_[reg] = false;
  }
}

}  // namespace attrib::vm
