#include "program/disassemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/attribute.h"
#include "program/opcode.h"

namespace attrib::program {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string constant_text(const model::Constant& value) {
  return value.kind == model::ValueKind::String ? quoted(value.text) : model::to_text(value);
}

std::string mask_text(std::uint32_t mask) {
  constexpr std::string_view kNames[] = {"no", "unknown", "yes"};
  std::string out;
  for (unsigned i = 0; i < 3; ++i) {
    if ((mask >> i & 1U) == 0) continue;
    if (!out.empty()) out += '|';
    out += kNames[i];
  }
  return out;
}

std::string sources_text(std::uint32_t mask) {
  std::string out;
  for (std::size_t i = 0; i < model::words<model::SourceKind>().size(); ++i) {
    if ((mask >> i & 1U) == 0) continue;
    if (!out.empty()) out += '|';
    out += model::words<model::SourceKind>()[i];
  }
  return out;
}

template <typename T>
std::string word_or_number(std::uint32_t value) {
  const auto words = model::words<T>();
  return value < words.size() ? std::string(words[value]) : std::to_string(value);
}

// The lines of the sources, found once.
class SourceLines {
 public:
  explicit SourceLines(const std::vector<SourceText>& sources) {
    for (const SourceText& source : sources) {
      std::vector<std::string_view> lines;
      std::string_view rest = source.text;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        lines.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      lines_.push_back(std::move(lines));
    }
  }
  // Lines count from 1.
  [[nodiscard]] std::string_view at(std::size_t source, std::size_t line) const {
    const auto& lines = lines_[source];
    return line == 0 || line > lines.size() ? std::string_view() : lines[line - 1];
  }

 private:
  std::vector<std::vector<std::string_view>> lines_;
};

// Prints programs that verify() refused as well, so nothing may rely on an index being right.
class RulePrinter {
 public:
  RulePrinter(const Program& program, const SourceLines& lines, const Rule& rule)
      : program_(program), lines_(lines), rule_(rule), facts_(rule.registers.size()) {}

  void print(std::string& out) {
    out += fmt::format("{} {}", to_text(rule_.kind), rule_.name);
    if (rule_.kind == RuleKind::Infer) out += fmt::format(", layer {}", rule_.stratum);
    if (rule_.kind != RuleKind::Demote && rule_.kind != RuleKind::Ambiguous) {
      out += fmt::format(", {}", model::word(rule_.confidence));
    }
    if (rule_.of_job) out += ", of job";
    if (const Extract* extract = extract_of_rule(); extract != nullptr) {
      if (extract->keep_last) out += ", keep last";
      for (std::size_t i = 0; i < extract->keep_first_by.size(); ++i)
        out += (i == 0 ? ", keep first by " : ", ") + named(extract->captures, extract->keep_first_by[i]);
    }
    out += '\n';
    for (const Param& param : rule_.params) {
      out += fmt::format("  param {} = {}\n", param.name, constant_text(param.value));
    }
    if (!rule_.because.empty()) out += fmt::format("  because {}\n", quoted(rule_.because));
    print_registers(out);
    const std::size_t end = std::min<std::size_t>(rule_.code_end, program_.code.size());
    for (std::size_t pc = rule_.code_begin; pc < end; ++pc) print_instruction(out, pc);
  }

 private:
  // r0..r3 grouped by kind, in the order of kinds.
  void print_registers(std::string& out) const {
    out += "  registers";
    for (std::size_t kind = 0; kind <= static_cast<std::size_t>(model::ValueKind::Bag); ++kind) {
      std::string these;
      for (std::size_t i = 0; i < rule_.registers.size(); ++i) {
        if (static_cast<std::size_t>(rule_.registers[i]) == kind) these += fmt::format(" r{}", i);
      }
      if (these.empty()) continue;
      out += fmt::format(" {}{};", model::name(static_cast<model::ValueKind>(kind)), these);
    }
    if (out.back() == ';') out.pop_back();
    out += '\n';
  }

  void print_instruction(std::string& out, std::size_t pc) {
    const Instruction& in = program_.code[pc];
    note_emission(in);
    const OpcodeInfo* about = find_opcode(static_cast<std::uint8_t>(in.op));
    std::string text = about == nullptr ? fmt::format("?{:02x}", static_cast<unsigned>(in.op))
                                        : fmt::format("{:<14}", about->mnemonic);
    if (about != nullptr) text += ' ' + operands(in, *about);
    text.erase(text.find_last_not_of(' ') + 1);
    std::string line = fmt::format("  {:04}  {}", pc - rule_.code_begin, text);
    const std::string source = source_of(pc);
    out += source.empty() ? line : fmt::format("{:<62}; {}", line, source);
    out += '\n';
    if (about != nullptr && about->a == OperandKind::NewFact) bind(in);
  }

  std::string operands(const Instruction& in, const OpcodeInfo& about) const {
    std::string out;
    const auto add = [&](OperandKind kind, std::uint32_t value, char which) {
      const std::string text = operand(in, kind, value, which);
      if (text.empty()) return;
      if (!out.empty()) out += ", ";
      out += text;
    };
    const bool default_entity = in.op == Opcode::EmitEvent && in.c == 1;
    add(default_entity ? OperandKind::None : about.a, in.a, 'a');
    add(about.b, in.b, 'b');
    add(about.c, in.c, 'c');
    add(about.d, in.d, 'd');
    return out;
  }

  // "{gpu.fault, host.oom, 3 more}"
  std::string type_set(std::uint32_t set) const {
    if (set == 0) return "";
    if (set > program_.type_sets.size()) return fmt::format("#{}", set);
    constexpr std::size_t kShown = 2;
    const std::vector<std::uint32_t>& types = program_.type_sets[set - 1];
    std::string out = "{";
    for (std::size_t i = 0; i < std::min(kShown, types.size()); ++i) {
      out += fmt::format("{}{}", i == 0 ? "" : ", ", named(program_.symptoms, types[i]));
    }
    return out + (types.size() > kShown ? fmt::format(", {} more}}", types.size() - kShown) : "}");
  }

  template <typename T>
  static std::string named(const std::vector<T>& items, std::uint32_t index) {
    return index < items.size() ? items[index].name : fmt::format("#{}", index);
  }

  std::string operand(const Instruction& in, OperandKind kind, std::uint32_t value,
                      char which) const {
    switch (kind) {
      case OperandKind::None:
        return "";
      case OperandKind::Imm:
        return immediate(in, value, which);
      case OperandKind::Const:
        return constants(in, value);
      case OperandKind::Param:
        return named(rule_.params, value);
      case OperandKind::EventT:
        return named(program_.events, value);
      case OperandKind::SymptomT:
        return named(program_.symptoms, value);
      case OperandKind::TypeSet:
        return type_set(value);
      case OperandKind::TableI:
        return named(program_.tables, value);
      case OperandKind::TextI:
        return value < program_.texts.size() ? quoted(program_.texts[value])
                                             : fmt::format("#{}", value);
      case OperandKind::Target:
        return fmt::format("else {:04}", value);
      default:
        return fmt::format("r{}", value);
    }
  }

  std::string constants(const Instruction& in, std::uint32_t first) const {
    const std::size_t count = in.op == Opcode::InList ? in.c : 1;
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
      if (first + i >= program_.constants.size()) return fmt::format("#{}", first);
      if (i > 0) out += ", ";
      out += constant_text(program_.constants[first + i]);
    }
    return in.op == Opcode::InList ? '[' + out + ']' : out;
  }

  std::string immediate(const Instruction& in, std::uint32_t value, char which) const {
    switch (in.op) {
      case Opcode::LoadField:
        return field_of(in.b < facts_.size() ? facts_[in.b] : nullptr, value);
      case Opcode::EmitField:
        return field_of(emitted_, value);
      case Opcode::LoadAttr:
        return attribute(value);
      case Opcode::Seek:
        if (which == 'b') return value == 0 ? "field" : "attr";
        return in.b == 0 ? std::to_string(value) : attribute(value);
      case Opcode::Relate: {
        if (value >= model::relations().size()) return std::to_string(value);
        const model::RelationInfo& relation = model::relations()[value];
        return fmt::format("{} of {}", relation.name, model::word(relation.from));
      }
      case Opcode::MakeSet: {
        if (value >= model::sets().size()) return std::to_string(value);
        const model::SetInfo& set = model::sets()[value];
        return fmt::format("{} of {}", set.name, model::word(set.from));
      }
      case Opcode::LoadCapture:
        return capture(value);
      case Opcode::LoadHere:
        return value == 0 ? "node" : value == 1 ? "rank" : value == 2 ? "attempt" : "?";
      case Opcode::InList:
        return "";  // The length of the list beside it.
      case Opcode::Compare:
        return value <= 5 ? std::string(to_text(static_cast<model::Compare>(value)))
                          : std::to_string(value);
      case Opcode::TextTest:
        return value <= 2 ? std::string(to_text(static_cast<model::TextTest>(value)))
                          : std::to_string(value);
      case Opcode::Window:
        return window(value);
      default:
        return output_immediate(in, value, which);
    }
  }

  static std::string reach(std::uint32_t value) {
    constexpr std::string_view kPoints[] = {"begin", "seen", "last", "?"};
    const std::string_view side = (value & 1U) == 0 ? "after" : "before";
    if (value < 2) return fmt::format("{} outer", side);
    return fmt::format("{} of inner {} {} of outer", kPoints[(value >> 3U) & 3U], side,
                       kPoints[(value >> 1U) & 3U]);
  }

  static std::string output_immediate(const Instruction& in, std::uint32_t value, char which) {
    switch (in.op) {
      case Opcode::Next:
        return fmt::format("r{}", value);
      case Opcode::Reach:
        return reach(value);
      case Opcode::Covered:
        return sources_text(value);
      case Opcode::Filter:
        return mask_text(value);
      case Opcode::EmitEvent:
      case Opcode::EmitSymptom:
        return in.op == Opcode::EmitEvent && value == 1 ? "default entity" : "";
      case Opcode::EmitMeta: {
        constexpr std::string_view kMeta[] = {"role",  "domain",   "action", "retry",
                                              "blame", "severity", "title"};
        return value < 7 ? std::string(kMeta[value]) : std::to_string(value);
      }
      case Opcode::EmitDone:
        return word_or_number<model::Band>(value);
      case Opcode::Learn:
        if (which == 'a' && value <= static_cast<std::uint32_t>(model::LearnKind::Alias)) {
          return std::string(to_text(static_cast<model::LearnKind>(value)));
        }
        return std::to_string(value);
      case Opcode::OutcomeIs:
        return which == 'a' ? word_or_number<model::Outcome>(value) : fmt::format("rank {}", value);
      case Opcode::SayDone:
        return value == 0 ? "report" : "ask";
      default:
        return std::to_string(value);
    }
  }

  static std::string attribute(std::uint32_t value) {
    return value < model::attributes().size() ? std::string(model::attributes()[value].name)
                                              : std::to_string(value);
  }

  static std::string window(std::uint32_t value) {
    const std::uint32_t start = value & 3U, end = value >> 2U & 3U;
    if (value > 31 || start == 3 || end == 3) return std::to_string(value);
    return fmt::format("{} to {}{}", to_text(static_cast<model::Point>(start)),
                       to_text(static_cast<model::Point>(end)), value >= 16 ? ", to cause" : "");
  }

  static std::string field_of(const std::vector<model::Field>* fields, std::uint32_t index) {
    return fields != nullptr && index < fields->size() ? "." + (*fields)[index].name
                                                       : fmt::format(".{}", index);
  }

  const Extract* extract_of_rule() const {
    for (const Extract& extract : program_.extracts) {
      if (extract.rule < program_.rules.size() && &program_.rules[extract.rule] == &rule_)
        return &extract;
    }
    return nullptr;
  }

  std::string capture(std::uint32_t index) const {
    const Extract* extract = extract_of_rule();
    return extract != nullptr ? named(extract->captures, index) : std::to_string(index);
  }

  void bind(const Instruction& in) {
    if (in.a >= facts_.size()) return;
    facts_[in.a] = nullptr;
    switch (in.op) {
      case Opcode::OpenEvents:
      case Opcode::OpenEventsKeyed:
        if (in.b < program_.events.size()) facts_[in.a] = &program_.events[in.b].fields;
        break;
      case Opcode::OpenSymptoms:
      case Opcode::OpenKeyed:
      case Opcode::OpenNear:
        if (in.b < program_.symptoms.size()) facts_[in.a] = &program_.symptoms[in.b].fields;
        break;
      default:
        break;
    }
  }

  // "path:line", and the line itself where it is not that of the instruction before.
  std::string source_of(std::size_t pc) {
    if (pc >= program_.places.size()) return "";
    const Place& place = program_.places[pc];
    if (place.line == 0 || place.source >= program_.sources.size()) return "";
    if (last_ && last_->source == place.source && last_->line == place.line) return "";
    last_ = place;
    const SourceText& source = program_.sources[place.source];
    std::string_view text = lines_.at(place.source, place.line);
    const std::size_t first = text.find_first_not_of(" \t\r");
    text.remove_prefix(first == std::string_view::npos ? text.size() : first);
    const std::string line(text.substr(0, text.find_last_not_of(" \t\r") + 1));
    return fmt::format("{}:{}: {}", source.path, place.line, line);
  }

  void note_emission(const Instruction& in) {
    if (in.op == Opcode::EmitEvent && in.b < program_.events.size()) {
      emitted_ = &program_.events[in.b].fields;
    }
    if (in.op == Opcode::EmitSymptom && in.b < program_.symptoms.size()) {
      emitted_ = &program_.symptoms[in.b].fields;
    }
  }

  const Program& program_;
  const SourceLines& lines_;
  const Rule& rule_;
  std::vector<const std::vector<model::Field>*> facts_;  // Fields of the fact in each register.
  const std::vector<model::Field>* emitted_ = nullptr;
  std::optional<Place> last_;
};

}  // namespace

std::string disassemble(const Program& program, std::string_view only_rule) {
  std::string out;
  const SourceLines lines(program.sources);
  for (const Rule& rule : program.rules) {
    if (!only_rule.empty() && rule.name != only_rule) continue;
    if (!out.empty()) out += '\n';
    RulePrinter(program, lines, rule).print(out);
  }
  return out;
}

}  // namespace attrib::program
