#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "model/attribute.h"
#include "program/code_shape.h"
#include "program/opcode.h"
#include "program/operand_kinds.h"
#include "program/verify.h"
#include "program/verify_parts.h"

namespace attrib::program {
namespace {

using model::ValueKind;

// What a fact register holds while its loop is open.
struct FactType {
  bool symptom = false;
  std::optional<std::uint32_t> type;  // None: a symptom of any type.
};

// What is wrong, nearly always nothing: a pointer, since a string is slow to make and to drop a
// hundred thousand times.
class What {
 public:
  What() = default;
  What(const char* text) {  // NOLINT(google-explicit-constructor): returned as such.
    if (*text != '\0') text_ = std::make_unique<std::string>(text);
  }
  What(std::string text) {  // NOLINT(google-explicit-constructor)
    if (!text.empty()) text_ = std::make_unique<std::string>(std::move(text));
  }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  [[nodiscard]] const std::string& text() const { return *text_; }

 private:
  std::unique_ptr<std::string> text_;
};

// A set of registers of one rule.
class Registers {
 public:
  void reset(std::size_t registers) {
    words_.assign((registers + 63) / 64, 0);
    last_ = registers - 1;
  }
  bool operator[](std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] std::size_t last() const { return last_; }
  void meet(const Registers& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t last_ = 0;
};

// One walk is enough because jumps only go forward, and because a loop's body only ever adds to
// what is assigned: the second time round it finds more registers assigned than the first.
class RuleCheck {
 public:
  explicit RuleCheck(const Program& program) : program_(program) {
    extract_of_.assign(program.rules.size(), nullptr);
    for (const Extract& extract : program.extracts) extract_of_[extract.rule] = &extract;
    size_of(OperandKind::None) = 1;
    size_of(OperandKind::Imm) = kAnyValue;
    size_of(OperandKind::Target) = kAnyValue;
    size_of(OperandKind::Const) = program.constants.size();
    size_of(OperandKind::EventT) = program.events.size();
    size_of(OperandKind::SymptomT) = program.symptoms.size();
    size_of(OperandKind::TypeSet) = program.type_sets.size() + 1;
    size_of(OperandKind::TableI) = program.tables.size();
    size_of(OperandKind::TextI) = program.texts.size();
  }

  Refusal run(std::size_t rule) {
    rule_ = &program_.rules[rule];
    extract_ = extract_of_[rule];
    code_ =
        std::span(program_.code).subspan(rule_->code_begin, rule_->code_end - rule_->code_begin);
    if (code_.size() > kMaxRuleCode) return whole("too many instructions");
    if (rule_->registers.size() > kMaxRegisters) return whole("too many registers");
    if (rule_->kind != RuleKind::Infer && rule_->stratum != 0)
      return whole("a layer without infer");
    if (rule_->kind == RuleKind::Infer && rule_->stratum >= program_.infer_strata) {
      return whole(fmt::format("layer {} of {}", rule_->stratum, program_.infer_strata));
    }
    if (auto fault = code_shape(code_, &shape_)) return at(fault->at, fault->what);
    reset();
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (kIsRegister.at(i)) sizes_.at(i) = rule_->registers.size();
    }
    size_of(OperandKind::Param) = rule_->params.size();
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      if (jumps_to_[pc] != 0) arrive(pc);
      if (auto what = step(pc); !what.empty()) return at(pc, what.text());
    }
    return std::nullopt;
  }

 private:
  void reset() {
    const std::size_t registers = rule_->registers.size();
    facts_.assign(registers, {});
    contents_.assign(registers, std::nullopt);
    targets_.assign(code_.size(), false);
    for (const std::uint32_t filter : shape_.filters) targets_[code_[filter].d] = true;
    assigned_.reset(registers + 1);  // The last: a `reach` was made.
    jumps_to_.assign(code_.size(), 0);
    free_.clear();
    for (std::uint32_t i = 0; i < waiting_.size(); ++i) free_.push_back(i + 1);
  }

  Refusal whole(std::string_view what) const {
    return Error{fmt::format("rule `{}`: {}", rule_->name, what)};
  }
  Refusal at(std::uint32_t pc, std::string_view what) const {
    const OpcodeInfo* known = find_opcode(static_cast<std::uint8_t>(code_[pc].op));
    return Error{fmt::format("rule `{}`, instruction {:04} (`{}`): {}", rule_->name, pc,
                             known != nullptr ? known->mnemonic : "?", what)};
  }

  // -- Which registers are assigned

  void arrive(std::uint32_t pc) {
    const std::uint32_t slot = jumps_to_[pc];
    Registers& waiting = waiting_[slot - 1];
    // A `next` does not fall through: what its loop assigned is unknown if the loop never ran.
    const bool falls = pc == 0 || code_[pc - 1].op != Opcode::Next;
    if (falls) waiting.meet(assigned_);
    assigned_ = waiting;
    free_.push_back(slot);
  }
  void jump_to(std::uint32_t target) {
    std::uint32_t& slot = jumps_to_[target];
    if (slot != 0) return waiting_[slot - 1].meet(assigned_);
    if (free_.empty()) {
      waiting_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
    }
    slot = free_.back();
    free_.pop_back();
    waiting_[slot - 1] = assigned_;
  }

  // -- Operands

  What reads(std::size_t reg, std::string_view want, bool fits) const {
    if (!fits) {
      return fmt::format("r{} holds kind {}, not {}", reg, model::name(rule_->registers[reg]),
                         want);
    }
    return assigned_[reg] ? "" : fmt::format("r{} is read before it is written", reg);
  }

  std::uint64_t& size_of(OperandKind kind) { return sizes_[static_cast<std::size_t>(kind)]; }

  // What nearly all operands are, told without making a message; operand() decides the others.
  bool plainly_good(OperandKind kind, std::uint32_t value) const {
    const auto which = static_cast<std::size_t>(kind);
    if (value >= sizes_[which]) return false;
    if (!kIsRegister[which]) return true;
    return fits(kind, rule_->registers[value]) && (!kIsRead[which] || assigned_[value]);
  }

  What operand(OperandKind kind, std::uint32_t value) const {
    const auto below = [&](std::size_t size) {
      return value < size ? "" : fmt::format("{} {} of {}", to_text(kind), value, size);
    };
    switch (kind) {
      case OperandKind::None:
        return value == 0 ? "" : fmt::format("unused operand is {}", value);
      case OperandKind::Const:
        return below(program_.constants.size());
      case OperandKind::Param:
        return below(rule_->params.size());
      case OperandKind::EventT:
        return below(program_.events.size());
      case OperandKind::SymptomT:
        return below(program_.symptoms.size());
      case OperandKind::TypeSet:
        return below(program_.type_sets.size() + 1);
      case OperandKind::TableI:
        return below(program_.tables.size());
      case OperandKind::TextI:
        return below(program_.texts.size());
      case OperandKind::Imm:
      case OperandKind::Target:
        return "";
      default:
        break;
    }
    if (value >= rule_->registers.size()) {
      return fmt::format("r{} of {} registers", value, rule_->registers.size());
    }
    const ValueKind held = rule_->registers[value];
    if (is_output(kind) || kind == OperandKind::NewFact) {
      return fits(kind, held)
                 ? ""
                 : fmt::format("r{} holds kind {}, not what this writes", value, model::name(held));
    }
    return reads(value, to_text(kind), fits(kind, held));
  }

  [[nodiscard]] ValueKind kind(std::size_t reg) const { return rule_->registers[reg]; }

  // `count` registers from `first`, of kinds that `want` accepts.
  template <typename Want>
  What run_of(std::size_t first, std::size_t count, const Want& want) const {
    if (first + count > rule_->registers.size()) {
      return fmt::format("r{} of {} registers", first + count - 1, rule_->registers.size());
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!want(i, kind(first + i))) {
        return fmt::format("r{} holds kind {}, which does not fit", first + i,
                           model::name(kind(first + i)));
      }
      if (!assigned_[first + i]) return fmt::format("r{} is read before it is written", first + i);
    }
    return "";
  }

  What writes(const Instruction& in, ValueKind made) const {
    if (kind(in.a) == made) return {};
    return fmt::format("r{} holds kind {}, this makes {}", in.a, model::name(kind(in.a)),
                       model::name(made));
  }

  static What below(std::size_t value, std::size_t size, std::string_view what) {
    return value < size ? What() : What(fmt::format("{} {} of {}", what, value, size));
  }
  static What unless(bool good, const char* what) { return good ? What() : What(what); }

  // -- One instruction

  What step(std::uint32_t pc) {
    const Instruction& in = code_[pc];
    const OpcodeInfo& about = info(in.op);
    if (!allowed(rule_->kind, in)) return fmt::format("not in {} rules", to_text(rule_->kind));
    const bool default_entity = in.op == Opcode::EmitEvent && in.c == 1;
    const OperandKind a = default_entity ? OperandKind::None : about.a;
    if (!plainly_good(a, in.a) || !plainly_good(about.b, in.b) || !plainly_good(about.c, in.c) ||
        !plainly_good(about.d, in.d)) {
      if (auto what = operand(a, in.a); !what.empty()) return what;
      if (auto what = operand(about.b, in.b); !what.empty()) return what;
      if (auto what = operand(about.c, in.c); !what.empty()) return what;
      if (auto what = operand(about.d, in.d); !what.empty()) return what;
    }
    if (in.op != Opcode::Next && in.op != Opcode::Filter) {
      if (auto what = special(pc, in); !what.empty()) return what;
    } else if (in.op == Opcode::Filter) {
      if (in.b == 0 || in.b > 7) return fmt::format("mask {}", in.b);
      jump_to(in.d);
    }
    if (is_open(in.op)) jump_to(in.d);  // What is assigned if there is nothing to bind.
    if (is_output(about.a) || about.a == OperandKind::NewFact) assigned_.add(in.a);
    return "";
  }

  What special(std::uint32_t pc, const Instruction& in) {
    switch (in.op) {
      case Opcode::OpenEvents:
        return bind(in, {false, in.b});
      case Opcode::OpenSymptoms:
        return bind(in, {true, in.b});
      case Opcode::OpenAny:
        return bind(in, {true, std::nullopt});
      case Opcode::OpenKeyed:
        return keyed(pc, in, {true, in.b});
      case Opcode::OpenEventsKeyed:
        return keyed(pc, in, {false, in.b});
      case Opcode::OpenNear:
        return near(pc, in, {true, in.b});
      case Opcode::OpenNearAny:
        return near(pc, in, {true, std::nullopt});
      case Opcode::Reach:
        assigned_.add(assigned_.last());
        return reach(in);
      case Opcode::Seek:
        return unless(pc + 1 < code_.size() && may_be_keyed(code_[pc + 1].op),
                      "no keyed `open` comes next");
      case Opcode::LoadConst: {
        const ValueKind made = program_.constants[in.d].kind;
        return made == ValueKind::Null ? unless(is_scalar(kind(in.a)), "no register for null")
                                       : writes(in, made);
      }
      case Opcode::LoadParam:
        return writes(in, rule_->params[in.d].value.kind);
      case Opcode::LoadField:
        return load_field(in);
      case Opcode::LoadAttr:
        return load_attribute(in);
      case Opcode::Relate:
        return below(in.c, model::relations().size(), "relation");
      case Opcode::MakeSet:
        return below(in.c, model::sets().size(), "set");
      case Opcode::Lookup:
        return lookup(in);
      case Opcode::LoadCell:
        return load_cell(in);
      case Opcode::LoadCapture:
        if (in.c >= extract_->captures.size())
          return below(in.c, extract_->captures.size(), "capture");
        return writes(in, extract_->captures[in.c].type.kind);
      case Opcode::LoadHere:
        return below(in.c, 3, "place");
      case Opcode::LoadMessage:
        return unless(extract_->kind == ExtractKind::Lines, "the extract is not of lines");
      case Opcode::MetricName:
      case Opcode::MetricValue:
      case Opcode::MetricRises:
      case Opcode::MetricLabel:
        return unless(extract_->kind == ExtractKind::Metric, "the extract is not of metrics");
      case Opcode::RecordField:
        return unless(extract_->kind == ExtractKind::Record, "the extract is not of records");
      case Opcode::ReadText:
        return read_text(in);
      case Opcode::MakeColl:
        return unless(kind(in.b) == ValueKind::String || kind(in.b) == ValueKind::Entity,
                      "a communicator is an entity or its name");
      default:
        return special_tests(in);
    }
  }

  // What a word or an entity is takes more than text to tell.
  What read_text(const Instruction& in) {
    if (in.c >= model::reader_count()) return below(in.c, model::reader_count(), "reader");
    const auto reader = static_cast<model::Reader>(in.c);
    if (reader == model::Reader::Choice || reader == model::Reader::Entity)
      return "no reader of text alone";
    return writes(in, model::info(reader).kind);
  }

  What special_tests(const Instruction& in) {
    switch (in.op) {
      case Opcode::Add:
      case Opcode::Sub:
        return unless(adds(kind(in.b), kind(in.c), kind(in.a)), "cannot add these");
      case Opcode::Negate:
        return unless(is_number(kind(in.b)) && kind(in.a) == kind(in.b), "cannot negate this");
      case Opcode::Compare:
        if (in.d > static_cast<std::uint32_t>(model::Compare::GreaterEqual))
          return "no such comparison";
        return unless(comparable(kind(in.b), kind(in.c), static_cast<model::Compare>(in.d)),
                      "cannot compare these");
      case Opcode::InList:
        return in_list(in);
      case Opcode::TextTest:
        return below(in.d, 3, "text test");
      case Opcode::HasTag:
      case Opcode::Solo:
      case Opcode::Bursts:
        return symptom(in.b);
      case Opcode::Tied:
      case Opcode::Related:
        return both_symptoms(in.b, in.c);
      case Opcode::Window:
        if (!assigned_[assigned_.last()]) return "no `reach` came before";
        if (in.d > 31 || (in.d & 3) == 3 || (in.d >> 2 & 3) == 3) return "no such points";
        return both_symptoms(in.b, in.c);
      case Opcode::Covered:
        if (in.d == 0 || in.d >> model::words<model::SourceKind>().size() != 0)
          return "no such sources";
        return run_of(in.c, 2, [](std::size_t, ValueKind k) { return k == ValueKind::Moment; });
      case Opcode::BagAdd:
        return bag_add(in);
      case Opcode::BagLeast:
        if (contents_[in.b] && *contents_[in.b] == static_cast<std::uint32_t>(ValueKind::Entity)) {
          return "entities have no order";
        }
        return bag_value(in);
      case Opcode::BagOdd:
        return bag_value(in);
      default:
        return special_outputs(in);
    }
  }

  What special_outputs(const Instruction& in) {
    switch (in.op) {
      case Opcode::EmitEvent:
        if (in.c > 1) return "c is 0 or 1";
        if (extract_->event != in.b) return "not the extract's event";
        return start(&program_.events[in.b].fields, true);
      case Opcode::EmitSymptom:
        if (in.c != 0) return "unused operand is not zero";
        return start(&program_.symptoms[in.b].fields, false);
      case Opcode::EmitField:
        return emit_field(in);
      case Opcode::EmitMeta:
        if (event_) return "events have no such values";
        if (in.b > 6) return fmt::format("value {} of 7", in.b);
        if (static_cast<int>(in.b) <= last_meta_) return "values are out of order";
        last_meta_ = in.b;
        return "";
      case Opcode::EmitBegin:
        if (begun_) return "it began twice";
        begun_ = true;
        return "";
      case Opcode::EmitDone:
        return emit_done(in);
      case Opcode::Learn:
        return learn(in);
      case Opcode::Edge:
        return both_symptoms(in.a, in.b);
      case Opcode::OutcomeIs:
        return below(in.a, model::words<model::Outcome>().size(), "outcome");
      case Opcode::SayValue:
        return unless(kind(in.a) != ValueKind::Set && kind(in.a) != ValueKind::Row,
                      "no text for this");
      case Opcode::SayFact:
        return symptom(in.a);
      case Opcode::SayDone:
        return below(in.a, 2, "message");
      default:
        return "";
    }
  }

  // -- Facts

  What bind(const Instruction& in, FactType type) {
    if (assigned_[in.a]) return fmt::format("r{} is bound by an outer loop", in.a);
    facts_[in.a] = type;
    return "";
  }

  static bool may_be_keyed(Opcode op) {
    return op == Opcode::OpenKeyed || op == Opcode::OpenEventsKeyed || op == Opcode::OpenNear ||
           op == Opcode::OpenNearAny;
  }

  What reach(const Instruction& in) {
    constexpr std::uint32_t kPoints = 3;
    if (auto what = below(in.c >> 5U, 1, "direction"); !what.empty()) return what;
    if (auto what = below((in.c >> 1U) & 3U, kPoints, "point"); !what.empty()) return what;
    return below((in.c >> 3U) & 3U, kPoints, "point");
  }

  What near(std::uint32_t pc, const Instruction& in, FactType type) {
    if (!assigned_[assigned_.last()]) return "no `reach` came before";
    if (auto what = symptom(in.c); !what.empty()) return what;
    if (pc > 0 && code_[pc - 1].op == Opcode::Seek) return keyed(pc, in, type);
    return bind(in, type);
  }

  What keyed(std::uint32_t pc, const Instruction& in, FactType type) {
    if (pc == 0 || code_[pc - 1].op != Opcode::Seek || targets_[pc]) {
      return "no `seek` comes right before";
    }
    const Instruction& seek = code_[pc - 1];
    std::optional<ValueKind> key;
    if (seek.b == 0) {
      if (!type.type) return "symptoms of any type have no field";
      const auto& fields = fields_of(type);
      if (seek.c >= fields.size()) return below(seek.c, fields.size(), "field");
      key = fields[seek.c].type.kind;
    } else {
      if (seek.b != 1) return fmt::format("key of kind {}", seek.b);
      key = attribute_of(type, seek.c);
      if (!key || *key == ValueKind::Moment) return fmt::format("no key: attribute {}", seek.c);
    }
    if (kind(seek.a) != *key) return "the value sought is not of the key's kind";
    return bind(in, type);
  }

  [[nodiscard]] const std::vector<model::Field>& fields_of(const FactType& type) const {
    return type.symptom ? program_.symptoms[*type.type].fields : program_.events[*type.type].fields;
  }

  static std::optional<ValueKind> attribute_of(const FactType& type, std::size_t attribute) {
    if (attribute >= model::attributes().size()) return std::nullopt;
    const model::AttributeInfo& about = model::attributes()[attribute];
    if (!(type.symptom ? about.of_symptoms : about.of_events)) return std::nullopt;
    return about.kind;
  }

  What symptom(std::size_t reg) const {
    if (facts_[reg].symptom) return {};
    return fmt::format("r{} holds an event, not a symptom", reg);
  }
  What both_symptoms(std::size_t a, std::size_t b) const {
    auto what = symptom(a);
    return what.empty() ? symptom(b) : std::move(what);
  }

  What load_field(const Instruction& in) const {
    const FactType& type = facts_[in.b];
    if (!type.type) return "a symptom of any type has no fields";
    const auto& fields = fields_of(type);
    if (in.c >= fields.size()) return below(in.c, fields.size(), "field");
    return writes(in, fields[in.c].type.kind);
  }

  What load_attribute(const Instruction& in) const {
    const auto made = attribute_of(facts_[in.b], in.c);
    return made ? writes(in, *made) : fmt::format("no attribute {}", in.c);
  }

  // -- Rows, lists, bags

  What lookup(const Instruction& in) {
    const model::Table& table = program_.tables[in.d];
    if (in.c != table.keys.size()) return fmt::format("{} keys of {}", in.c, table.keys.size());
    if (!hold(in.a, in.d)) return fmt::format("r{} holds rows of another table", in.a);
    return run_of(in.b, in.c,
                  [&](std::size_t i, ValueKind k) { return k == table.keys[i].type.kind; });
  }

  What load_cell(const Instruction& in) const {
    const auto& columns = program_.tables[*contents_[in.b]].results;
    if (in.c >= columns.size()) return below(in.c, columns.size(), "column");
    return writes(in, columns[in.c].type.kind);
  }

  What in_list(const Instruction& in) const {
    if (in.c == 0 || in.d + std::uint64_t{in.c} > program_.constants.size()) {
      return fmt::format("{} constants from {} of {}", in.c, in.d, program_.constants.size());
    }
    for (std::uint32_t i = in.d; i < in.d + in.c; ++i) {
      if (!comparable(kind(in.b), program_.constants[i].kind, model::Compare::Equal)) {
        return fmt::format("cannot compare constant {} with it", i);
      }
    }
    return "";
  }

  What bag_add(const Instruction& in) {
    if (!is_scalar(kind(in.b)) && kind(in.b) != ValueKind::Count) return "no value for a bag";
    return unless(hold(in.a, static_cast<std::uint32_t>(kind(in.b))),
                  "the bag holds values of another kind");
  }

  What bag_value(const Instruction& in) const {
    if (!contents_[in.b]) return "nothing was added to the bag";
    return writes(in, static_cast<ValueKind>(*contents_[in.b]));
  }

  // A row register is of one table and a bag of one kind of value all over the rule, so that no
  // path can mix them.
  bool hold(std::size_t reg, std::uint32_t what) {
    if (!contents_[reg]) contents_[reg] = what;
    return *contents_[reg] == what;
  }

  // -- Outputs

  What start(const std::vector<model::Field>* fields, bool event) {
    fields_ = fields;
    event_ = event;
    given_.assign(fields->size(), false);
    last_field_ = -1;
    last_meta_ = -1;
    begun_ = false;
    return "";
  }

  What emit_field(const Instruction& in) {
    if (in.b >= fields_->size()) return below(in.b, fields_->size(), "field");
    if (static_cast<int>(in.b) <= last_field_) return "fields are out of order";
    last_field_ = in.b;
    given_[in.b] = true;
    const ValueKind want = (*fields_)[in.b].type.kind;
    const bool named = event_ && want == ValueKind::Entity && kind(in.a) == ValueKind::String;
    if (kind(in.a) == want || named) return "";
    return fmt::format("field `{}` is of kind {}, r{} holds {}", (*fields_)[in.b].name,
                       model::name(want), in.a, model::name(kind(in.a)));
  }

  What emit_done(const Instruction& in) const {
    for (std::size_t i = 0; i < fields_->size(); ++i) {
      if (!given_[i] && !(*fields_)[i].optional) {
        return fmt::format("field `{}` is not given", (*fields_)[i].name);
      }
    }
    return below(in.a, model::words<model::Band>().size(), "band");
  }

  What learn(const Instruction& in) const {
    constexpr std::array<std::pair<int, int>, 5> kOperands = {
        {{2, 2}, {2, 3}, {1, 1}, {2, 2}, {2, 2}}};
    if (extract_->event) return "the extract makes events";
    if (in.a >= kOperands.size()) return fmt::format("relation {} of {}", in.a, kOperands.size());
    const auto [least, most] = kOperands[in.a];
    if (in.c < least || in.c > most) return fmt::format("{} operands", in.c);
    return run_of(in.b, in.c, [](std::size_t, ValueKind k) {
      return k == ValueKind::Int || k == ValueKind::String || k == ValueKind::Entity;
    });
  }

  static constexpr std::uint64_t kAnyValue = std::uint64_t{1} << 32U;
  using Kinds = std::array<bool, kOperandKinds>;
  static constexpr Kinds kIsRegister = [] {
    Kinds out{};
    for (std::size_t i = 1; i < static_cast<std::size_t>(OperandKind::Imm); ++i) out.at(i) = true;
    return out;
  }();
  static constexpr Kinds kIsRead = [] {
    Kinds out = kIsRegister;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto kind = static_cast<OperandKind>(i);
      if (is_output(kind) || kind == OperandKind::NewFact) out.at(i) = false;
    }
    return out;
  }();

  const Program& program_;
  // How many things an operand of each kind may name.
  std::array<std::uint64_t, kOperandKinds> sizes_{};
  std::vector<const Extract*> extract_of_;  // By rule.
  const Rule* rule_ = nullptr;              // The one being checked, as all that follows.
  std::span<const Instruction> code_;
  const Extract* extract_ = nullptr;
  CodeShape shape_;
  std::vector<bool> targets_;  // Of filters.
  Registers assigned_;
  // What is assigned on every jump to an instruction: its place in waiting_ + 1, or 0.
  std::vector<std::uint32_t> jumps_to_;
  std::vector<Registers> waiting_;
  std::vector<std::uint32_t> free_;  // Places in waiting_ + 1.
  std::vector<FactType> facts_;
  std::vector<std::optional<std::uint32_t>> contents_;
  // The emission being built.
  const std::vector<model::Field>* fields_ = nullptr;
  std::vector<bool> given_;
  bool event_ = false;
  bool begun_ = false;
  int last_field_ = -1;
  int last_meta_ = -1;
};

}  // namespace

Refusal verify_rules(const Program& program) {
  RuleCheck check(program);
  for (std::size_t i = 0; i < program.rules.size(); ++i) {
    if (auto error = check.run(i)) return error;
  }
  return std::nullopt;
}

}  // namespace attrib::program
