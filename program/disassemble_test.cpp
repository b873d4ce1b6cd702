#include "program/disassemble.h"

#include <doctest/doctest.h>

#include "program/test_program.h"

namespace attrib::program {
namespace {

TEST_CASE("a rule is printed one operation a line, each source line beside its first") {
  CHECK(disassemble(test_program(), "demo.behind") == R"(demote demo.behind
  param slack = 1m
  because "the fault is what is suspected"
  registers truth r4 r5; duration r2 r3; fact r0 r1
  0000  open.symptoms  r0, gpu.suspect, else 0010             ; demo.rules:4: line four
  0001  const          r2, 0s
  0002  param          r3, slack
  0003  reach          r2, r3, before outer
  0004  open.near      r1, gpu.fault, r0, else 0009
  0005  window         r4, r1, r0, begin to begin
  0006  tag            r5, r1, "fatal"
  0007  edge           r1, r0, r5, r4
  0008  next           r1
  0009  next           r0
  0010  halt
)");
}

TEST_CASE("all rules are printed unless one is named") {
  const std::string all = disassemble(test_program());
  CHECK(all.starts_with("extract demo.xid, likely\n"));
  CHECK(all.find("\ndemote demo.behind\n") != std::string::npos);
  CHECK(disassemble(test_program(), "demo.none").empty());
}

TEST_CASE("an extract says that it keeps the last line") {
  Program program = test_program();
  program.extracts[0].keep_last = true;
  CHECK(disassemble(program, "demo.xid").starts_with("extract demo.xid, likely, keep last\n"));
}

TEST_CASE("an extract says by what it keeps the first line") {
  Program program = test_program();
  program.extracts[0].keep_first_by = {0};
  const std::string name = program.extracts[0].captures.at(0).name;
  CHECK(disassemble(program, "demo.xid").starts_with("extract demo.xid, likely, keep first by " + name + "\n"));
}

TEST_CASE("what the verifier would refuse is printed all the same") {
  Program program = test_program();
  // Every byte as an opcode, with operands that name nothing.
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (const std::uint16_t operand :
         {std::uint16_t{0}, std::uint16_t{3}, std::uint16_t{0xffff}}) {
      program.code.push_back({static_cast<Opcode>(byte), operand, operand, operand, 0xffffffff});
    }
  }
  program.rules[3].code_end = 0xffffffff;
  program.places[40].source = 77;
  program.rules[2].registers.clear();
  const std::string text = disassemble(program);
  CHECK(text.find("?ee") != std::string::npos);
  CHECK(text.find("r65535") != std::string::npos);
}

}  // namespace
}  // namespace attrib::program
