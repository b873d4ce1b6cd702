#include <fmt/format.h>

#include <map>

#include "verdict/format.h"
#include "verdict/print.h"

namespace attrib::verdict {
namespace {

constexpr std::size_t kDrawn = 200;  // A picture of more symptoms shows nothing.

// Which symptoms are drawn: all, or of a flood the answer first, then what the job ended with,
// notes last; what came first before what came later.
std::vector<bool> drawn(const Verdict& v) {
  std::vector<bool> out(v.symptoms.size(), v.symptoms.size() <= kDrawn);
  if (v.symptoms.size() <= kDrawn) return out;
  std::size_t room = kDrawn;
  const auto draw = [&](std::size_t i) {
    if (room == 0 || out[i]) return;
    out[i] = true;
    --room;
  };
  for (const std::uint32_t i : v.root_causes) draw(i);
  for (const Candidate& candidate : v.alternatives) {
    for (const std::uint32_t i : candidate.members) draw(i);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (v.symptoms[i].role == model::Role::End) draw(i);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (v.symptoms[i].role != model::Role::Note) draw(i);
  }
  for (std::size_t i = 0; i < out.size(); ++i) draw(i);
  return out;
}

std::string left_out(const Verdict& v) {
  if (v.symptoms.size() <= kDrawn) return "";
  return fmt::format("{} more symptoms are left out", grouped(v.symptoms.size() - kDrawn));
}

// Symptoms by where they were seen: each place is a cluster.
std::map<std::string, std::vector<std::size_t>> clusters(const Verdict& v,
                                                         const std::vector<bool>& shown) {
  std::map<std::string, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < v.symptoms.size(); ++i) {
    if (shown[i]) out[v.symptoms[i].node.value_or("")].push_back(i);
  }
  return out;
}

std::string dot_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// In a quoted mermaid label only these mean something; the rest is text.
std::string mermaid_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '"':
        out += "#quot;";
        break;
      case '#':
        out += "#35;";
        break;
      case '<':
        out += "#lt;";
        break;
      case '>':
        out += "#gt;";
        break;
      case '&':
        out += "#amp;";
        break;
      case '`':
        out += "#96;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string when(const Symptom& s) {
  return s.begin.known ? clock_text(stamp(s.begin)) + "Z" : "time not known";
}

std::string_view dot_style(const Symptom& s) {
  switch (s.state) {
    case SymptomState::Root:
      return "style=filled, fillcolor=\"#f4b6b6\", penwidth=2";
    case SymptomState::Unexplained:
      return "style=filled, fillcolor=\"#f7e3a1\"";
    case SymptomState::Note:
    case SymptomState::Survived:
    case SymptomState::History:
    case SymptomState::Late:
      return "style=dotted";
    case SymptomState::Demoted:
      return "style=solid";
  }
  return "style=solid";
}

}  // namespace

std::string to_dot(const Verdict& v) {
  const std::vector<bool> shown = drawn(v);
  std::string out =
      fmt::format("digraph verdict {{\n  label=\"{}\";\n  rankdir=LR;\n  node [shape=box];\n",
                  dot_text(v.summary));
  std::size_t cluster = 0;
  for (const auto& [node, members] : clusters(v, shown)) {
    const std::string indent = node.empty() ? "  " : "    ";
    if (!node.empty()) {
      out +=
          fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", cluster++, dot_text(node));
    }
    for (const std::size_t i : members) {
      const Symptom& s = v.symptoms[i];
      out +=
          fmt::format("{}s{} [label=\"{}\\n{}\\n{}, {}\", {}];\n", indent, i, dot_text(title_of(s)),
                      dot_text(place_text(s)), to_text(s.state), when(s), dot_style(s));
    }
    if (!node.empty()) out += "  }\n";
  }
  for (std::size_t i = 0; i < v.symptoms.size(); ++i) {
    for (const Demotion& d : v.symptoms[i].demoted_by) {
      if (!shown[i] || !shown[d.cause]) continue;
      out += fmt::format("  s{} -> s{} [label=\"{}\"{}];\n", d.cause, i, dot_text(d.rule),
                         d.strong ? "" : ", style=dashed");
    }
  }
  if (const std::string text = left_out(v); !text.empty()) {
    out += fmt::format("  more [label=\"{}\", shape=plaintext];\n", text);
  }
  return out + "}\n";
}

std::string to_mermaid(const Verdict& v) {
  const std::vector<bool> shown = drawn(v);
  std::string out = "flowchart LR\n";
  std::size_t cluster = 0;
  for (const auto& [node, members] : clusters(v, shown)) {
    const std::string indent = node.empty() ? "  " : "    ";
    if (!node.empty())
      out += fmt::format("  subgraph c{}[\"{}\"]\n", cluster++, mermaid_text(node));
    for (const std::size_t i : members) {
      const Symptom& s = v.symptoms[i];
      out += fmt::format("{}s{}[\"{}<br/>{}<br/>{}, {}\"]\n", indent, i, mermaid_text(title_of(s)),
                         mermaid_text(place_text(s)), to_text(s.state), when(s));
    }
    if (!node.empty()) out += "  end\n";
  }
  for (std::size_t i = 0; i < v.symptoms.size(); ++i) {
    for (const Demotion& d : v.symptoms[i].demoted_by) {
      if (!shown[i] || !shown[d.cause]) continue;
      out += fmt::format("  s{} {}|\"{}\"| s{}\n", d.cause, d.strong ? "-->" : "-.->",
                         mermaid_text(d.rule), i);
    }
  }
  out += "  classDef root fill:#f4b6b6,stroke-width:2px\n  classDef open fill:#f7e3a1\n";
  if (const std::string text = left_out(v); !text.empty()) {
    out += fmt::format("  more[\"{}\"]\n", text);
  }
  for (std::size_t i = 0; i < v.symptoms.size(); ++i) {
    if (!shown[i]) continue;
    if (v.symptoms[i].state == SymptomState::Root) out += fmt::format("  class s{} root\n", i);
    if (v.symptoms[i].state == SymptomState::Unexplained)
      out += fmt::format("  class s{} open\n", i);
  }
  return out;
}

}  // namespace attrib::verdict
