#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/source.h"
#include "program/program.h"

namespace attrib::compiler {

using Reg = std::uint16_t;

// The code and registers of one rule while it is made. Registers have one kind each; those of a
// scope that was left are used again for values of the same kinds.
class CodeBuilder {
 public:
  // Consecutive registers of these kinds; the first is returned.
  Reg take(const std::vector<model::ValueKind>& kinds);
  Reg take(model::ValueKind kind) { return take(std::vector<model::ValueKind>{kind}); }
  // A register that is never used for anything else.
  Reg keep(model::ValueKind kind);

  // Gives back what was taken while it lived.
  class Scope {
   public:
    explicit Scope(CodeBuilder& builder) : builder_(builder), depth_(builder.taken_.size()) {}
    ~Scope() { builder_.give_back(depth_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CodeBuilder& builder_;
    std::size_t depth_;
  };

  void at(Span span) { span_ = span; }
  [[nodiscard]] Span span() const { return span_; }

  void emit(program::Opcode op, std::size_t a = 0, std::size_t b = 0, std::size_t c = 0,
            std::size_t d = 0);

  // open() ... close(): a loop. What filter() lets not pass goes to the innermost loop's next step,
  // or to the end of the rule.
  void open(program::Opcode op, Reg bound, std::size_t b = 0, std::size_t c = 0);
  void close();
  void filter(Reg truth, unsigned mask);

  // skip() ... land(): what the filter lets not pass goes on at land().
  [[nodiscard]] std::size_t skip(Reg truth, unsigned mask);
  void land(std::size_t skipped);

  // Ends the rule; nothing may follow.
  void halt();

  [[nodiscard]] const std::vector<program::Instruction>& code() const { return code_; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  [[nodiscard]] const std::vector<model::ValueKind>& registers() const { return registers_; }

 private:
  using Kinds = std::vector<model::ValueKind>;
  struct Taken {
    Kinds kinds;
    Reg first;
  };
  void give_back(std::size_t depth);
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }

  struct Level {
    std::size_t open = 0;
    std::vector<std::size_t> filters;
  };

  std::vector<program::Instruction> code_;
  std::vector<Span> spans_;
  Span span_;
  Kinds registers_;
  std::map<Kinds, std::vector<Reg>> free_;
  std::vector<Taken> taken_;
  std::vector<Level> levels_{Level{}};  // The rule itself, then its open loops.
};

}  // namespace attrib::compiler
