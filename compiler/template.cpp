#include "compiler/template.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/limits.h"

namespace attrib::compiler {
namespace {

using model::PartKind;

class TemplateParser {
 public:
  TemplateParser(Context& context, const dsl::Text& text, Captures& captures)
      : c_(context), text_(text), captures_(captures) {
    // Columns inside the literal are exact unless it has escapes, which change its length.
    exact_ = c_.sources.text(text.span).find('\\') == std::string_view::npos;
  }

  ParsedLine parse() {
    out_.line.span = text_.span;
    const std::string& s = text_.value;
    if (s.size() > kMaxTemplateBytes) {
      within_limit(c_, text_.span, s.size(), kMaxTemplateBytes, "a line template", "bytes");
      return std::move(out_);
    }
    while (at_ < s.size() && !failed_) step();
    if (!failed_ && optional_) fail("`{?` is not closed by `?}`", open_, 2);
    if (!failed_) check_rest();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool here(std::string_view word) const {
    return std::string_view(text_.value).substr(at_).starts_with(word);
  }
  [[nodiscard]] Span span(std::size_t from, std::size_t size) const {
    if (!exact_) return text_.span;
    const auto begin = static_cast<std::uint32_t>(text_.span.begin + 1 + from);
    return {text_.span.source, begin, static_cast<std::uint32_t>(begin + size)};
  }
  void fail(const std::string& what, std::size_t from, std::size_t size,
            const std::string& hint = "") {
    Diagnostic& d = c_.sink.emit<diag::BadTemplate>(span(from, size), what);
    if (!hint.empty()) d.hint(hint);
    failed_ = true;
  }

  void literal(char c) {
    if (out_.line.parts.empty() || out_.line.parts.back().kind != PartKind::Literal) {
      out_.line.parts.push_back({PartKind::Literal, "", 0, model::Reader::Word});
    }
    out_.line.parts.back().text += c;
  }
  void part(PartKind kind) { out_.line.parts.push_back({kind, "", 0, model::Reader::Word}); }

  void step() {
    const char c = text_.value[at_];
    if (here("{{") || here("}}")) {
      literal(c);
      at_ += 2;
    } else if (here("{?")) {
      if (optional_) return fail("optional parts do not nest", at_, 2);
      optional_ = true;
      open_ = at_;
      part(PartKind::OptionalBegin);
      at_ += 2;
    } else if (here("?}") && optional_) {
      optional_ = false;
      part(PartKind::OptionalEnd);
      at_ += 2;
    } else if (c == '{') {
      hole();
    } else if (c == '}') {
      fail("`}` closes nothing", at_, 1, "a brace of the line itself is written `}}`");
    } else if (c == ' ' || c == '\t') {
      while (at_ < text_.value.size() && (text_.value[at_] == ' ' || text_.value[at_] == '\t')) {
        ++at_;
      }
      part(PartKind::Blank);
    } else if (c == '\n' || c == '\r') {
      fail("a line template holds one line", at_, 1, "write `next \"...\"` for the next line");
    } else {
      literal(c);
      ++at_;
    }
  }

  void hole() {
    const std::size_t close = text_.value.find_first_of("{}", at_ + 1);
    if (close == std::string::npos || text_.value[close] == '{') {
      return fail("`{` opens a hole that is not closed", at_, 1,
                  "a brace of the line itself is written `{{`");
    }
    const std::string inside = text_.value.substr(at_ + 1, close - at_ - 1);
    const std::size_t colon = inside.find(':');
    const std::string name = inside.substr(0, colon);
    const std::string spec = colon == std::string::npos ? "" : inside.substr(colon + 1);
    if (inside == "...") {
      part(PartKind::Rest);
    } else if (inside == "..") {
      part(PartKind::Gap);
    } else if (name == "_") {
      skip(spec, inside);
    } else if (!is_name(name) || (colon != std::string::npos && spec.empty())) {
      fail(fmt::format("`{{{}}}` is no hole", inside), at_, close - at_ + 1,
           "holes are {name}, {name:reader}, {_}, {..}, {...} and {? ... ?}");
    } else {
      capture(name, spec, span(at_, close - at_ + 1));
    }
    at_ = close + 1;
  }

  static bool is_name(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
  }

  void skip(const std::string& spec, const std::string& inside) {
    part(PartKind::Skip);
    if (spec.empty()) return;
    const auto reader = model::parse_reader(spec);
    if (!reader) {
      return fail(fmt::format("`{{{}}}`: no reader is called `{}`", inside, spec), at_,
                  inside.size() + 2);
    }
    out_.line.parts.back().reader = *reader;
  }

  void capture(const std::string& name, const std::string& spec, Span where) {
    model::Reader reader = model::Reader::Word;
    const auto index = captures_.declare(name, spec, where, &reader);
    if (!index) {
      // The hole's name is wrong but not the template: go on and find more.
      part(PartKind::Skip);
      return;
    }
    if (!out_.captured.insert(*index).second) {
      c_.sink.emit<diag::DuplicateName>(where, "capture", name);
      return;
    }
    if (!optional_) out_.always.insert(*index);
    out_.line.parts.push_back({PartKind::Hole, "", *index, reader});
  }

  void check_rest() {
    const auto& parts = out_.line.parts;
    if (parts.empty()) return fail("is empty", 0, text_.value.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const bool closed = i + 2 == parts.size() && parts[i + 1].kind == PartKind::OptionalEnd;
      if (parts[i].kind == PartKind::Rest && !last && !closed) {
        return fail("nothing may follow `{...}`, the rest of the line", 0, text_.value.size(),
                    "`{..}` is the shortest gap up to what follows");
      }
      if (parts[i].kind == PartKind::Gap && last) {
        return fail("`{..}` is a gap between two things, but nothing follows it", 0,
                    text_.value.size(), "`{...}` is the rest of the line");
      }
    }
  }

  Context& c_;
  const dsl::Text& text_;
  Captures& captures_;
  ParsedLine out_;
  std::size_t at_ = 0, open_ = 0;
  bool optional_ = false, failed_ = false, exact_ = false;
};

ParsedLine parse_regex(Context& c, const dsl::LinePattern& pattern, Captures& captures) {
  ParsedLine out;
  out.line.span = pattern.text.span;
  out.line.regex = pattern.text.value;
  if (!within_limit(c, pattern.text.span, pattern.text.value.size(), kMaxTemplateBytes, "a regex",
                    "bytes")) {
    return out;
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 regex(pattern.text.value, options);
  if (!regex.ok()) {
    c.sink.emit<diag::BadPattern>(pattern.text.span, regex.error());
    return out;
  }
  if (pattern.text.value.empty()) c.sink.emit<diag::BadPattern>(pattern.text.span, "it is empty");
  for (const auto& [name, group] : regex.NamedCapturingGroups()) {
    model::Reader reader = model::Reader::Word;
    // Whether a group takes part in every match cannot be told; who writes a regex answers for it.
    if (const auto index = captures.declare(name, "", pattern.text.span, &reader)) {
      out.captured.insert(*index);
      out.always.insert(*index);
    }
  }
  return out;
}

}  // namespace

std::optional<model::Type> Captures::type_of(const std::string& name, const std::string& spec,
                                             Span span, model::Reader* reader) {
  std::vector<std::string> fields;
  if (event_ != nullptr) {
    for (const model::Field& field : event_->fields) {
      fields.push_back(field.name);
      if (field.name != name) continue;
      *reader = field.type.reader;
      if (spec.empty()) return field.type;
      const auto other = model::parse_reader(spec);
      const auto wanted =
          field.type.kind == model::ValueKind::Entity ? model::ValueKind::String : field.type.kind;
      if (!other || model::info(*other).kind != wanted) {
        c_.sink
            .emit<diag::TypeMismatch>(span, fmt::format("`{}`", spec),
                                      fmt::format("a reader of {}", model::to_text(field.type)))
            .note(field.span, "the field is declared here");
        return std::nullopt;
      }
      *reader = *other;
      return field.type;
    }
  }
  model::Type type;
  if (const auto read = model::parse_reader(spec)) {
    *reader = *read;
    type.kind = model::info(*read).kind;
    type.reader = *read;
    return type;
  }
  auto kind = model::parse_entity_kind_name(spec);
  if (spec.empty()) kind = model::parse_word<model::EntityKind>(name);
  if (kind) {
    *reader = model::Reader::Entity;
    return model::Type{model::ValueKind::Entity, model::Reader::Entity, *kind, {}};
  }
  if (!spec.empty()) {
    report_unknown(c_, "reader", {spec, span}, {});
    return std::nullopt;
  }
  const std::string where =
      event_ == nullptr ? "capture" : fmt::format("field of event `{}`", event_->name);
  report_unknown(c_, where, {name, span}, fields)
      .hint(fmt::format("a local capture needs its reader: `{{{}:word}}`", name));
  return std::nullopt;
}

std::optional<std::uint16_t> Captures::declare(const std::string& name, const std::string& spec,
                                               Span span, model::Reader* reader) {
  const auto known = find(name);
  const bool local =
      event_ == nullptr || std::none_of(event_->fields.begin(), event_->fields.end(),
                                        [&](const auto& f) { return f.name == name; });
  // A local capture keeps the type of its first hole, so later ones need not repeat it.
  if (known && local && spec.empty()) {
    *reader = captures_[*known].type.reader;
    return known;
  }
  const auto type = type_of(name, spec, span, reader);
  if (!type) return std::nullopt;
  if (known) {
    const model::Type& first = captures_[*known].type;
    if (!(first.kind == type->kind && first.entity == type->entity)) {
      c_.sink.emit<diag::CaptureTypes>(span, name, model::to_text(*type), model::to_text(first))
          .note(spans_[*known], "first captured here");
      return std::nullopt;
    }
    return known;
  }
  captures_.push_back({name, *type});
  spans_.push_back(span);
  return static_cast<std::uint16_t>(captures_.size() - 1);
}

std::optional<std::uint16_t> Captures::find(const std::string& name) const {
  for (std::size_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i].name == name) return static_cast<std::uint16_t>(i);
  }
  return std::nullopt;
}

ParsedLine parse_line(Context& c, const dsl::LinePattern& pattern, Captures& captures) {
  ParsedLine out = pattern.regex ? parse_regex(c, pattern, captures)
                                 : TemplateParser(c, pattern.text, captures).parse();
  out.line.at_start = pattern.at_start;
  return out;
}

}  // namespace attrib::compiler
