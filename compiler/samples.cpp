// Runs the samples and rejects of an extract.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/constants.h"
#include "compiler/rules.h"
#include "compiler/sample_eval.h"
#include "model/line_matcher.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

class SampleRun {
 public:
  SampleRun(Context& context, const dsl::ExtractDecl& decl, const Extract& extract,
            const Rule& rule)
      : c_(context), decl_(decl), extract_(extract), rule_(rule) {
    std::vector<std::string> names;
    std::vector<model::Type> types;
    for (const Capture& capture : extract_.captures) {
      names.push_back(capture.name);
      types.push_back(capture.type);
    }
    for (const model::Alternative& alternative : extract_.alternatives) {
      matchers_.emplace_back();
      for (const model::LineTemplate& line : alternative.lines) {
        matchers_.back().emplace_back(line, names, types);
      }
    }
  }

  void run() {
    const bool lines = extract_.kind == ExtractKind::Lines;
    const std::size_t alternatives = lines ? extract_.alternatives.size() : 1;
    exercised_.resize(alternatives);
    for (const dsl::SampleClause& sample : decl_.samples) {
      if (lines == sample.object.has_value()) {
        c_.sink.emit<diag::TypeMismatch>(
            sample.span, lines ? "an object" : "a line",
            lines ? "a line, as the extract reads lines"
                  : "an object `{ ... }`, as the extract reads no lines");
        continue;
      }
      if (lines) {
        line_sample(sample);
      } else {
        object_sample(sample);
      }
    }
    for (std::size_t i = 0; i < alternatives; ++i) {
      if (!exercised_[i]) unexercised(i);
    }
  }

 private:
  // -- Lines.
  bool matches(std::size_t alternative, const std::vector<dsl::Text>& lines,
               SampleInput* input) const {
    const auto& templates = matchers_[alternative];
    input->captures.assign(extract_.captures.size(), std::nullopt);
    if (lines.empty() || !templates[0].match(lines[0].value, &input->captures)) return false;
    std::size_t at = 1;
    const std::size_t last = extract_.alternatives[alternative].within_lines;
    for (std::size_t t = 1; t < templates.size(); ++t) {
      while (at < lines.size() && at <= last &&
             !templates[t].match(lines[at].value, &input->captures)) {
        ++at;
      }
      if (at >= lines.size() || at > last) return false;
      ++at;
    }
    return true;
  }
  [[nodiscard]] bool accepted(const SampleInput& input) const {
    return std::all_of(rule_.whens.begin(), rule_.whens.end(), [&](ExprId when) {
      const model::Constant value = evaluate(c_.module, when, input);
      return value.kind == ValueKind::Truth && value.number == 2;
    });
  }

  void line_sample(const dsl::SampleClause& sample) {
    const Span where = sample.lines.empty() ? sample.span : sample.lines.front().span;
    SampleInput input;
    if (!sample.lines.empty()) input.message = sample.lines.front().value;
    std::size_t which = 0;
    while (which < matchers_.size() && !matches(which, sample.lines, &input)) ++which;
    const bool matched = which < matchers_.size();
    const bool good = matched && accepted(input);
    if (sample.reject) {
      if (!good) return;
      c_.sink.emit<diag::RejectMatches>(where, extract_.name)
          .note(extract_.alternatives[which].span,
                fmt::format("alternative {} matches it", which + 1));
      return;
    }
    if (!good) {
      Diagnostic& d = c_.sink.emit<diag::SampleFails>(where, extract_.name);
      if (matched) {
        d.note(extract_.alternatives[which].span,
               fmt::format("alternative {} matches it, but `where` does not hold", which + 1));
        return;
      }
      for (std::size_t i = 0; i < extract_.alternatives.size(); ++i) why_not(d, i, sample.lines);
      return;
    }
    exercised_[which] = true;
    if (sample.gives) gives(*sample.gives, input);
  }

  // The longest literal that is missing is the usual slip.
  void why_not(Diagnostic& d, std::size_t alternative, const std::vector<dsl::Text>& lines) const {
    const model::Alternative& made = extract_.alternatives[alternative];
    if (lines.empty()) return;
    const std::string literal = model::longest_literal(made.lines[0]);
    if (!literal.empty() && lines[0].value.find(literal) == std::string::npos) {
      d.note(made.span,
             fmt::format("alternative {} wants the text `{}`", alternative + 1, literal));
    } else {
      d.note(made.span, fmt::format("alternative {} does not match", alternative + 1));
    }
  }

  void unexercised(std::size_t alternative) {
    const bool lines = extract_.kind == ExtractKind::Lines;
    const Span span = lines ? extract_.alternatives[alternative].span : extract_.span;
    Diagnostic& d = c_.sink.emit<diag::NoSample>(span, alternative + 1, extract_.name);
    for (const dsl::SampleClause& sample : decl_.samples) {
      SampleInput input;
      if (!lines || sample.reject || sample.lines.empty() ||
          !matches(alternative, sample.lines, &input)) {
        continue;
      }
      d.note(sample.lines.front().span,
             "this sample would match, but an earlier alternative takes it");
      return;
    }
    d.hint("add a `sample` for it");
  }

  // -- Metrics and records.
  std::optional<std::string> text_of(const dsl::Pair& pair) {
    if (pair.value) {
      if (const auto* literal = std::get_if<dsl::Literal>(&pair.value->node)) return literal->text;
      if (const auto value = literal_value(*pair.value)) return model::to_text(*value);
    }
    c_.sink.emit<diag::TypeMismatch>(pair.span, "no value", "a text or number");
    return std::nullopt;
  }
  void texts_of(const dsl::PairList& object, std::map<std::string, std::string>* out) {
    for (const dsl::Pair& pair : object.pairs) {
      if (auto text = text_of(pair)) (*out)[pair.name.text] = std::move(*text);
    }
  }
  std::optional<std::int64_t> number_of(const dsl::Pair& pair) {
    const auto value = pair.value ? literal_value(*pair.value) : std::nullopt;
    const model::Type decimal{ValueKind::Decimal, model::Reader::Dec, model::EntityKind::Node, {}};
    const auto number = value ? fit_constant(decimal, *value) : std::nullopt;
    if (number) return number->number;
    c_.sink.emit<diag::TypeMismatch>(pair.span, "no number", "a number");
    return std::nullopt;
  }
  void metric(const dsl::PairList& object, SampleInput* input) {
    for (const dsl::Pair& pair : object.pairs) {
      const std::string& key = pair.name.text;
      if (key == "name") {
        input->name = text_of(pair).value_or("");
      } else if (key == "value") {
        input->value = number_of(pair).value_or(0);
      } else if (key == "previous") {
        input->previous = number_of(pair);
      } else if (key == "labels" && pair.object) {
        texts_of(*pair.object, &input->labels);
      } else {
        report_unknown(c_, "part of a metric sample", pair.name,
                       {"name", "value", "previous", "labels"});
      }
    }
  }

  void object_sample(const dsl::SampleClause& sample) {
    SampleInput input;
    if (extract_.kind == ExtractKind::Metric) {
      metric(*sample.object, &input);
    } else {
      texts_of(*sample.object, &input.record);
    }
    const bool good = accepted(input);
    if (sample.reject) {
      if (good) c_.sink.emit<diag::RejectMatches>(sample.span, extract_.name);
      return;
    }
    if (!good) {
      c_.sink.emit<diag::SampleFails>(sample.span, extract_.name).hint("its `where` does not hold");
      return;
    }
    exercised_[0] = true;
    if (sample.gives) gives(*sample.gives, input);
  }

  // -- gives
  void gives(const dsl::PairList& wanted, const SampleInput& input) {
    for (const dsl::Pair& pair : wanted.pairs) {
      const model::Type* type = nullptr;
      model::Constant is;
      if (!find(pair.name.text, input, &type, &is)) {
        unknown(pair.name);
        continue;
      }
      const auto value = pair.value ? literal_value(*pair.value) : std::nullopt;
      const auto want = value ? fit_constant(*type, *value) : std::nullopt;
      const Span span = pair.value ? pair.value->span : pair.span;
      if (!want) {
        c_.sink.emit<diag::TypeMismatch>(span, fmt::format("`{}`", c_.sources.text(span)),
                                         model::to_text(*type));
      } else if (!(*want == is)) {
        const auto shown = [&](const model::Constant& v) {
          return v.kind == ValueKind::Null ? std::string("null")
                                           : fmt::format("`{}`", model::to_text(v, type->reader));
        };
        c_.sink.emit<diag::SampleGives>(span, pair.name.text, shown(is), shown(*want));
      }
    }
  }
  bool find(const std::string& name, const SampleInput& input, const model::Type** type,
            model::Constant* value) const {
    if (extract_.event && !rule_.emits.empty()) {
      const auto& fields = c_.module.events[*extract_.event].fields;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name != name) continue;
        *type = &fields[i].type;
        for (const FieldValue& each : rule_.emits[0].fields) {
          if (each.field == i) *value = evaluate(c_.module, each.value, input);
        }
        // A number set in a decimal field, and the like, were fitted when the rule was checked.
        return true;
      }
    }
    for (std::size_t i = 0; i < extract_.captures.size(); ++i) {
      if (extract_.captures[i].name != name) continue;
      *type = &extract_.captures[i].type;
      if (i < input.captures.size() && input.captures[i]) *value = *input.captures[i];
      return true;
    }
    return false;
  }
  void unknown(const dsl::Name& name) {
    std::vector<std::string> known;
    if (extract_.event) {
      for (const auto& field : c_.module.events[*extract_.event].fields)
        known.push_back(field.name);
    }
    for (const Capture& capture : extract_.captures) known.push_back(capture.name);
    report_unknown(c_, fmt::format("field or capture of extract `{}`", extract_.name), name, known);
  }

  Context& c_;
  const dsl::ExtractDecl& decl_;
  const Extract& extract_;
  const Rule& rule_;
  std::vector<std::vector<model::LineMatcher>> matchers_;
  std::vector<bool> exercised_;
};

}  // namespace

void check_samples(Context& c, const dsl::ExtractDecl& decl, const Extract& extract,
                   const Rule& rule) {
  SampleRun(c, decl, extract, rule).run();
}

}  // namespace attrib::compiler
