#include <fmt/format.h>

#include <algorithm>

#include "model/pattern_check.h"
#include "model/any_case.h"
#include "model/required_literals.h"
#include "program/verify.h"
#include "program/verify_parts.h"

namespace attrib::program {
namespace {

using model::PartKind;
using model::ValueKind;

bool reads(const model::TemplatePart& hole, const model::Type& type) {
  if (hole.reader == model::Reader::Choice) {
    return type.kind == ValueKind::String && !type.words.empty();
  }
  return model::info(hole.reader).kind == type.kind;
}

// Empty: the parts are well formed.
std::string parts_fault(const model::LineTemplate& line, const std::vector<Capture>& captures) {
  if (!line.regex.empty() && !line.parts.empty()) return "both a regex and a template";
  bool optional = false;
  for (std::size_t i = 0; i < line.parts.size(); ++i) {
    const model::TemplatePart& part = line.parts[i];
    switch (part.kind) {
      case PartKind::Hole:
        if (part.capture >= captures.size()) return "a hole captures into nothing";
        if (!reads(part, captures[part.capture].type)) {
          return fmt::format("a hole reads another kind than `{}`", captures[part.capture].name);
        }
        break;
      case PartKind::OptionalBegin:
      case PartKind::OptionalEnd:
        if (optional == (part.kind == PartKind::OptionalBegin)) return "optional parts nest";
        optional = !optional;
        break;
      case PartKind::Rest:
        if (i + 1 < line.parts.size() &&
            (i + 2 < line.parts.size() || line.parts[i + 1].kind != PartKind::OptionalEnd)) {
          return "`{...}` is not the last part";
        }
        break;
      default:
        break;
    }
  }
  return optional ? "an optional part does not end" : "";
}

std::size_t text_size(const model::LineTemplate& line) {
  std::size_t size = line.regex.size() + line.parts.size();
  for (const model::TemplatePart& part : line.parts) size += part.text.size();
  return size;
}

struct Captures {
  std::vector<std::string> names;
  std::vector<model::Type> types;
};

Captures split(const std::vector<Capture>& captures) {
  Captures out;
  for (const Capture& capture : captures) {
    out.names.push_back(capture.name);
    out.types.push_back(capture.type);
  }
  return out;
}

std::string line_fault(const model::LineTemplate& line, const std::vector<Capture>& captures,
                       const Captures& by_member) {
  if (text_size(line) > kMaxPatternBytes) {
    return fmt::format("{} bytes, at most {}", text_size(line), kMaxPatternBytes);
  }
  if (auto fault = parts_fault(line, captures); !fault.empty()) return fault;
  return model::pattern_fault(line, by_member.names, by_member.types, kMaxRegexProgram);
}

// The literals are what makes a line worth a look, so each line that matches must hold one.
std::string literals_fault(const model::Alternative& alternative) {
  const std::vector<std::string>& literals = alternative.literals;
  if (literals.empty()) {
    if (alternative.any_case) return "no literal to be looked for in any case";
    return alternative.slow_reason.empty() ? "no literal and no `slow` reason" : "";
  }
  if (literals.size() > model::kMaxFilterLiterals)
    return fmt::format("{} literals, at most {}", literals.size(), model::kMaxFilterLiterals);
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (literals[i].empty() || literals[i].size() > model::kMaxFilterLiteral)
      return fmt::format("literal {} has {} bytes", i, literals[i].size());
    if (i > 0 && literals[i - 1] >= literals[i]) return "literals out of order";
    if (alternative.any_case && model::to_lower(literals[i]) != literals[i])
      return fmt::format("literal {} has capitals and stands for any case", i);
  }
  return model::requires_one_of(alternative.lines[0], literals, alternative.any_case)
             ? ""
             : "a line may match that holds none of its literals";
}

std::string alternative_fault(const model::Alternative& alternative,
                              const std::vector<Capture>& captures, const Captures& by_member) {
  if (alternative.lines.empty()) return "no line";
  if (alternative.within_lines > kMaxWithinLines) {
    return fmt::format("within {} lines, at most {}", alternative.within_lines, kMaxWithinLines);
  }
  if (alternative.lines.size() - 1 > alternative.within_lines) return "more lines than `within`";
  for (const model::LineTemplate& line : alternative.lines) {
    if (auto fault = line_fault(line, captures, by_member); !fault.empty()) return fault;
  }
  return literals_fault(alternative);
}

Refusal verify_extract(const Program& program, const Extract& extract) {
  const auto refuse = [&](std::string_view what) {
    return Error{fmt::format("extract `{}`: {}", extract.name, what)};
  };
  const std::size_t sources = model::words<model::SourceKind>().size();
  if (extract.sources == 0 || extract.sources >> sources != 0) return refuse("no such sources");
  if (extract.rule >= program.rules.size()) return refuse("no such rule");
  const Rule& rule = program.rules[extract.rule];
  if (rule.kind != RuleKind::Extract || rule.name != extract.name) {
    return refuse(fmt::format("its rule is `{}`", rule.name));
  }
  if (extract.event && *extract.event >= program.events.size()) return refuse("no such event");
  if (extract.captures.size() > kMaxTypeFields) return refuse("too many captures");
  for (const Capture& capture : extract.captures) {
    if (!is_value_type(capture.type)) return refuse("a capture has no type for a hole");
  }
  const bool lines = extract.kind == ExtractKind::Lines;
  if (lines == extract.alternatives.empty()) return refuse("lines go with line alternatives");
  if (!lines && !extract.captures.empty()) return refuse("only lines have captures");
  const bool several_lines =
      std::any_of(extract.alternatives.begin(), extract.alternatives.end(),
                  [](const model::Alternative& each) { return each.lines.size() > 1; });
  if (extract.keep_last && (!lines || several_lines))
    return refuse("`keep last` goes with single lines");
  if (!extract.keep_first_by.empty() && (!lines || several_lines || extract.keep_last))
    return refuse("`keep first` goes with single lines, and not with `keep last`");
  for (const std::uint32_t capture : extract.keep_first_by) {
    if (capture >= extract.captures.size()) return refuse(fmt::format("no capture {} to keep the first by", capture));
  }
  const Captures by_member = split(extract.captures);
  for (std::size_t i = 0; i < extract.alternatives.size(); ++i) {
    const auto fault = alternative_fault(extract.alternatives[i], extract.captures, by_member);
    if (!fault.empty()) return refuse(fmt::format("alternative {}: {}", i, fault));
  }
  return std::nullopt;
}

}  // namespace

Refusal verify_extracts(const Program& program) {
  if (auto error = verify_names(program.extracts, "extract")) return error;
  for (const Extract& extract : program.extracts) {
    if (auto error = verify_extract(program, extract)) return error;
  }
  // Names are unique in both, so equal counts leave no rule without its extract.
  const auto rules = std::count_if(program.rules.begin(), program.rules.end(),
                                   [](const Rule& r) { return r.kind == RuleKind::Extract; });
  if (static_cast<std::size_t>(rules) != program.extracts.size()) {
    return Error{fmt::format("{} extract rules for {} extracts", rules, program.extracts.size())};
  }
  return std::nullopt;
}

}  // namespace attrib::program
