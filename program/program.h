#pragma once

// A program: what `rulec build` writes and `attrib-vm` runs. docs/program-format.md describes the bytes,
// docs/bytecode.md (generated) the instructions. A Program that came through decode() and verify() is the only kind
// the VM takes; VerifiedProgram carries that proof in its type.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/attribute.h"
#include "model/line_template.h"
#include "model/schema.h"
#include "model/table.h"
#include "model/value.h"

namespace attrib::program {

enum class Opcode : std::uint8_t {
#define ATTRIB_OPCODE(byte, Name, mnemonic, a, b, c, d, sentence) Name = byte,
#include "program/opcodes.def"
};

struct Instruction {
  Opcode op = Opcode::Halt;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint16_t c = 0;
  std::uint32_t d = 0;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

enum class RuleKind : std::uint8_t { Extract, Decode, Infer, Demote, Outcome, Ambiguous };
std::string_view to_text(RuleKind kind);

struct Param {
  std::string name;
  model::Constant value;
};

// Where an instruction or declaration stands in the rule sources.
struct Place {
  std::uint32_t source = 0;  // Index into Program::sources.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Rule {
  RuleKind kind = RuleKind::Decode;
  std::string name;                          // Full: pack.rule
  std::uint32_t stratum = 0;                 // Infer layer.
  std::vector<Param> params;
  std::vector<model::ValueKind> registers;   // Kind of each register.
  std::uint32_t code_begin = 0;              // [begin, end) of Program::code.
  std::uint32_t code_end = 0;
  model::Band confidence = model::Band::Likely;
  std::string because;                       // Demote
  bool of_job = false;                       // Demote
  std::int64_t window_low = 0;               // Demote, for people: least and greatest of the window when constant.
  std::int64_t window_high = 0;
  Place place;
};

struct Capture {
  std::string name;
  model::Type type;
};

enum class ExtractKind : std::uint8_t { Lines, Metric, Record };

struct Extract {
  std::string name;                          // Full: pack.extract
  ExtractKind kind = ExtractKind::Lines;
  model::SourceMask sources = 0;
  std::optional<model::Family> family;
  std::vector<Capture> captures;
  std::vector<model::Alternative> alternatives;
  std::uint32_t rule = 0;                    // Its rule of kind Extract.
  std::optional<std::uint32_t> event;
  bool keep_last = false;                    // Of a stream's observations that match, only the last counts.
  std::vector<std::uint32_t> keep_first_by;  // If any: captures, and only the first for each of their values counts.
};

struct PackInfo {
  std::string name;
  std::string version;
  std::vector<std::string> uses;
};

struct SourceText {
  std::string path;   // As given on the command line, relative to its folder.
  std::string text;
};

struct Program {
  std::vector<PackInfo> packs;               // By name.
  std::vector<model::EventType> events;
  std::vector<model::SymptomType> symptoms;
  std::vector<model::Table> tables;
  std::vector<Extract> extracts;
  std::vector<Rule> rules;                   // By kind, stratum, name.
  std::vector<model::Constant> constants;
  std::vector<std::string> texts;            // What TextI operands name.
  // What TypeSet operands name, from 1: symptom types, sorted.
  std::vector<std::vector<std::uint32_t>> type_sets;
  std::vector<Instruction> code;
  // For people; empty, as the places of rules, in a program that load_for_runs() read.
  std::vector<Place> places;                 // One an instruction.
  std::vector<SourceText> sources;
  std::string tests_digest;
  std::uint32_t infer_strata = 0;
};

// Names of instruction-set and container versions; a reader refuses a newer container or major.
constexpr std::uint16_t kContainerVersion = 5;
constexpr std::uint16_t kInstructionMajor = 1;
constexpr std::uint16_t kInstructionMinor = 1;

}  // namespace attrib::program
