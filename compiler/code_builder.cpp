#include "compiler/code_builder.h"

#include "base/check.h"

namespace attrib::compiler {

using program::Opcode;

Reg CodeBuilder::take(const Kinds& kinds) {
  std::vector<Reg>& free = free_[kinds];
  Reg first = static_cast<Reg>(registers_.size());
  if (free.empty()) {
    registers_.insert(registers_.end(), kinds.begin(), kinds.end());
  } else {
    first = free.back();
    free.pop_back();
  }
  taken_.push_back({kinds, first});
  return first;
}

Reg CodeBuilder::keep(model::ValueKind kind) {
  registers_.push_back(kind);
  return static_cast<Reg>(registers_.size() - 1);
}

void CodeBuilder::give_back(std::size_t depth) {
  while (taken_.size() > depth) {
    free_[taken_.back().kinds].push_back(taken_.back().first);
    taken_.pop_back();
  }
}

void CodeBuilder::emit(Opcode op, std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  code_.push_back({op, static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
                   static_cast<std::uint16_t>(c), static_cast<std::uint32_t>(d)});
  spans_.push_back(span_);
}

void CodeBuilder::open(Opcode op, Reg bound, std::size_t b, std::size_t c) {
  levels_.push_back({code_.size(), {}});
  emit(op, bound, b, c);
}

void CodeBuilder::close() {
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  for (const std::size_t filter : level.filters) code_[filter].d = here();
  emit(Opcode::Next, code_[level.open].a);
  code_[level.open].d = here();
}

std::size_t CodeBuilder::skip(Reg truth, unsigned mask) {
  emit(Opcode::Filter, truth, mask);
  return code_.size() - 1;
}

void CodeBuilder::filter(Reg truth, unsigned mask) {
  levels_.back().filters.push_back(skip(truth, mask));
}

void CodeBuilder::land(std::size_t skipped) { code_[skipped].d = here(); }

void CodeBuilder::halt() {
  ATTRIB_CHECK(levels_.size() == 1, "a loop is open at the end of a rule");
  for (const std::size_t filter : levels_.back().filters) code_[filter].d = here();
  emit(Opcode::Halt);
}

}  // namespace attrib::compiler
