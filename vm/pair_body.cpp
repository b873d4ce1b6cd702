#include "vm/pair_body.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "program/code_shape.h"
#include "program/opcode.h"
#include "program/operand_kinds.h"

namespace attrib::vm {

using model::Attribute;
using model::ValueKind;
using program::Instruction;
using program::Opcode;
using program::OperandKind;

namespace {

enum Depends : unsigned { kNothing = 0, kEffect = 1, kCause = 2, kBoth = 3 };

// Loads and tests of values that one register each holds.
bool is_pure(Opcode op) {
  switch (op) {
    case Opcode::LoadConst:
    case Opcode::LoadParam:
    case Opcode::LoadField:
    case Opcode::LoadAttr:
    case Opcode::Relate:
    case Opcode::MakeSet:
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Negate:
    case Opcode::Compare:
    case Opcode::InList:
    case Opcode::InSet:
    case Opcode::Has:
    case Opcode::HasTag:
    case Opcode::TextTest:
    case Opcode::Not:
    case Opcode::And:
    case Opcode::Or:
      return true;
    default:
      return false;
  }
}

bool is_read(OperandKind kind) {
  return kind == OperandKind::Fact || (kind >= OperandKind::InAny && kind <= OperandKind::InBag);
}

struct Operand {
  OperandKind kind;
  std::uint32_t value;
};
std::array<Operand, 4> operands(const Instruction& i) {
  const program::OpcodeInfo& about = program::info(i.op);
  return {{{about.a, i.a}, {about.b, i.b}, {about.c, i.c}, {about.d, i.d}}};
}

// Where a loop's `next` stands.
std::uint32_t next_of(std::span<const Instruction> code, std::uint32_t open) {
  return code[open].d - 1;
}

// What the inner loops of a rule of two write. Nothing outside of them may read that, unless it has
// been written anew: then no round of a loop sees what another left.
class Leftovers {
 public:
  explicit Leftovers(std::span<const Instruction> code) : code_(code) {
    for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
      if (program::is_open(code[pc].op)) ++depth_;
      if (depth_ == 2 && program::is_output(program::info(code[pc].op).a))
        written_.push_back(code[pc].a);
      if (code[pc].op == Opcode::Next) --depth_;
    }
    std::sort(written_.begin(), written_.end());
  }

  [[nodiscard]] bool writes(std::uint32_t reg) const {
    return std::binary_search(written_.begin(), written_.end(), reg);
  }

  [[nodiscard]] bool are_read() const {
    std::vector<std::uint32_t> anew;
    unsigned depth = 0;
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      const Instruction& i = code_[pc];
      if (i.op == Opcode::Next && --depth == 0) anew.clear();
      if (depth == 2) continue;
      if (i.op == Opcode::Filter && code_[i.d].op != Opcode::Next) return true;
      for (const Operand& operand : operands(i)) {
        if (is_read(operand.kind) && writes(operand.value) &&
            std::find(anew.begin(), anew.end(), operand.value) == anew.end()) {
          return true;
        }
      }
      if (program::is_open(i.op)) ++depth;
      if (program::is_output(program::info(i.op).a) && depth > 0) anew.push_back(i.a);
    }
    return false;
  }

 private:
  std::span<const Instruction> code_;
  std::vector<std::uint32_t> written_;
  unsigned depth_ = 0;
};

class Taking {
 public:
  Taking(const program::Rule& rule, std::span<const Instruction> code, std::uint32_t open)
      : rule_(rule), code_(code), open_(open), cause_(code[open].a), effect_(code[open].c) {}

  std::optional<PairBody> run() {
    const Leftovers leftovers(code_);
    if (leftovers.are_read()) return std::nullopt;
    const std::uint32_t next = next_of(code_, open_);
    out_.registers = static_cast<std::uint32_t>(rule_.registers.size());
    for (std::uint32_t pc = open_ + 1; pc + 1 < next; ++pc) {
      if (!take(code_[pc], next, leftovers)) return std::nullopt;
    }
    if (next < open_ + 2 || !has_window_) return std::nullopt;
    out_.edge_at = next - 1;
    if (!take_edge(code_[next - 1], leftovers)) return std::nullopt;
    if (out_.registers > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    std::sort(out_.key.begin(), out_.key.end());
    out_.key.erase(std::unique(out_.key.begin(), out_.key.end()), out_.key.end());
    return std::move(out_);
  }

 private:
  struct Held {
    std::uint16_t as = 0;  // The register it has now.
    unsigned depends = kNothing;
    bool window = false;
  };

  // What the body's register holds at this point; none: what the kernel cannot know.
  [[nodiscard]] std::optional<Held> held(std::uint32_t reg, const Leftovers& leftovers) const {
    if (reg == cause_) return Held{cause_, kCause, false};
    if (reg == effect_) return Held{effect_, kEffect, false};
    for (auto it = written_.rbegin(); it != written_.rend(); ++it) {
      if (it->first == reg) return it->second;
    }
    if (leftovers.writes(reg)) return std::nullopt;
    return Held{static_cast<std::uint16_t>(reg), kEffect, false};
  }

  bool is_value(std::uint32_t reg) const {
    const ValueKind kind = rule_.registers[reg];
    return kind != ValueKind::Moment && kind != ValueKind::Bag && kind != ValueKind::Count &&
           kind != ValueKind::Row;
  }

  bool take(Instruction i, std::uint32_t next, const Leftovers& leftovers) {
    if (i.op == Opcode::Window) return take_window(i);
    if (i.op == Opcode::Filter) return take_filter(i, next, leftovers);
    if (!is_pure(i.op) || !is_value(i.a)) return false;
    unsigned depends = kNothing;
    const program::OpcodeInfo& about = program::info(i.op);
    for (const auto& [kind, operand] : {std::pair(about.b, &i.b), std::pair(about.c, &i.c)}) {
      if (!is_read(kind)) continue;
      const auto found = held(*operand, leftovers);
      if (!found || found->window || !is_value(*operand)) return false;
      *operand = found->as;
      depends |= found->depends;
      uses_.emplace_back(found->as, found->depends);
    }
    note_uses(depends);
    const auto fresh = static_cast<std::uint16_t>(out_.registers++);
    written_.emplace_back(i.a, Held{fresh, depends, false});
    i.a = fresh;
    part(depends).push_back(i);
    return true;
  }

  bool take_window(const Instruction& i) {
    const bool of_both = (i.b == cause_ && i.c == effect_) || (i.b == effect_ && i.c == cause_);
    if (has_window_ || !of_both) return false;
    has_window_ = true;
    out_.window = i;
    written_.emplace_back(i.a, Held{0, kBoth, true});
    return true;
  }

  bool take_filter(Instruction i, std::uint32_t next, const Leftovers& leftovers) {
    const auto found = held(i.a, leftovers);
    if (!found || i.d != next) return false;
    if (found->window) {
      out_.window_passes &= i.b;
      return true;
    }
    i.a = found->as;
    uses_.emplace_back(found->as, found->depends);
    note_uses(found->depends);
    part(found->depends == kNothing ? unsigned{kEffect} : found->depends).push_back(i);
    return true;
  }

  bool take_edge(const Instruction& i, const Leftovers& leftovers) {
    if (i.op != Opcode::Edge || i.a != cause_ || i.b != effect_) return false;
    const auto relation = held(i.c, leftovers);
    const auto window = held(i.d, leftovers);
    if (!relation || relation->window || !window || !window->window) return false;
    out_.relation = relation->as;
    uses_.emplace_back(relation->as, relation->depends);
    note_uses(kBoth);
    out_.edge = i;
    return true;
  }

  // What only the cause decides is the key where something that decides more reads it.
  void note_uses(unsigned depends) {
    for (const auto& [reg, of] : uses_) {
      if (of == kCause && depends == kBoth && reg != cause_) out_.key.push_back(reg);
    }
    uses_.clear();
  }

  std::vector<Instruction>& part(unsigned depends) {
    switch (depends) {
      case kNothing:
        return out_.once;
      case kEffect:
        return out_.effect;
      case kCause:
        return out_.cause;
      default:
        return out_.pair;
    }
  }

  const program::Rule& rule_;
  std::span<const Instruction> code_;
  std::uint32_t open_;
  std::uint16_t cause_, effect_;
  PairBody out_;
  std::vector<std::pair<std::uint32_t, Held>> written_;  // In order.
  std::vector<std::pair<std::uint16_t, unsigned>> uses_;
  bool has_window_ = false;
};

}  // namespace

std::optional<PairBody> pair_body(const program::Rule& rule, std::span<const Instruction> code,
                                  std::uint32_t open) {
  return Taking(rule, code, open).run();
}

}  // namespace attrib::vm
