#include "vm/early_where.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_map>

#include "program/opcode.h"
#include "vm/operations.h"

namespace attrib::vm {

using model::Truth;
using model::ValueKind;
using program::Instruction;
using program::Opcode;

namespace {

// What a register holds that is read as a text, as far as the code before tells.
struct Text {
  std::optional<std::uint16_t> capture;
  const std::string* constant = nullptr;
};

// Such captures say where a line is from: the run reads them whatever `where` says.
bool places_its_lines(const program::Extract& extract) {
  return std::any_of(
      extract.captures.begin(), extract.captures.end(),
      [](const program::Capture& each) { return each.name == "node" || each.name == "rank"; });
}

}  // namespace

std::optional<EarlyWhere> EarlyWhere::of(const program::Program& program,
                                         const program::Extract& extract) {
  // Where one match of several counts, `where` is asked about that one only.
  const bool each_counts = !extract.keep_last && extract.keep_first_by.empty();
  if (extract.kind != program::ExtractKind::Lines || !each_counts || places_its_lines(extract))
    return std::nullopt;
  const program::Rule& rule = program.rules[extract.rule];
  const std::span<const Instruction> code(program.code.data() + rule.code_begin,
                                          rule.code_end - rule.code_begin);
  EarlyWhere out;
  std::unordered_map<std::uint16_t, Text> texts;
  const auto add = [&out](const Step& step) {
    out.steps_.push_back(step);
    out.registers_ = std::max<std::size_t>(out.registers_, step.out + std::size_t{1});
  };
  for (const Instruction& i : code) {
    Step step;
    step.out = i.a;
    step.a = i.b;
    step.b = i.c;
    switch (i.op) {
      case Opcode::LoadCapture:
        if (extract.captures[i.c].type.kind != ValueKind::String) return std::nullopt;
        texts[i.a] = {i.c, nullptr};
        continue;
      case Opcode::LoadConst:
        if (program.constants[i.d].kind != ValueKind::String) return std::nullopt;
        texts[i.a] = {std::nullopt, &program.constants[i.d].text};
        continue;
      case Opcode::TextTest: {
        const Text text = texts[i.b], part = texts[i.c];
        if (!text.capture || part.constant == nullptr) return std::nullopt;
        step.test = static_cast<model::TextTest>(i.d);
        step.a = *text.capture;
        step.text = part.constant;
        break;
      }
      case Opcode::Not:
        step.kind = Step::Kind::Not;
        break;
      case Opcode::And:
        step.kind = Step::Kind::And;
        break;
      case Opcode::Or:
        step.kind = Step::Kind::Or;
        break;
      case Opcode::Filter: {
        // Where it is not true, the extract ends.
        constexpr unsigned kNo = 1U << static_cast<unsigned>(Truth::No);
        const bool ends = i.d >= code.size() || code[i.d].op == Opcode::Halt;
        if ((i.b & kNo) != 0 || !ends || i.a >= out.registers_) return std::nullopt;
        out.decides_ = i.a;
        return out;
      }
      default:
        return std::nullopt;
    }
    add(step);
  }
  return std::nullopt;
}

bool EarlyWhere::lets(const Captured& captures) const {
  constexpr std::size_t kFew = 64;
  if (registers_ > kFew) return true;
  std::array<Truth, kFew> truths;
  truths.fill(Truth::Unknown);
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::Test: {
        const auto& text = captures[step.a];
        truths.at(step.out) = text && text->kind == ValueKind::String
                                  ? text_test(step.test, text->text, *step.text)
                                  : Truth::Unknown;
        break;
      }
      case Step::Kind::Not:
        truths.at(step.out) = !truths.at(step.a);
        break;
      case Step::Kind::And:
        truths.at(step.out) = truths.at(step.a) & truths.at(step.b);
        break;
      case Step::Kind::Or:
        truths.at(step.out) = truths.at(step.a) | truths.at(step.b);
        break;
    }
  }
  return truths.at(decides_) != Truth::No;
}

}  // namespace attrib::vm
