#include "vm/early_where.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "program/opcode.h"
#include "vm/line_engine.h"
#include "vm/line_filter.h"

namespace attrib::vm {
namespace {

using model::text_constant;
using program::Opcode;

constexpr std::uint16_t kYes = 4;

// extract unit_started: line "Started {unit}.", where contains(unit, "kube") or not starts_with(unit, "Session")
program::Program program_of(Opcode last = Opcode::Halt) {
  program::Program out;
  out.constants = {text_constant("kube"), text_constant("Session")};
  out.code = {
      {Opcode::LoadCapture, 6, 0, 0, 0},  //
      {Opcode::LoadConst, 7, 0, 0, 0},
      {Opcode::TextTest, 1, 6, 7, static_cast<std::uint32_t>(model::TextTest::Contains)},
      {Opcode::LoadConst, 7, 0, 0, 1},
      {Opcode::TextTest, 2, 6, 7, static_cast<std::uint32_t>(model::TextTest::StartsWith)},
      {Opcode::Not, 3, 2, 0, 0},
      {Opcode::Or, 4, 1, 3, 0},
      {Opcode::Filter, 4, kYes, 0, 9},
      {Opcode::EmitEvent, 0, 0, 0, 0},
      {last, 0, 0, 0, 0},
  };
  program::Extract extract;
  extract.sources = static_cast<model::SourceMask>(~0U);
  model::Type text;
  text.kind = model::ValueKind::String;
  text.reader = model::Reader::Text;
  extract.captures = {{"unit", text}};
  model::LineTemplate line;
  line.parts = {{model::PartKind::Literal, "Started ", 0, model::Reader::Word},
                {model::PartKind::Hole, "", 0, model::Reader::Text},
                {model::PartKind::Literal, ".", 0, model::Reader::Word}};
  model::Alternative alternative;
  alternative.literals = {"Started "};
  alternative.lines = {line};
  extract.alternatives = {alternative};
  out.extracts = {extract};
  out.events.resize(1);
  out.rules.resize(1);
  out.rules[0].code_end = static_cast<std::uint32_t>(out.code.size());
  return out;
}

bool lets(const std::string& unit) {
  const program::Program program = program_of();
  const auto where = EarlyWhere::of(program, program.extracts[0]);
  REQUIRE(where);
  return where->lets({text_constant(unit)});
}

TEST_CASE("a condition on the texts of captures is known early") {
  CHECK(lets("kubelet"));
  CHECK(lets("Session of kubelet"));
  CHECK(lets("containerd"));
  CHECK_FALSE(lets("Session 1"));
}

TEST_CASE("what a capture that is not there would say keeps the match") {
  const program::Program program = program_of();
  CHECK(EarlyWhere::of(program, program.extracts[0])->lets({std::nullopt}));
}

TEST_CASE("nothing is known early where something else is asked, or happens anyway") {
  const auto is_known = [](program::Program program) {
    return EarlyWhere::of(program, program.extracts[0]).has_value();
  };
  CHECK(is_known(program_of()));
  CHECK_FALSE(is_known(program_of(Opcode::EmitDone)));  // Makes something of the others.
  program::Program changed = program_of();
  changed.extracts[0].captures[0].type.kind = model::ValueKind::Int;
  CHECK_FALSE(is_known(changed));
  changed = program_of();
  changed.extracts[0].captures[0].name = "node";
  CHECK_FALSE(is_known(changed));
  changed = program_of();
  changed.extracts[0].keep_last = true;
  CHECK_FALSE(is_known(changed));
  changed = program_of();
  changed.extracts[0].keep_first_by = {0};
  CHECK_FALSE(is_known(changed));
  changed = program_of();
  changed.code[0].op = Opcode::LoadMessage;
  CHECK_FALSE(is_known(changed));
  changed = program_of();
  changed.code[7].b = 1 | kYes;  // Goes on where it is not so.
  CHECK_FALSE(is_known(changed));
}

TEST_CASE("the filter wants no line whose matches are refused, wherever its body begins") {
  const program::Program program = program_of();
  LineEngine engine(program);
  const auto filter = make_line_filter(&engine);
  const auto wants = [&](const std::string& line) {
    std::vector<evidence::LineFilter::Hit> hits;
    filter->prepare();
    filter->search(line, &hits);
    const auto why = filter->confirms(line, hits).why;
    if (why == 0) CHECK(filter->matches(line, nullptr).why == 0);
    return why == evidence::LineFilter::kRead;
  };
  CHECK(wants("Started kubelet."));
  CHECK_FALSE(wants("Started Session 1 of User root."));
  CHECK_FALSE(wants("Stopped kubelet."));
  // Behind a frame that ends at the second word it would count.
  CHECK(wants("Started Session: Started all."));
}

}  // namespace
}  // namespace attrib::vm
