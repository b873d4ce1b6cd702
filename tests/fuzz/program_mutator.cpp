// Changes a program as a value: one instruction, constant, table cell, template or field at a time.
// Random bytes rarely make a program that decodes and verifies, so without this the interpreter is
// hardly ever reached.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "model/required_literals.h"
#include "program/codec.h"
#include "program/opcode.h"
#include "program/program.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace attrib::fuzz {
namespace {

using program::Instruction;
using program::OperandKind;
using program::Program;

class Mutator {
 public:
  Mutator(Program& program, unsigned seed) : p_(program), random_(seed) {}

  void run() {
    for (std::size_t n = 1 + below(3); n > 0; --n) step();
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  template <typename T>
  T* any(std::vector<T>& list) {
    return list.empty() ? nullptr : &list[below(list.size())];
  }

  void step() {
    switch (below(10)) {
      case 0:
        return swap_instructions();
      case 1:
        return change_constant();
      case 2:
        return change_table();
      case 3:
        return change_rule();
      case 4:
        return change_extract();
      case 5:
        return change_schema();
      case 6:
        return insert_or_remove();
      default:
        return change_instruction();
    }
  }

  program::Rule* rule_of(std::size_t pc) {
    for (program::Rule& rule : p_.rules) {
      if (rule.code_begin <= pc && pc < rule.code_end) return &rule;
    }
    return nullptr;
  }

  std::uint32_t operand(OperandKind kind, std::size_t pc) {
    const program::Rule* rule = rule_of(pc);
    const std::size_t registers = rule == nullptr ? 4 : rule->registers.size();
    const std::size_t size = rule == nullptr ? 1 : rule->code_end - rule->code_begin;
    const auto index = [&](std::size_t n) {
      return static_cast<std::uint32_t>(below(n + below(2)));
    };
    switch (kind) {
      case OperandKind::None:
        return 0;
      case OperandKind::Imm:
        return static_cast<std::uint32_t>(below(4) == 0 ? random_() : below(40));
      case OperandKind::Const:
        return index(p_.constants.size());
      case OperandKind::Param:
        return index(rule == nullptr ? 0 : rule->params.size());
      case OperandKind::EventT:
        return index(p_.events.size());
      case OperandKind::SymptomT:
        return index(p_.symptoms.size());
      case OperandKind::TableI:
        return index(p_.tables.size());
      case OperandKind::TextI:
        return index(p_.texts.size());
      case OperandKind::Target:
        return index(size);
      default:
        return index(registers);
    }
  }

  void change_instruction() {
    Instruction* i = any(p_.code);
    if (i == nullptr) return;
    const auto pc = static_cast<std::size_t>(i - p_.code.data());
    const auto all = program::opcodes();
    if (below(4) == 0) i->op = all[below(all.size())].op;
    const auto* about = program::find_opcode(static_cast<std::uint8_t>(i->op));
    if (about == nullptr) return;
    switch (below(4)) {
      case 0:
        i->a = static_cast<std::uint16_t>(operand(about->a, pc));
        break;
      case 1:
        i->b = static_cast<std::uint16_t>(operand(about->b, pc));
        break;
      case 2:
        i->c = static_cast<std::uint16_t>(operand(about->c, pc));
        break;
      default:
        i->d = operand(about->d, pc);
        break;
    }
  }

  void swap_instructions() {
    Instruction* a = any(p_.code);
    Instruction* b = any(p_.code);
    if (a == nullptr) return;
    if (below(2) == 0) {
      std::swap(*a, *b);
    } else {
      *a = *b;
    }
  }

  // Targets behind the place move with it, so that loops stay whole.
  void insert_or_remove() {
    if (p_.code.empty() || p_.places.size() != p_.code.size()) return;
    const std::size_t at = below(p_.code.size());
    program::Rule* rule = rule_of(at);
    if (rule == nullptr) return;
    const bool insert = below(2) == 0;
    if (!insert && rule->code_end - rule->code_begin < 2) return;
    const std::uint32_t local = static_cast<std::uint32_t>(at) - rule->code_begin;
    const auto end = std::min<std::size_t>(rule->code_end, p_.code.size());
    for (std::size_t pc = rule->code_begin; pc < end; ++pc) {
      Instruction& i = p_.code[pc];
      const auto* about = program::find_opcode(static_cast<std::uint8_t>(i.op));
      if (about == nullptr || about->d != OperandKind::Target || i.d <= local) continue;
      i.d += insert ? 1 : -1U;
    }
    const auto offset = static_cast<std::ptrdiff_t>(at);
    if (insert) {
      p_.code.insert(p_.code.begin() + offset, p_.code[below(p_.code.size())]);
      p_.places.insert(p_.places.begin() + offset, p_.places[at]);
    } else {
      p_.code.erase(p_.code.begin() + offset);
      p_.places.erase(p_.places.begin() + offset);
    }
    for (program::Rule& each : p_.rules) {
      if (each.code_begin > at) each.code_begin += insert ? 1 : -1U;
      if (each.code_end > at) each.code_end += insert ? 1 : -1U;
    }
  }

  std::int64_t number() {
    static constexpr std::int64_t kEdges[] = {0,         1,        -1, 2, 255, 65535, 1'000'000'000,
                                              INT64_MAX, INT64_MIN};
    return below(2) == 0 ? kEdges[below(std::size(kEdges))] : static_cast<std::int64_t>(random_());
  }

  void change(model::Constant* constant) {
    if (constant == nullptr) return;
    if (constant->kind == model::ValueKind::String) {
      constant->text = below(2) == 0 ? "" : std::string(below(2000), 'x');
    } else {
      constant->number = number();
    }
  }

  void change_constant() {
    if (below(3) == 0 && !p_.rules.empty()) {
      program::Param* param = any(any(p_.rules)->params);
      if (param != nullptr) return change(&param->value);
    }
    change(any(p_.constants));
  }

  void change_table() {
    model::Table* table = any(p_.tables);
    if (table == nullptr) return;
    if (below(3) == 0)
      table->match = below(2) == 0 ? model::TableMatch::First : model::TableMatch::Unique;
    model::TableRow* row = any(table->rows);
    if (row == nullptr) return;
    if (below(4) == 0) return change(any(row->results));
    if (below(6) == 0) return table->rows.push_back(model::TableRow(*row));
    model::KeyCell* cell = any(row->keys);
    if (cell == nullptr) return;
    switch (below(4)) {
      case 0:
        cell->kind = static_cast<model::KeyCell::Kind>(below(5));
        break;
      case 1:
        cell->mask = static_cast<std::uint64_t>(number());
        break;
      case 2:
        cell->bits = static_cast<std::uint64_t>(number()) & cell->mask;
        break;
      default:
        change(any(cell->values));
        break;
    }
  }

  void change_rule() {
    program::Rule* rule = any(p_.rules);
    if (rule == nullptr) return;
    switch (below(5)) {
      case 0:
        rule->stratum = static_cast<std::uint32_t>(below(3));
        break;
      case 1:
        rule->confidence = static_cast<model::Band>(below(4));
        break;
      case 2:
        rule->registers.push_back(static_cast<model::ValueKind>(below(13)));
        break;
      case 3:
        rule->of_job = !rule->of_job;
        break;
      default:
        if (auto* kind = any(rule->registers)) *kind = static_cast<model::ValueKind>(below(13));
    }
  }

  void change_extract() {
    program::Extract* extract = any(p_.extracts);
    if (extract == nullptr) return;
    if (below(4) == 0) extract->sources = static_cast<model::SourceMask>(random_() & 0xFFFU);
    if (below(6) == 0 && !extract->captures.empty()) {
      any(extract->captures)->type.kind = static_cast<model::ValueKind>(below(13));
    }
    model::Alternative* alternative = any(extract->alternatives);
    if (alternative == nullptr || alternative->lines.empty()) return;
    model::LineTemplate& line = *any(alternative->lines);
    if (below(4) == 0) alternative->within_lines = static_cast<std::uint32_t>(below(2000));
    if (below(4) == 0) line.at_start = !line.at_start;
    model::TemplatePart* part = any(line.parts);
    if (part == nullptr) return;
    switch (below(4)) {
      case 0:
        part->kind = static_cast<model::PartKind>(below(8));
        break;
      case 1:
        part->reader = static_cast<model::Reader>(below(model::reader_count()));
        break;
      case 2:
        part->capture = static_cast<std::uint16_t>(below(extract->captures.size() + 1));
        break;
      default:
        line.parts.erase(line.parts.begin() + (part - line.parts.data()));
        break;
    }
    if (below(2) == 0) {
      const auto required = model::required_literals(alternative->lines[0]);
      alternative->literals = required.any_of;
      alternative->any_case = required.any_case;
    }
    if (below(8) == 0) alternative->any_case = !alternative->any_case;
  }

  void change_schema() {
    model::SymptomType* symptom = any(p_.symptoms);
    if (symptom == nullptr) return;
    switch (below(6)) {
      case 0:
        symptom->role = static_cast<model::Role>(below(5));
        break;
      case 1:
        symptom->quiet = number();
        break;
      case 2:
        symptom->domain = static_cast<model::Domain>(below(12));
        break;
      case 3:
        if (auto* on = any(symptom->on)) *on = static_cast<model::EntityKind>(below(17));
        break;
      case 4:
        if (!symptom->key.empty()) symptom->key.pop_back();
        break;
      default:
        if (auto* field = any(symptom->fields)) field->optional = !field->optional;
    }
  }

  Program& p_;
  std::mt19937 random_;
};

}  // namespace
}  // namespace attrib::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using namespace attrib;
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  auto decoded =
      program::decode(program::with_repaired_digests({reinterpret_cast<const char*>(data), size}));
  if (!decoded.ok()) return LLVMFuzzerMutate(data, size, max_size);
  fuzz::Mutator(decoded.value(), seed).run();
  const std::string bytes = program::encode(decoded.value());
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
