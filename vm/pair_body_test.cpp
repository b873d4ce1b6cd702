#include "vm/pair_body.h"

#include <doctest/doctest.h>

#include "model/attribute.h"

namespace attrib::vm {
namespace {

using model::ValueKind;
using program::Instruction;
using program::Opcode;

constexpr auto kNode = static_cast<std::uint16_t>(model::Attribute::Node);

program::Rule rule_of_registers() {
  program::Rule rule;
  rule.registers = {ValueKind::Fact,  ValueKind::Fact,   ValueKind::Duration, ValueKind::Duration,
                    ValueKind::Truth, ValueKind::Entity, ValueKind::Entity,   ValueKind::Truth};
  return rule;
}

// For each effect r0 the causes r1 of its node within a window, as the compiler writes it.
std::vector<Instruction> same_node() {
  return {{Opcode::OpenSymptoms, 0, 0, 0, 13}, {Opcode::LoadConst, 2, 0, 0, 0},
          {Opcode::LoadConst, 3, 0, 0, 1},     {Opcode::Reach, 2, 3, 0, 0},
          {Opcode::OpenNear, 1, 1, 0, 12},     {Opcode::Window, 4, 1, 0, 0},
          {Opcode::Filter, 4, 6, 0, 11},       {Opcode::LoadAttr, 5, 0, kNode, 0},
          {Opcode::LoadAttr, 6, 1, kNode, 0},  {Opcode::Compare, 7, 6, 5, 0},
          {Opcode::Edge, 1, 0, 7, 4},          {Opcode::Next, 1, 0, 0, 0},
          {Opcode::Next, 0, 0, 0, 0},          {Opcode::Halt, 0, 0, 0, 0}};
}

constexpr std::uint32_t kOpen = 4;

}  // namespace

TEST_CASE("a body falls into what the effect, the cause and both decide") {
  const auto code = same_node();
  const auto body = pair_body(rule_of_registers(), code, kOpen);
  REQUIRE(body);
  CHECK(body->once.empty());
  REQUIRE(body->effect.size() == 1);
  REQUIRE(body->cause.size() == 1);
  REQUIRE(body->pair.size() == 1);
  CHECK(body->key == std::vector<std::uint16_t>{body->cause[0].a});
  CHECK(body->pair[0].b == body->cause[0].a);
  CHECK(body->pair[0].c == body->effect[0].a);
  CHECK(body->relation == body->pair[0].a);
  CHECK(body->window_passes == 6);
  CHECK(body->edge_at == 10);
  CHECK(body->registers == 8 + 3);
}

TEST_CASE("a body that has more than tests of two facts is left alone") {
  auto code = same_node();
  code[9] = {Opcode::Related, 7, 0, 1, 0};
  CHECK_FALSE(pair_body(rule_of_registers(), code, kOpen));
  code = same_node();
  code[5] = {Opcode::LoadConst, 4, 0, 0, 2};  // No window.
  CHECK_FALSE(pair_body(rule_of_registers(), code, kOpen));
}

TEST_CASE("a register that carries something into the next round keeps a body whole") {
  auto code = same_node();
  code[9] = {Opcode::And, 7, 7, 7, 0};  // Of the round before.
  CHECK_FALSE(pair_body(rule_of_registers(), code, kOpen));
  code = same_node();
  code[1] = {Opcode::Relate, 5, 6, 0, 0};  // Reads what the last cause of the last effect left.
  CHECK_FALSE(pair_body(rule_of_registers(), code, kOpen));
  code = same_node();
  code[1] = {Opcode::LoadAttr, 5, 0, kNode, 0};
  code[2] = {Opcode::Relate, 5, 5, 0, 0};  // Written anew for each effect.
  CHECK(pair_body(rule_of_registers(), code, kOpen));
}

}  // namespace attrib::vm
