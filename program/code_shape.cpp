#include "program/code_shape.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "program/opcode.h"
#include "program/verify.h"

namespace attrib::program {
namespace {

bool starts_emit(Opcode op) { return op == Opcode::EmitEvent || op == Opcode::EmitSymptom; }

bool says(Opcode op) {
  return op == Opcode::SayText || op == Opcode::SayValue || op == Opcode::SayFact;
}

bool continues_emit(Opcode op) {
  return op == Opcode::EmitField || op == Opcode::EmitMeta || op == Opcode::EmitBegin;
}

// Loads, tests and reading a bag: they write a register and do nothing else.
bool is_pure(Opcode op) {
  const OperandKind a = info(op).a;
  return a >= OperandKind::OutAny && a <= OperandKind::OutCount && op != Opcode::OpenMembers;
}

// What most instructions do: nothing to loops and outputs. Of all bytes, so that a walk asks once.
enum : std::uint8_t { kPure = 1, kOther = 2 };  // Inside an output too; only outside of one.
using Plain = std::array<std::uint8_t, 256>;
Plain plain() {
  Plain out{};
  for (const OpcodeInfo& each : opcodes()) {
    const Opcode op = each.op;
    const bool special = is_open(op) || op == Opcode::Next || op == Opcode::Halt || starts_emit(op) ||
                         says(op) || continues_emit(op) || op == Opcode::EmitDone ||
                         op == Opcode::SayDone;
    if (!special) out[static_cast<std::uint8_t>(op)] = is_pure(op) ? kPure | kOther : kOther;
  }
  return out;
}

class ShapeWalk {
 public:
  ShapeWalk(std::span<const Instruction> code, CodeShape* shape) : code_(code), shape_(shape) {}

  std::optional<ShapeFault> run() {
    static const Plain kPlain = plain();
    shape_->loop_of.resize(code_.size());
    shape_->inside_output.resize(code_.size());
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      shape_->loop_of[pc] = loop_;
      shape_->inside_output[pc] = building_ != Building::Nothing;
      const unsigned good = building_ == Building::Nothing ? kOther : kPure;
      const bool last = pc + 1 == code_.size();
      if ((kPlain[static_cast<std::uint8_t>(code_[pc].op)] & good) != 0 && !last) continue;
      if (auto what = step(pc); !what.empty()) return ShapeFault{pc, what};
    }
    if (!loops_.empty()) return ShapeFault{loops_.back(), "this loop has no `next`"};
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      if (code_[pc].op != Opcode::Filter) continue;
      if (auto what = jump(pc); !what.empty()) return ShapeFault{pc, what};
    }
    return std::nullopt;
  }

 private:
  std::string step(std::uint32_t pc) {
    const Instruction& at = code_[pc];
    if (find_opcode(static_cast<std::uint8_t>(at.op)) == nullptr) return "unknown opcode";
    if (auto what = output(pc); !what.empty()) return std::string(what);
    const bool last = pc + 1 == code_.size();
    if (last != (at.op == Opcode::Halt)) return "a rule ends in its one `halt`";
    if (is_open(at.op)) {
      if (loops_.size() == kMaxLoopDepth) {
        return fmt::format("more than {} loops in one another", kMaxLoopDepth);
      }
      loops_.push_back(pc);
      loop_ = pc;
    }
    if (at.op != Opcode::Next) return "";
    if (loops_.empty()) return "no loop to end";
    const Instruction& open = code_[loops_.back()];
    if (open.a != at.a) return fmt::format("the innermost loop is over r{}", open.a);
    if (open.d != pc + 1) return fmt::format("its loop leaves to {:04}", open.d);
    loops_.pop_back();
    loop_ = loops_.empty() ? kNoLoop : loops_.back();
    return "";
  }

  // Which output is being built: `emit` from its start to emit.done, `say` from its first text to
  // say.done.
  std::string_view output(std::uint32_t pc) {
    const Opcode op = code_[pc].op;
    switch (building_) {
      case Building::Nothing:
        if (continues_emit(op) || op == Opcode::EmitDone) return "no emission was started";
        if (op == Opcode::SayDone) return "no message was started";
        if (starts_emit(op)) building_ = Building::Emission;
        if (says(op)) building_ = Building::Message;
        return "";
      case Building::Emission:
        if (op == Opcode::EmitDone) building_ = Building::Nothing;
        return continues_emit(op) || op == Opcode::EmitDone || is_pure(op)
                   ? ""
                   : "an emission is not done";
      case Building::Message:
        if (op == Opcode::SayDone) building_ = Building::Nothing;
        return says(op) || op == Opcode::SayDone || is_pure(op) ? "" : "a message is not done";
    }
    return "";
  }

  // Of a filter; `open` was checked with its `next`.
  std::string jump(std::uint32_t pc) const {
    const Instruction& at = code_[pc];
    if (at.d <= pc) return fmt::format("target {:04} is not later", at.d);
    if (at.d >= code_.size()) return fmt::format("target {:04} is past the rule", at.d);
    if (shape_->inside_output[at.d] != 0) return fmt::format("target {:04} is inside an output", at.d);
    // Leaving loops closes them; entering one would leave its register unbound.
    const std::uint32_t target = shape_->loop_of[at.d];
    std::uint32_t loop = shape_->loop_of[pc];
    while (loop != target && loop != kNoLoop) loop = shape_->loop_of[loop];
    return loop == target ? "" : fmt::format("target {:04} is inside another loop", at.d);
  }

  enum class Building { Nothing, Emission, Message };

  std::span<const Instruction> code_;
  CodeShape* shape_;
  std::vector<std::uint32_t> loops_;  // Their `open`s.
  std::uint32_t loop_ = kNoLoop;      // The innermost.
  Building building_ = Building::Nothing;
};

}  // namespace

bool is_open(Opcode op) {
  switch (op) {
    case Opcode::OpenEvents:
    case Opcode::OpenSymptoms:
    case Opcode::OpenAny:
    case Opcode::OpenKeyed:
    case Opcode::OpenNear:
    case Opcode::OpenNearAny:
    case Opcode::OpenEventsKeyed:
    case Opcode::OpenMembers:
      return true;
    default:
      return false;
  }
}

std::optional<ShapeFault> code_shape(std::span<const Instruction> code, CodeShape* shape) {
  return ShapeWalk(code, shape).run();
}

}  // namespace attrib::program
