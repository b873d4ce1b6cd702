#include "program/opcode.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "program/disassemble.h"

namespace attrib::program {
namespace {

TEST_CASE("every opcode is found by its byte, and no other byte is one") {
  std::size_t found = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const OpcodeInfo* about = find_opcode(static_cast<std::uint8_t>(byte));
    if (about == nullptr) continue;
    CHECK(static_cast<unsigned>(about->op) == byte);
    ++found;
  }
  CHECK(found == opcodes().size());
}

TEST_CASE("opcodes come in byte order with a mnemonic of their own") {
  std::set<std::string_view> mnemonics;
  for (std::size_t i = 0; i < opcodes().size(); ++i) {
    if (i > 0) CHECK(opcodes()[i - 1].op < opcodes()[i].op);
    CHECK(mnemonics.insert(opcodes()[i].mnemonic).second);
  }
}

TEST_CASE("targets stand in the widest operand and outputs in the first") {
  for (const OpcodeInfo& op : opcodes()) {
    CAPTURE(op.mnemonic);
    for (const OperandKind kind : {op.b, op.c, op.d}) {
      CHECK_FALSE((kind >= OperandKind::OutAny && kind <= OperandKind::OutBag));
      CHECK(kind != OperandKind::NewFact);
    }
    for (const OperandKind kind : {op.a, op.b, op.c}) CHECK(kind != OperandKind::Target);
  }
}

TEST_CASE("docs/bytecode.md is what opcodes.def says") {
  std::ifstream file(ATTRIB_SOURCE_DIR "/docs/bytecode.md", std::ios::binary);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // If this fails: build/dev/bin/bytecode_page > docs/bytecode.md
  CHECK(page == bytecode_page());
}

}  // namespace
}  // namespace attrib::program
