#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/limits.h"
#include "compiler/literals.h"
#include "compiler/rule_checker.h"
#include "compiler/rules.h"
#include "model/line_matcher.h"

namespace attrib::compiler {
namespace {

using model::ValueKind;

class ExtractChecker {
 public:
  ExtractChecker(Context& context, const dsl::ExtractDecl& decl, const std::string& pack)
      : c_(context), decl_(decl), r_(context, RuleKind::Extract, decl.name, pack) {
    out_.pack = pack;
    out_.name = decl.name.text;
    out_.span = decl.name.span;
    out_.kind = static_cast<ExtractKind>(decl.from);
  }

  void check() {
    const std::size_t errors = c_.sink.error_count();
    target();
    Captures captures(c_, event_);
    lines(captures);
    sources();
    r_.observation = RuleChecker::Observation{out_.kind, &captures, sure_};
    out_.captures = captures.all();
    within_limit(c_, out_.span, out_.captures.size(), kMaxCaptures, label(), "captures");
    for (const dsl::ExprPtr& where : decl_.wheres) r_.rule.whens.push_back(r_.condition(*where));
    if (event_ != nullptr) event();
    if (decl_.learn) learn(*decl_.learn);
    if (decl_.keep_last) keep_last(*decl_.keep_last);
    if (decl_.keep_first) keep_first(*decl_.keep_first);
    if (decl_.family) out_.family = find_word_of<model::Family>(c_, "family", *decl_.family);
    if (errors == c_.sink.error_count()) compile();
    const auto index = static_cast<std::uint32_t>(c_.module.extracts.size());
    out_.rule = static_cast<std::uint32_t>(c_.module.rules.size());
    r_.rule.extract = index;
    r_.rule.references = references(c_, decl_.references);
    if (errors == c_.sink.error_count()) check_samples(c_, decl_, out_, r_.rule);
    c_.module.extracts.push_back(std::move(out_));
    c_.module.rules.push_back(std::move(r_.rule));
  }

 private:
  [[nodiscard]] std::string label() const { return fmt::format("extract `{}`", out_.name); }

  void target() {
    if (decl_.event) {
      if (const auto index = find_event(c_, *decl_.event)) {
        out_.event = *index;
        event_ = &c_.module.events[*index];
      }
      if (decl_.learn) c_.sink.emit<diag::DuplicateClause>(decl_.learn->span, "as or learn");
    } else if (!decl_.learn) {
      missing(c_, out_.span, "extract", out_.name, "as EVENT or learn");
    }
  }

  void sources() {
    constexpr auto kAll = static_cast<model::SourceMask>(0xffff);
    if (out_.kind == ExtractKind::Metric) {
      out_.sources = model::source_bit(model::SourceKind::Metric);
      return;
    }
    const auto words = model::words<model::SourceKind>();
    const auto every = static_cast<model::SourceMask>(kAll >> (16 - words.size()));
    if (decl_.sources.empty()) out_.sources = every;
    for (const dsl::Name& name : decl_.sources) {
      if (name.text == "any") {
        out_.sources = every;
      } else if (const auto kind = find_word_of<model::SourceKind>(c_, "source", name)) {
        out_.sources = static_cast<model::SourceMask>(out_.sources | model::source_bit(*kind));
      }
    }
  }

  // -- Lines.
  void lines(Captures& captures) {
    const bool wanted = out_.kind == ExtractKind::Lines;
    if (wanted && decl_.lines.empty()) missing(c_, out_.span, "extract", out_.name, "line");
    if (!wanted && !decl_.lines.empty()) {
      c_.sink.emit<diag::NotAllowedHere>(decl_.lines.front().span, "`line`",
                                         "an extract from metrics or records");
      return;
    }
    within_limit(c_, out_.span, decl_.lines.size(), kMaxAlternatives, label(), "alternatives");
    for (const dsl::LineClause& clause : decl_.lines) alternative(clause, captures);
    bool first = true;
    for (const std::set<std::uint16_t>& always : always_) {
      if (first) sure_ = always;
      first = false;
      std::erase_if(sure_, [&](std::uint16_t each) { return !always.contains(each); });
    }
  }

  void alternative(const dsl::LineClause& clause, Captures& captures) {
    model::Alternative made;
    made.span = clause.span;
    std::set<std::uint16_t> captured, always;
    within_limit(c_, clause.span, clause.lines.size(), kMaxLinesOfRecord, label(),
                 "lines in one record");
    for (const dsl::LinePattern& pattern : clause.lines) {
      ParsedLine line = parse_line(c_, pattern, captures);
      for (const std::uint16_t each : line.captured) {
        if (!captured.insert(each).second) {
          c_.sink.emit<diag::DuplicateName>(pattern.text.span, "capture", captures.all()[each].name)
              .hint("each line of a record captures other names");
        }
      }
      always.insert(line.always.begin(), line.always.end());
      made.lines.push_back(std::move(line.line));
    }
    window(clause, &made);
    if (made.lines.empty()) return;
    if (clause.slow) {
      made.slow_reason = clause.slow->value;
      if (made.slow_reason.empty()) missing(c_, clause.slow->span, "line", out_.name, "a reason");
    }
    always_.push_back(std::move(always));
    out_.alternatives.push_back(std::move(made));
  }

  void window(const dsl::LineClause& clause, model::Alternative* made) {
    if (clause.lines.size() > 1 && !clause.within_lines) {
      missing(c_, clause.span, "record", out_.name, "within N lines");
    }
    if (!clause.within_lines) return;
    const std::int64_t n = *clause.within_lines;
    const auto nexts = static_cast<std::int64_t>(clause.lines.size()) - 1;
    if (n < std::max<std::int64_t>(nexts, 1)) {
      c_.sink.emit<diag::BadArguments>(clause.span, "within",
                                       "at least as many lines as there are `next`");
      return;
    }
    if (n > static_cast<std::int64_t>(kMaxWithinLines)) {
      within_limit(c_, clause.span, static_cast<std::size_t>(n), kMaxWithinLines, "`within`",
                   "lines");
      return;
    }
    made->within_lines = static_cast<std::uint32_t>(n);
  }

  // The stream's other lines are dropped unread, so that one must be able to stand for them.
  void keep_one(Span clause, const std::string& name) {
    const auto refuse = [&](const std::string& where) -> Diagnostic& {
      return c_.sink.emit<diag::NotAllowedHere>(clause, fmt::format("`{}`", name), where);
    };
    if (out_.kind != ExtractKind::Lines) {
      refuse("an extract from metrics or records");
      return;
    }
    if (decl_.learn) refuse("an extract that learns a relation");
    for (const dsl::LineClause& line : decl_.lines) {
      if (line.lines.size() > 1)
        refuse("an extract with `next` lines").note(line.span, "a record of several lines");
    }
    for (std::uint32_t i = 0; i < out_.captures.size(); ++i) {
      const Capture& capture = out_.captures[i];
      const auto& by = out_.keep_first_by;
      if (std::find(by.begin(), by.end(), i) != by.end()) continue;
      const bool subject = event_ != nullptr && capture.type.kind == ValueKind::Entity &&
                           capture.type.entity == event_->on;
      if (subject || capture.name == "node" || capture.name == "rank")
        refuse("an extract whose lines say whom they are about")
            .hint(by.empty() ? fmt::format("the last line of a stream says nothing about another `{}`", capture.name)
                             : fmt::format("write `{}` behind `by` too", capture.name));
    }
  }

  void keep_last(Span clause) {
    out_.keep_last = true;
    keep_one(clause, "keep last");
  }

  void keep_first(const dsl::KeepFirst& clause) {
    if (decl_.keep_last) c_.sink.emit<diag::DuplicateClause>(clause.span, "keep last or keep first");
    std::vector<std::string> known;
    for (const Capture& each : out_.captures) known.push_back(each.name);
    for (const dsl::Name& name : clause.by) {
      const auto at = std::find(known.begin(), known.end(), name.text);
      if (at == known.end()) {
        if (out_.kind == ExtractKind::Lines) report_unknown(c_, "capture", name, known);
        continue;
      }
      out_.keep_first_by.push_back(static_cast<std::uint32_t>(at - known.begin()));
    }
    keep_one(clause.span, "keep first");
  }

  void compile() {
    std::vector<std::string> names;
    std::vector<model::Type> types;
    for (const Capture& capture : out_.captures) {
      names.push_back(capture.name);
      types.push_back(capture.type);
    }
    for (const model::Alternative& alternative : out_.alternatives) {
      for (const model::LineTemplate& line : alternative.lines) {
        const model::LineMatcher matcher(line, names, types);
        if (!matcher.error().empty()) c_.sink.emit<diag::BadPattern>(line.span, matcher.error());
      }
    }
  }

  // -- The event.
  void event() {
    Emit emit;
    emit.event = true;
    emit.type = *out_.event;
    emit.span = out_.span;
    if (decl_.at) emit.at = r_.entity_for(*decl_.at, {event_->on}, event_->name);
    if (decl_.begin) r_.range(*decl_.begin, &emit.begin_from, &emit.begin_to);
    std::vector<ExprId> values(event_->fields.size());
    std::vector<bool> set(event_->fields.size());
    for (const dsl::SetClause& clause : decl_.sets) set_field(clause, &values, &set);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!set[i]) values[i] = captured(event_->fields[i]);
      if (values[i].valid()) emit.fields.push_back({static_cast<std::uint32_t>(i), values[i]});
    }
    r_.rule.emits.push_back(std::move(emit));
  }

  void set_field(const dsl::SetClause& clause, std::vector<ExprId>* values,
                 std::vector<bool>* set) {
    std::vector<std::string> names;
    for (const model::Field& field : event_->fields) names.push_back(field.name);
    const auto at = std::find(names.begin(), names.end(), clause.field.text);
    if (at == names.end()) {
      Diagnostic& d = c_.sink.emit<diag::UnknownField>(
          clause.field.span, fmt::format("event `{}`", event_->name), clause.field.text);
      d.note(event_->span, "declared here");
      if (const auto near = nearest(clause.field.text, names)) {
        d.hint(fmt::format("did you mean `{}`?", *near));
      }
      return;
    }
    const auto index = static_cast<std::size_t>(at - names.begin());
    if ((*set)[index] || find_capture(clause.field.text)) {
      c_.sink.emit<diag::DuplicateName>(clause.field.span, "value of field", clause.field.text)
          .hint("a field is captured, or given by one `set`");
      return;
    }
    (*set)[index] = true;
    (*values)[index] = r_.assigned(*clause.value, event_->fields[index], event_->name);
  }

  [[nodiscard]] std::optional<std::uint16_t> find_capture(const std::string& name) const {
    return r_.observation->captures->find(name);
  }

  // The value that a field has from the lines; every alternative must give what is not optional.
  ExprId captured(const model::Field& field) {
    const auto capture = find_capture(field.name);
    if (!field.optional && out_.kind != ExtractKind::Lines) {
      c_.sink.emit<diag::MissingField>(decl_.event->span, event_->name, field.name)
          .note(field.span, "declared here, not optional")
          .hint(fmt::format("add `set {} = ...`", field.name));
      return {};
    }
    if (!field.optional) {
      for (std::size_t i = 0; i < always_.size(); ++i) {
        if (capture && always_[i].contains(*capture)) continue;
        c_.sink.emit<diag::FieldNotCaptured>(out_.alternatives[i].lines.front().span, field.name)
            .note(field.span, "declared here")
            .hint("capture it outside optional parts, make it optional (`?`), or give it by `set`");
      }
    }
    if (!capture) return {};
    return r_.read_capture(*capture, decl_.event->span);
  }

  // -- Relations.
  void learn(const dsl::LearnClause& clause) {
    const auto kind = model::parse_learn_kind(clause.kind.text);
    if (!kind) {
      report_unknown(c_, "relation", clause.kind, {"address", "place", "world", "member", "alias"});
      return;
    }
    const bool world = *kind == model::LearnKind::World;
    const bool place = *kind == model::LearnKind::Place;
    const std::size_t least = world ? 1 : 2, most = world ? 1 : place ? 3 : 2;
    if (clause.operands.size() < least || clause.operands.size() > most) {
      c_.sink.emit<diag::BadArguments>(clause.span, clause.kind.text,
                                       place   ? "RANK on NODE [gpu GPU]"
                                       : world ? "one number"
                                               : "two operands");
      return;
    }
    r_.rule.learn = *kind;
    for (std::size_t i = 0; i < clause.operands.size(); ++i) operand(*kind, i, clause.operands[i]);
  }

  void operand(model::LearnKind kind, std::size_t index, const dsl::Name& name) {
    using model::EntityKind;
    using model::LearnKind;
    struct Wanted {
      LearnKind kind;
      std::size_t index;
      ValueKind plain;  // Besides an entity.
      std::vector<EntityKind> kinds;
      const char* text;
    };
    static const std::vector<Wanted> kWanted = {
        {LearnKind::Address, 0, ValueKind::String, {EntityKind::Path}, "an address"},
        {LearnKind::Address, 1, ValueKind::String, {EntityKind::Node}, "a node"},
        {LearnKind::Place, 0, ValueKind::Int, {EntityKind::Rank}, "a rank"},
        {LearnKind::Place, 1, ValueKind::String, {EntityKind::Node}, "a node"},
        {LearnKind::Place, 2, ValueKind::String, {EntityKind::Gpu}, "a GPU"},
        {LearnKind::World, 0, ValueKind::Int, {}, "a number"},
        {LearnKind::Member, 0, ValueKind::Int, {EntityKind::Rank}, "a rank"},
        {LearnKind::Member, 1, ValueKind::String, {EntityKind::Communicator}, "a communicator"},
        {LearnKind::Alias, 0, ValueKind::String, {EntityKind::Node, EntityKind::Gpu}, "a name"},
        {LearnKind::Alias,
         1,
         ValueKind::Entity,
         {EntityKind::Node, EntityKind::Gpu},
         "a Node or Gpu"},
    };
    dsl::Expr e;
    e.span = name.span;
    e.node = dsl::NameExpr{{name}};
    const Typed value = r_.expr(e);
    if (!value.ok()) return;
    const auto row = std::find_if(kWanted.begin(), kWanted.end(), [&](const Wanted& w) {
      return w.kind == kind && w.index == index;
    });
    const bool entity =
        value.type.kind == ValueKind::Entity &&
        std::find(row->kinds.begin(), row->kinds.end(), value.type.entity) != row->kinds.end();
    const bool plain = value.type.kind == row->plain && row->plain != ValueKind::Entity;
    if (!entity && !plain) {
      c_.sink.emit<diag::TypeMismatch>(name.span, describe(value), row->text);
      return;
    }
    r_.rule.learn_operands.push_back(value.id);
  }

  Context& c_;
  const dsl::ExtractDecl& decl_;
  RuleChecker r_;
  Extract out_;
  const model::EventType* event_ = nullptr;
  std::vector<std::set<std::uint16_t>> always_;  // Captures each alternative always has.
  std::set<std::uint16_t> sure_;                 // Those that all of them have.
};

}  // namespace

ExprId RuleChecker::read_capture(std::uint16_t index, Span span) {
  const Capture& capture = observation->captures->all()[index];
  Expr e;
  e.kind = ExprKind::Capture;
  e.span = span;
  e.type = capture.type;
  e.index = index;
  e.text = capture.name;
  return add(std::move(e));
}

void check_extracts(Context& c) {
  for (const auto* declared : by_full_name(c.names.extracts)) {
    ExtractChecker(c, *declared->decl, declared->pack).check();
  }
  choose_literals(c);
}

}  // namespace attrib::compiler
