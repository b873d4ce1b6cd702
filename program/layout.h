#pragma once

// The layout of every section, once for reading and writing. Each function visits the members in
// file order. docs/program-format.md says the same in words; a change here is a new container
// version.

#include "model/attribute.h"
#include "program/archive.h"
#include "program/program.h"

namespace attrib::program {

template <typename T>
std::size_t enum_size() {
  return model::words<T>().size();
}
template <>
inline std::size_t enum_size<model::ValueKind>() {
  return static_cast<std::size_t>(model::ValueKind::Bag) + 1;
}
template <>
inline std::size_t enum_size<model::Reader>() {
  return model::reader_count();
}
template <>
inline std::size_t enum_size<model::PartKind>() {
  return static_cast<std::size_t>(model::PartKind::OptionalEnd) + 1;
}
template <>
inline std::size_t enum_size<model::KeyMatch>() {
  return static_cast<std::size_t>(model::KeyMatch::Ternary) + 1;
}
template <>
inline std::size_t enum_size<model::KeyCell::Kind>() {
  return static_cast<std::size_t>(model::KeyCell::Kind::Ternary) + 1;
}
template <>
inline std::size_t enum_size<model::TableMatch>() {
  return static_cast<std::size_t>(model::TableMatch::First) + 1;
}
template <>
inline std::size_t enum_size<RuleKind>() {
  return static_cast<std::size_t>(RuleKind::Ambiguous) + 1;
}
template <>
inline std::size_t enum_size<ExtractKind>() {
  return static_cast<std::size_t>(ExtractKind::Record) + 1;
}

// What archive A visits: read into, or written from.
template <typename A, typename T>
using Of = std::conditional_t<A::kReads, T, const T>;

constexpr auto kText = [](auto& a, auto& text) { a.text(text); };
constexpr auto kOwnText = [](auto& a, auto& text) { a.own_text(text); };
constexpr auto kNumber = [](auto& a, auto& number) { a.number(number); };
constexpr auto kWord = [](auto& a, auto& word) { a.word(word); };
constexpr auto kIo = [](auto& a, auto& item) { io(a, item); };

template <typename A>
void io(A& a, Of<A, model::Type>& type) {
  a.word(type.kind);
  a.word(type.reader);
  a.word(type.entity);
  a.zero();
  a.list(type.words, kText);
}

template <typename A>
void io(A& a, Of<A, model::Constant>& constant) {
  a.word(constant.kind);
  if (constant.kind == model::ValueKind::String) {
    a.text(constant.text);
  } else if (constant.kind != model::ValueKind::Null) {
    a.number(constant.number);
  }
}

// -- types

template <typename A>
void io(A& a, Of<A, model::Field>& field) {
  a.text(field.name);
  io(a, field.type);
  a.flag(field.optional);
}

template <typename A>
void io(A& a, Of<A, model::EventType>& event) {
  a.text(event.name);
  a.text(event.pack);
  a.word(event.on);
  a.flag(event.progress);
  a.list(event.fields, kIo);
}

template <typename A>
void io(A& a, Of<A, model::SymptomType>& symptom) {
  a.text(symptom.name);
  a.text(symptom.pack);
  a.list(symptom.on, kWord);
  a.list(symptom.fields, kIo);
  a.word(symptom.role);
  a.maybe(symptom.blame, kWord);
  a.list(symptom.key, kNumber);
  a.number(symptom.quiet);
  a.word(symptom.domain);
  a.word(symptom.severity);
  a.word(symptom.retry);
  a.flag(symptom.locates);
  a.text(symptom.title);
  a.text(symptom.owner);
  a.text(symptom.action);
  a.text(symptom.deprecated);
  a.list(symptom.tags, kText);
  a.list(symptom.references, kText);
}

// -- patterns

template <typename A>
void io(A& a, Of<A, model::TemplatePart>& part) {
  a.word(part.kind);
  a.word(part.reader);
  a.number(part.capture);
  a.text(part.text);
}

template <typename A>
void io(A& a, Of<A, model::LineTemplate>& line) {
  a.flag(line.at_start);
  a.text(line.regex);
  a.list(line.parts, kIo);
}

template <typename A>
void io(A& a, Of<A, model::Alternative>& alternative) {
  a.list(alternative.lines, kIo);
  a.number(alternative.within_lines);
  a.list(alternative.literals, kText);
  a.flag(alternative.any_case);
  a.text(alternative.slow_reason);
}

template <typename A>
void io(A& a, Of<A, Capture>& capture) {
  a.text(capture.name);
  io(a, capture.type);
}

template <typename A>
void io(A& a, Of<A, Extract>& extract) {
  a.text(extract.name);
  a.word(extract.kind);
  a.number(extract.sources);
  a.maybe(extract.family, kWord);
  a.list(extract.captures, kIo);
  a.list(extract.alternatives, kIo);
  a.number(extract.rule);
  a.maybe(extract.event, kNumber);
  a.flag(extract.keep_last);
  a.list(extract.keep_first_by, kNumber);
}

// -- tables

template <typename A>
void io(A& a, Of<A, model::KeyColumn>& column) {
  a.text(column.name);
  io(a, column.type);
  a.word(column.match);
}

template <typename A>
void io(A& a, Of<A, model::ResultColumn>& column) {
  a.text(column.name);
  io(a, column.type);
}

template <typename A>
void io(A& a, Of<A, model::KeyCell>& cell) {
  a.word(cell.kind);
  if (cell.kind == model::KeyCell::Kind::Any) return;
  if (cell.kind == model::KeyCell::Kind::Ternary) {
    a.number(cell.mask);
    a.number(cell.bits);
  } else {
    a.list(cell.values, kIo);
  }
}

template <typename A>
void io(A& a, Of<A, model::TableRow>& row) {  // Its place is in the section `rows`.
  a.list(row.keys, kIo);
  a.list(row.results, kIo);
}

template <typename A>
void io(A& a, Of<A, model::Table>& table) {
  a.text(table.name);
  a.text(table.pack);
  a.word(table.match);
  a.list(table.keys, kIo);
  a.list(table.results, kIo);
  a.list(table.rows, kIo);
  io(a, table.default_row);
}

// -- rules and code

template <typename A>
void io(A& a, Of<A, Param>& param) {
  a.text(param.name);
  io(a, param.value);
}

template <typename A>
void io(A& a, Of<A, Rule>& rule) {  // Its place is in the section `spans`.
  a.word(rule.kind);
  a.word(rule.confidence);
  a.flag(rule.of_job);
  a.zero();
  a.text(rule.name);
  a.number(rule.stratum);
  a.number(rule.code_begin);
  a.number(rule.code_end);
  a.text(rule.because);
  a.number(rule.window_low);
  a.number(rule.window_high);
  a.list(rule.params, kIo);
  a.list(rule.registers, kWord);
}

// Not words: an opcode has gaps and newer ones are unknown. verify() refuses what it does not know.
inline void io(Writer& a, const Instruction& instruction) {
  a.number(static_cast<std::uint8_t>(instruction.op));
  a.zero();
  a.number(instruction.a);
  a.number(instruction.b);
  a.number(instruction.c);
  a.number(instruction.d);
}

inline void io_code(Writer& a, const std::vector<Instruction>& code) { a.list(code, kIo); }
inline void io_code(Reader& a, std::vector<Instruction>& code) {
  constexpr std::size_t kBytes = 12;
  a.records(code, kBytes, [&](Instruction& instruction, const char* at) {
    instruction.op = static_cast<Opcode>(at[0]);
    if (at[1] != 0) a.fail("reserved byte of an instruction is not 0");
    instruction.a = Reader::read<std::uint16_t>(at + 2);
    instruction.b = Reader::read<std::uint16_t>(at + 4);
    instruction.c = Reader::read<std::uint16_t>(at + 6);
    instruction.d = Reader::read<std::uint32_t>(at + 8);
  });
}

// -- for people

template <typename A>
void io(A& a, Of<A, Place>& place) {
  a.number(place.source);
  a.number(place.line);
  a.number(place.column);
}

template <typename A>
void io(A& a, Of<A, SourceText>& source) {
  a.own_text(source.path);
  a.own_text(source.text);
}

template <typename A>
void io(A& a, Of<A, PackInfo>& pack) {
  a.text(pack.name);
  a.text(pack.version);
  a.list(pack.uses, kText);
}

// -- sections

template <typename A>
void io_section(A& a, Section section, Of<A, Program>& program) {
  switch (section) {
    case Section::Manifest:
      a.list(program.packs, kIo);
      a.number(program.infer_strata);
      return;
    case Section::Strings:
      return;  // Neither an order nor a member of its own: codec.cpp.
    case Section::Types:
      a.list(program.events, kIo);
      a.list(program.symptoms, kIo);
      return;
    case Section::Patterns:
      a.list(program.extracts, kIo);
      return;
    case Section::Tables:
      a.list(program.tables, kIo);
      return;
    case Section::Rules:
      a.list(program.rules, kIo);
      return;
    case Section::Code:
      a.list(program.constants, kIo);
      a.list(program.texts, kText);
      a.list(program.type_sets, [](auto& b, auto& types) { b.list(types, kNumber); });
      io_code(a, program.code);
      return;
    case Section::Rows:
      // For each table's rows and default, in order: the counts are known.
      for (auto& table : program.tables) {
        for (auto& row : table.rows) a.own_text(row.place);
        a.own_text(table.default_row.place);
      }
      return;
    case Section::Spans:
      a.list(program.places, kIo);
      // One for each rule, in order: their number is known.
      for (auto& rule : program.rules) io(a, rule.place);
      return;
    case Section::Sources:
      a.list(program.sources, kIo);
      return;
    case Section::Tests:
      a.own_text(program.tests_digest);
      return;
  }
}

}  // namespace attrib::program
