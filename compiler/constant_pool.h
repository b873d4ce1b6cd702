#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/value.h"
#include "program/program.h"

namespace attrib::compiler {

// Constants, lists of constants and texts of a program, each once. While code is made it names them
// by the order in which they came; finish() sorts them, so that the result does not depend on that
// order, and renames.
class ConstantPool {
 public:
  std::uint32_t constant(const model::Constant& value) { return number(constants_, value); }
  std::uint32_t list(const std::vector<model::Constant>& values) { return number(lists_, values); }
  std::uint32_t text(const std::string& text) { return number(texts_, text); }
  // The operand of a set of symptom types (sorted): from 1.
  std::uint32_t types(const std::vector<std::uint32_t>& set) { return number(type_sets_, set) + 1; }

  // Moves everything into `out` and corrects its code.
  void finish(program::Program& out);

 private:
  template <typename T>
  using Numbers = std::map<T, std::uint32_t>;
  template <typename T>
  static std::uint32_t number(Numbers<T>& numbers, const T& item) {
    return numbers.emplace(item, static_cast<std::uint32_t>(numbers.size())).first->second;
  }

  Numbers<model::Constant> constants_;
  Numbers<std::vector<model::Constant>> lists_;
  Numbers<std::string> texts_;
  Numbers<std::vector<std::uint32_t>> type_sets_;
};

}  // namespace attrib::compiler
