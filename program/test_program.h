#pragma once

// A small well formed program, for tests to damage.

#include "program/program.h"

namespace attrib::program {

inline model::Type test_type(model::ValueKind kind, model::Reader reader) {
  model::Type out;
  out.kind = kind;
  out.reader = reader;
  return out;
}

inline void add_test_rule(Program& program, RuleKind kind, std::string name,
                          std::vector<model::ValueKind> registers, std::vector<Instruction> code) {
  Rule rule;
  rule.kind = kind;
  rule.name = std::move(name);
  rule.registers = std::move(registers);
  rule.code_begin = static_cast<std::uint32_t>(program.code.size());
  program.code.insert(program.code.end(), code.begin(), code.end());
  rule.code_end = static_cast<std::uint32_t>(program.code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    program.places.push_back({0, static_cast<std::uint32_t>(program.rules.size() + 1), 1});
  }
  rule.place = {0, static_cast<std::uint32_t>(program.rules.size() + 1), 1};
  program.rules.push_back(std::move(rule));
}

inline void add_test_schema(Program& program) {
  using model::ValueKind;
  const model::Type number = test_type(ValueKind::Int, model::Reader::U16);
  const model::Type word = test_type(ValueKind::String, model::Reader::Word);
  model::Type level = test_type(ValueKind::String, model::Reader::Choice);
  level.words = {"Fatal", "Nonfatal"};
  model::EventType event;
  event.name = "Xid";
  event.pack = "demo";
  event.fields = {{"code", number, false, {}}, {"level", level, true, {}}};
  program.events = {event};
  model::SymptomType fault;
  fault.name = "gpu.fault";
  fault.pack = "demo";
  fault.on = {model::EntityKind::Node};
  fault.fields = {{"code", number, false, {}}, {"name", word, true, {}}};
  fault.key = {0};
  fault.tags = {"fatal", "gpu"};
  model::SymptomType suspect = fault;
  suspect.name = "gpu.suspect";
  suspect.blame = model::Blame::Self;
  program.symptoms = {fault, suspect};

  model::Table table;
  table.name = "codes";
  table.keys = {{"code", number, model::KeyMatch::Ternary}};
  table.results = {{"name", word}};
  const auto row = [](model::KeyCell cell, std::string result) {
    return model::TableRow{
        {std::move(cell)}, {model::text_constant(std::move(result))}, "codes.csv:2"};
  };
  model::KeyCell value, range, set, ternary;
  value.kind = model::KeyCell::Kind::Value;
  value.values = {model::int_constant(48)};
  range.kind = model::KeyCell::Kind::Range;
  range.values = {model::int_constant(60), model::int_constant(63)};
  set.kind = model::KeyCell::Kind::Set;
  set.values = {model::int_constant(70), model::int_constant(79)};
  ternary.kind = model::KeyCell::Kind::Ternary;
  ternary.mask = 0xffffff00;
  ternary.bits = 0x100;
  table.rows = {row(value, "dbe"), row(range, "ecc"), row(set, "bus"), row(ternary, "vendor")};
  table.default_row = {{}, {model::text_constant("other")}, "codes.csv:9"};
  program.tables = {table};
}

inline void add_test_extract(Program& program) {
  Extract extract;
  extract.name = "demo.xid";
  extract.sources = model::source_bit(model::SourceKind::Kernel);
  extract.family = model::Family::Kernel;
  for (const model::Field& field : program.events[0].fields) {
    extract.captures.push_back({field.name, field.type});
  }
  const auto part = [](model::PartKind kind, std::string text = {}) {
    model::TemplatePart out;
    out.kind = kind;
    out.text = std::move(text);
    return out;
  };
  model::TemplatePart code = part(model::PartKind::Hole);
  code.reader = model::Reader::U16;
  model::TemplatePart level = part(model::PartKind::Hole);
  level.reader = model::Reader::Choice;
  level.capture = 1;
  model::LineTemplate line;
  line.parts = {part(model::PartKind::Literal, "NVRM: Xid"), part(model::PartKind::Blank), code,
                part(model::PartKind::OptionalBegin),        part(model::PartKind::Blank), level,
                part(model::PartKind::OptionalEnd)};
  model::Alternative alternative;
  alternative.lines = {line};
  alternative.literals = {"NVRM: Xid"};
  extract.alternatives = {alternative};
  extract.event = 0;
  program.extracts = {extract};
}

// Rules: 0 extract demo.xid, 1 decode demo.fault, 2 infer demo.suspect, 3 demote demo.behind.
inline Program test_program() {
  using model::ValueKind;
  Program out;
  out.packs = {{"demo", "1.0.0", {"core"}}};
  out.infer_strata = 1;
  out.sources = {{"demo.rules", "line one\nline two\nline three\nline four\n"}};
  out.constants = {model::int_constant(48), model::duration_constant(0),
                   model::duration_constant(model::kMinute), model::text_constant("a"),
                   model::text_constant("b")};
  out.texts = {"fatal"};
  add_test_schema(out);
  add_test_extract(out);
  add_test_rule(out, RuleKind::Extract, "demo.xid", {ValueKind::Int, ValueKind::String},
                {{Opcode::LoadCapture, 0, 0, 0},
                 {Opcode::LoadCapture, 1, 0, 1},
                 {Opcode::EmitEvent, 0, 0, 1},
                 {Opcode::EmitField, 0, 0},
                 {Opcode::EmitField, 1, 1},
                 {Opcode::EmitDone, 2},
                 {Opcode::Halt}});
  add_test_rule(out, RuleKind::Decode, "demo.fault",
                {ValueKind::Fact, ValueKind::Int, ValueKind::Int, ValueKind::Truth, ValueKind::Row,
                 ValueKind::String, ValueKind::Entity},
                {{Opcode::OpenEvents, 0, 0, 0, 12},
                 {Opcode::LoadField, 1, 0, 0},
                 {Opcode::LoadConst, 2, 0, 0, 0},
                 {Opcode::Compare, 3, 1, 2, 5},
                 {Opcode::Filter, 3, 4, 0, 11},
                 {Opcode::Lookup, 4, 1, 1, 0},
                 {Opcode::LoadCell, 5, 4, 0},
                 {Opcode::LoadHere, 6, 0, 2},
                 {Opcode::EmitSymptom, 6, 0},
                 {Opcode::EmitField, 1, 0},
                 {Opcode::EmitDone, 2},
                 {Opcode::Next, 0},
                 {Opcode::Halt}});
  add_test_rule(out, RuleKind::Infer, "demo.suspect",
                {ValueKind::Fact, ValueKind::Bag, ValueKind::Fact, ValueKind::Int, ValueKind::Truth,
                 ValueKind::Int, ValueKind::Entity},
                {{Opcode::OpenSymptoms, 0, 0, 0, 15},
                 {Opcode::BagNew, 1},
                 {Opcode::LoadField, 3, 0, 0},
                 {Opcode::Seek, 3, 0, 0},
                 {Opcode::OpenKeyed, 2, 0, 0, 9},
                 {Opcode::LoadField, 5, 2, 0},
                 {Opcode::Compare, 4, 5, 3, 0},
                 {Opcode::BagAdd, 1, 5, 4, 2},
                 {Opcode::Next, 2},
                 {Opcode::BagLeast, 5, 1},
                 {Opcode::LoadAttr, 6, 0, 0},
                 {Opcode::EmitSymptom, 6, 1},
                 {Opcode::EmitField, 5, 0},
                 {Opcode::EmitDone, 1},
                 {Opcode::Next, 0},
                 {Opcode::Halt}});
  add_test_rule(out, RuleKind::Demote, "demo.behind",
                {ValueKind::Fact, ValueKind::Fact, ValueKind::Duration, ValueKind::Duration,
                 ValueKind::Truth, ValueKind::Truth},
                {{Opcode::OpenSymptoms, 0, 1, 0, 10},
                 {Opcode::LoadConst, 2, 0, 0, 1},
                 {Opcode::LoadParam, 3, 0, 0, 0},
                 {Opcode::Reach, 2, 3, 1},
                 {Opcode::OpenNear, 1, 0, 0, 9},
                 {Opcode::Window, 4, 1, 0, 0},
                 {Opcode::HasTag, 5, 1, 0, 0},
                 {Opcode::Edge, 1, 0, 5, 4},
                 {Opcode::Next, 1},
                 {Opcode::Next, 0},
                 {Opcode::Halt}});
  Rule& behind = out.rules.back();
  behind.params = {{"slack", model::duration_constant(model::kMinute)}};
  behind.because = "the fault is what is suspected";
  behind.window_high = model::kMinute;
  out.tests_digest = "none";
  return out;
}

}  // namespace attrib::program
