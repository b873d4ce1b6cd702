// Texts with holes: "Two unrelated causes: {a} and {b.node}."

#include <fmt/format.h>

#include "compiler/limits.h"
#include "compiler/rule_checker.h"

namespace attrib::compiler {
namespace {

// "a.node" as the path it would be outside the text. Empty if it is none.
dsl::NameExpr parse_path(const std::string& text, Span span) {
  dsl::NameExpr path;
  std::string part;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '.') {
      part += text[i];
      continue;
    }
    if (part.empty() || part.find(' ') != std::string::npos) return {};
    path.parts.push_back({part, span});
    part.clear();
  }
  return path;
}

}  // namespace

Message RuleChecker::message(const dsl::Text& text) {
  Message out;
  out.texts.emplace_back();
  const std::string& s = text.value;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if ((s[i] == '{' || s[i] == '}') && i + 1 < s.size() && s[i + 1] == s[i]) {
      out.texts.back() += s[i++];
      continue;
    }
    if (s[i] == '}') {
      c.sink.emit<diag::BadMessage>(text.span, "`}` closes nothing");
      return out;
    }
    if (s[i] != '{') {
      out.texts.back() += s[i];
      continue;
    }
    const std::size_t close = s.find('}', i);
    dsl::NameExpr path = close == std::string::npos
                             ? dsl::NameExpr{}
                             : parse_path(s.substr(i + 1, close - i - 1), text.span);
    if (path.parts.empty()) {
      c.sink.emit<diag::BadMessage>(text.span, "`{` opens no `{a}` or `{a.node}`");
      return out;
    }
    if (!within_limit(c, text.span, out.values.size() + 1, kMaxMessageHoles, "a message",
                      "holes")) {
      return out;
    }
    i = close;
    const bool alone = path.parts.size() == 1;
    const auto fact = fact_named(path.parts[0]);
    if (!fact) return out;
    Typed value;
    if (!alone) {
      dsl::Expr e;
      e.span = text.span;
      e.node = std::move(path);
      value = expr(e);
      const auto kind = value.type.kind;
      if (value.ok() && (kind == model::ValueKind::Moment || kind == model::ValueKind::Set)) {
        c.sink.emit<diag::BadMessage>(text.span,
                                      fmt::format("{} cannot be printed", describe(value)));
      }
    }
    out.values.push_back(value.id);
    out.facts.push_back(alone ? *fact : VarId{});
    out.texts.emplace_back();
  }
  return out;
}

}  // namespace attrib::compiler
