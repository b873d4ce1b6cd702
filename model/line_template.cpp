#include "model/line_template.h"

#include <algorithm>

#include <re2/re2.h>

#include "model/part_pattern.h"

namespace attrib::model {
namespace {

bool is_last(const LineTemplate& line, std::size_t part) {
  const bool closes =
      part + 2 == line.parts.size() && line.parts.back().kind == PartKind::OptionalEnd;
  return closes || part + 1 == line.parts.size();
}

std::string braces_doubled(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

}  // namespace

std::string part_pattern(const LineTemplate& line, std::size_t part,
                         const std::vector<Type>& capture_types) {
  static const Type kPlain;
  const TemplatePart& hole = line.parts[part];
  if (hole.reader == Reader::Text && is_last(line, part)) return "[^\\r\\n]*";
  const bool typed = hole.kind == PartKind::Hole && hole.capture < capture_types.size();
  return hole_pattern(typed ? capture_types[hole.capture] : kPlain, hole.reader);
}

std::string to_regex(const LineTemplate& line, const std::vector<Type>& capture_types,
                     std::vector<std::uint16_t>* captures) {
  captures->clear();
  if (!line.regex.empty()) return line.regex;
  std::string out;
  bool optional = false;
  for (std::size_t i = 0; i < line.parts.size(); ++i) {
    const TemplatePart& part = line.parts[i];
    switch (part.kind) {
      case PartKind::Literal:
        out += re2::RE2::QuoteMeta(part.text);
        break;
      case PartKind::Blank:
        out += "[ \\t]+";
        break;
      case PartKind::Hole:
        out += "(" + part_pattern(line, i, capture_types) + ")";
        captures->push_back(part.capture);
        break;
      case PartKind::Skip:
        out += "(?:" + part_pattern(line, i, capture_types) + ")";
        break;
      case PartKind::Rest:
        out += "[^\\n]*";
        break;
      case PartKind::Gap:
        out += "[^\\n]*?";
        break;
      // A damaged program may nest or leave open; the expression stays well formed.
      case PartKind::OptionalBegin:
        if (!optional) out += "(?:";
        optional = true;
        break;
      case PartKind::OptionalEnd:
        if (optional) out += ")?";
        optional = false;
        break;
    }
  }
  if (optional) out += ")?";
  return out;
}

std::vector<std::string> required_words(const LineTemplate& line) {
  std::vector<std::string> out;
  std::string run;
  bool optional = false;
  const auto end_run = [&] {
    if (!run.empty()) out.push_back(run);
    run.clear();
  };
  for (const TemplatePart& part : line.parts) {
    if (part.kind == PartKind::Literal && !optional) {
      run += part.text;
      continue;
    }
    end_run();
    if (part.kind == PartKind::OptionalBegin) optional = true;
    if (part.kind == PartKind::OptionalEnd) optional = false;
  }
  end_run();
  return out;
}

std::string longest_literal(const LineTemplate& line) {
  const std::vector<std::string> words = required_words(line);
  const auto longest = std::max_element(
      words.begin(), words.end(),
      [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return longest == words.end() ? std::string() : *longest;
}

std::string to_text(const LineTemplate& line, const std::vector<std::string>& capture_names) {
  if (!line.regex.empty()) return line.regex;
  std::string out;
  for (const TemplatePart& part : line.parts) {
    switch (part.kind) {
      case PartKind::Literal:
        out += braces_doubled(part.text);
        break;
      case PartKind::Blank:
        out += ' ';
        break;
      case PartKind::Hole:
        out +=
            "{" + (part.capture < capture_names.size() ? capture_names[part.capture] : "?") + "}";
        break;
      case PartKind::Skip:
        out +=
            part.reader == Reader::Word ? "{_}" : "{_:" + std::string(info(part.reader).name) + "}";
        break;
      case PartKind::Rest:
        out += "{...}";
        break;
      case PartKind::Gap:
        out += "{..}";
        break;
      case PartKind::OptionalBegin:
        out += "{?";
        break;
      case PartKind::OptionalEnd:
        out += "?}";
        break;
    }
  }
  return out;
}

}  // namespace attrib::model
