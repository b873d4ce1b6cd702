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

// Where an instruction may stand and changes nothing, neither loops nor outputs, as most do. Of all bytes, so that a walk
// asks once.
enum : std::uint8_t { kOutside = 1, kInEmission = 2, kInMessage = 4 };
using Plain = std::array<std::uint8_t, 256>;
Plain plain() {
  Plain out{};
  for (const OpcodeInfo& each : opcodes()) {
    const Opcode op = each.op;
    std::uint8_t& where = out[static_cast<std::uint8_t>(op)];
    if (continues_emit(op)) {
      where = kInEmission;
    } else if (says(op)) {
      where = kInMessage;
    } else if (is_pure(op)) {
      where = kOutside | kInEmission | kInMessage;
    } else if (!is_open(op) && op != Opcode::Next && op != Opcode::Halt && !starts_emit(op) &&
               op != Opcode::EmitDone && op != Opcode::SayDone) {
      where = kOutside;
    }
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
    shape_->filters.clear();
    std::uint32_t* const loop_of = shape_->loop_of.data();
    std::uint8_t* const inside_output = shape_->inside_output.data();
    for (std::uint32_t pc = 0, size = static_cast<std::uint32_t>(code_.size()); pc < size; ++pc) {
      loop_of[pc] = loop_;
      inside_output[pc] = building_ != kOutside ? 1 : 0;
      const Opcode op = code_[pc].op;
      if ((kPlain[static_cast<std::uint8_t>(op)] & building_) != 0 && pc + 1 != size) {
        if (op == Opcode::Filter) shape_->filters.push_back(pc);
        continue;
      }
      if (auto what = step(pc); !what.empty()) return ShapeFault{pc, what};
    }
    if (!loops_.empty()) return ShapeFault{loops_.back(), "this loop has no `next`"};
    for (const std::uint32_t pc : shape_->filters) {
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
      case kOutside:
        if (continues_emit(op) || op == Opcode::EmitDone) return "no emission was started";
        if (op == Opcode::SayDone) return "no message was started";
        if (starts_emit(op)) building_ = kInEmission;
        if (says(op)) building_ = kInMessage;
        return "";
      case kInEmission:
        if (op == Opcode::EmitDone) building_ = kOutside;
        return continues_emit(op) || op == Opcode::EmitDone || is_pure(op)
                   ? ""
                   : "an emission is not done";
      case kInMessage:
        if (op == Opcode::SayDone) building_ = kOutside;
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

  std::span<const Instruction> code_;
  CodeShape* shape_;
  std::vector<std::uint32_t> loops_;  // Their `open`s.
  std::uint32_t loop_ = kNoLoop;      // The innermost.
  std::uint8_t building_ = kOutside;  // Or which output is being built.
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
