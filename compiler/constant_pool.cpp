#include "compiler/constant_pool.h"

#include "program/opcode.h"

namespace attrib::compiler {

using program::OperandKind;

void ConstantPool::finish(program::Program& out) {
  std::vector<std::uint32_t> constant_at(constants_.size());
  for (const auto& [value, number] : constants_) {
    constant_at[number] = static_cast<std::uint32_t>(out.constants.size());
    out.constants.push_back(value);
  }
  // A list is a run of constants after the single ones.
  std::vector<std::uint32_t> list_at(lists_.size());
  for (const auto& [values, number] : lists_) {
    list_at[number] = static_cast<std::uint32_t>(out.constants.size());
    out.constants.insert(out.constants.end(), values.begin(), values.end());
  }
  std::vector<std::uint32_t> text_at(texts_.size());
  for (const auto& [text, number] : texts_) {
    text_at[number] = static_cast<std::uint32_t>(out.texts.size());
    out.texts.push_back(text);
  }
  std::vector<std::uint16_t> set_at(type_sets_.size() + 1);
  for (const auto& [types, number] : type_sets_) {
    out.type_sets.push_back(types);
    set_at[number + 1] = static_cast<std::uint16_t>(out.type_sets.size());
  }
  for (program::Instruction& in : out.code) {
    if (program::info(in.op).b == OperandKind::TypeSet) in.b = set_at[in.b];
    const OperandKind d = program::info(in.op).d;
    if (d == OperandKind::Const) {
      in.d = in.op == program::Opcode::InList ? list_at[in.d] : constant_at[in.d];
    }
    if (d == OperandKind::TextI) in.d = text_at[in.d];
  }
}

}  // namespace attrib::compiler
