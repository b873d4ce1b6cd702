#include "vm/interpreter.h"

#include <algorithm>

#include "verdict/format.h"

namespace attrib::vm {

using model::Attribute;
using model::Moment;
using model::Nanos;
using model::Truth;
using model::ValueKind;
using program::Instruction;
using program::Opcode;

namespace {
constexpr std::uint64_t kMaxBagMembers = 4'000'000;  // Of one rule, all bags together.
constexpr std::uint64_t kNewEntitySteps = 256;       // Memory is bounded by what it costs.
}  // namespace

void Interpreter::forget_indexes() {
  key_indexes_.clear();
  facts_in_.clear();
  near_indexes_.clear();
  contradicting_.reset();
  decoded_on_.clear();
  decoded_on_made_ = false;
}

void Interpreter::run(std::uint32_t rule) {
  match_ = nullptr;
  observation_ = nullptr;
  if (state_.program.rules[rule].kind != program::RuleKind::Demote) {
    execute(rule);
    return;
  }
  effect_registers_.clear();
  cause_registers_.clear();
  const program::Rule& r = state_.program.rules[rule];
  for (std::uint32_t pc = r.code_begin; pc < r.code_end; ++pc) {
    const Instruction& i = state_.program.code[pc];
    if (i.op != Opcode::Edge) continue;
    cause_registers_.insert(i.a);
    effect_registers_.insert(i.b);
  }
  state_.edges.begin_rule();
  execute(rule);
  state_.edges.end_rule();
  state_.stats[rule].made += state_.edges.made();
  effect_registers_.clear();
  cause_registers_.clear();
}

void Interpreter::execute(std::uint32_t rule) {
  rule_ = rule;
  code_ = &state_.program.rules[rule];
  registers_.assign(code_->registers.size(), {});
  bags_.resize(std::max(bags_.size(), registers_.size()));
  prefilters_.clear();
  live_bags_.clear();
  loops_.clear();
  absences_.clear();
  message_.clear();
  last_row_ = -1;
  stopped_ = false;
  made_ = 0;
  bag_members_ = 0;
  RuleStats& stats = state_.stats[rule];
  // An extract's rule runs once a match: its budget is for all of them.
  const std::uint64_t own =
      state_.budget.rule_steps > stats.steps ? state_.budget.rule_steps - stats.steps : 0;
  const std::uint64_t granted = std::min(own, state_.steps_left);
  fuel_ = granted;
  fuel_is_total_ = state_.steps_left < own;
  const std::uint32_t size = code_->code_end - code_->code_begin;
  const Instruction* code = state_.program.code.data() + code_->code_begin;
  for (std::uint32_t pc = 0; pc < size && !stopped_;) {
    if (!charge(1)) break;
    pc = step(code[pc], pc);
  }
  stats.steps += granted - fuel_;
  state_.steps_left -= granted - fuel_;
  if (code_->kind != program::RuleKind::Demote) stats.made += made_;
  loops_.clear();
}

bool Interpreter::charge(std::uint64_t steps) {
  if (steps <= fuel_) {
    fuel_ -= steps;
    return true;
  }
  out_of_fuel();
  return false;
}

void Interpreter::out_of_fuel() {
  fuel_ = 0;
  stopped_ = true;
  if (!fuel_is_total_) {
    stop("loop steps", state_.budget.rule_steps);
  } else if (!state_.total_reported) {
    state_.total_reported = true;
    state_.incomplete.push_back({"total", "loop steps", state_.budget.total_steps});
  }
}

// Forgets the absences found and the bags filled inside loops of that depth or more.
void Interpreter::forget_deeper(std::size_t depth) {
  while (!absences_.empty() && absences_.back().depth >= depth) absences_.pop_back();
  while (!live_bags_.empty() && live_bags_.back().first >= depth) live_bags_.pop_back();
}

// Ends the rule and says why, once a rule and factor.
void Interpreter::stop(const std::string& factor, std::uint64_t limit) {
  stopped_ = true;
  for (const verdict::Incomplete& known : state_.incomplete) {
    if (known.rule == code_->name && known.factor == factor) return;
  }
  state_.incomplete.push_back({code_->name, factor, limit});
}

std::uint32_t Interpreter::step(const Instruction& i, std::uint32_t pc) {
  switch (i.op) {
    case Opcode::OpenEvents:
    case Opcode::OpenSymptoms:
    case Opcode::OpenAny:
    case Opcode::OpenKeyed:
    case Opcode::OpenEventsKeyed:
    case Opcode::OpenNear:
    case Opcode::OpenNearAny:
    case Opcode::OpenMembers:
      return open(i, pc);
    case Opcode::Next:
      return next(pc);
    case Opcode::Reach:
      set_reach(i);
      break;
    case Opcode::Seek:
      sought_ = {registers_[i.a].value, i.b == 1, i.c};
      break;
    case Opcode::Filter: {
      const unsigned bit = 1U << static_cast<unsigned>(truth(i.a));
      if ((i.b & bit) != 0) break;
      while (!loops_.empty() && loops_.back().exit <= i.d) loops_.pop_back();
      forget_deeper(loops_.size() + 1);
      return i.d;
    }
    case Opcode::Halt:
      return code_->code_end - code_->code_begin;
    case Opcode::BagNew:
      bags_[i.a].clear();
      std::erase_if(live_bags_, [&](const auto& bag) { return bag.second == i.a; });
      live_bags_.emplace_back(loops_.size(), i.a);
      registers_[i.a].value = {ValueKind::Bag, i.a};
      break;
    case Opcode::BagAdd:
    case Opcode::BagCount:
    case Opcode::BagDistinct:
    case Opcode::BagLeast:
    case Opcode::BagOdd:
    case Opcode::BagOver:
    case Opcode::Absent:
    case Opcode::Bursts:
      aggregate(i);
      break;
    case Opcode::EmitEvent:
    case Opcode::EmitSymptom:
      start_emission(i);
      break;
    case Opcode::EmitField:
      emit_field(i);
      break;
    case Opcode::EmitMeta:
      emit_meta(i);
      break;
    case Opcode::EmitBegin:
      draft_.begin = moment(i.a);
      break;
    case Opcode::EmitDone:
      emit_done(i);
      break;
    case Opcode::Learn:
      learn(i);
      break;
    case Opcode::Edge:
      return edge(i, pc);
    case Opcode::OutcomeIs:
      outcome(i);
      break;
    case Opcode::SayText:
    case Opcode::SayValue:
    case Opcode::SayFact:
      say(i);
      break;
    case Opcode::SayDone:
      return say_done(i, pc);
    default:
      if (static_cast<int>(i.op) < static_cast<int>(Opcode::Compare)) {
        load(i);
      } else {
        test(i);
      }
  }
  return pc + 1;
}

void Interpreter::load(const Instruction& i) {
  switch (i.op) {
    case Opcode::LoadConst:
      set_value(i.a, state_.constants[i.d]);
      break;
    case Opcode::LoadParam:
      set_value(i.a, state_.texts.value(code_->params[i.d].value));
      break;
    case Opcode::LoadField:
      load_field(i);
      break;
    case Opcode::LoadAttr:
      load_attribute(i);
      break;
    case Opcode::Relate:
      set_value(i.a, entity_value(state_.topology.relate(static_cast<model::Relation>(i.c),
                                                         registers_[i.b].value.entity())));
      break;
    case Opcode::MakeSet:
      registers_[i.a].value = {ValueKind::Set, state_.sets->make(static_cast<model::SetKind>(i.c),
                                                                 registers_[i.b].value.entity())};
      break;
    case Opcode::Lookup:
      lookup(i);
      break;
    case Opcode::LoadCell: {
      const Register& row = registers_[i.b];
      const model::Table& table = state_.program.tables[static_cast<std::size_t>(row.extra)];
      const model::TableRow& found = row.value.number < 0
                                         ? table.default_row
                                         : table.rows[static_cast<std::size_t>(row.value.number)];
      set_value(i.a, state_.texts.value(found.results[i.c]));
      break;
    }
    case Opcode::LoadCapture:
      set_value(i.a, capture_value(state_, state_.program.extracts[match_->extract].captures[i.c],
                                   match_->captures[i.c], here_node_, observation_->stream));
      break;
    case Opcode::LoadSeen:
      set_moment(i.a, observation_->seen);
      break;
    case Opcode::LoadHere:
      set_value(i.a, entity_value(i.c == 0              ? here_node_
                                  : i.c == 2            ? state_.entities.attempt()
                                  : here_rank_ == kNone ? EntityId::None
                                                        : state_.entities.rank(here_rank_)));
      break;
    case Opcode::MakeComm: {
      const Value name = registers_[i.b].value;
      set_value(i.a, name.null() ? Value{}
                                 : entity_value(state_.entities.from_text(
                                       model::EntityKind::Communicator,
                                       state_.texts.text(name.number), EntityId::None, 0)));
      break;
    }
    case Opcode::MakeColl:
      make_collective(i);
      break;
    case Opcode::Add:
    case Opcode::Sub:
      arithmetic(i);
      break;
    case Opcode::Negate:
      set_value(i.a, negate(registers_[i.b].value));
      break;
    case Opcode::Hull: {
      const Moment a = moment(i.b);
      const Moment b = moment(i.c);
      set_moment(i.a, a.known && b.known ? model::hull(a, b) : Moment{});
      break;
    }
    default:
      load_sample(i);
  }
}

void Interpreter::load_sample(const Instruction& i) {
  const evidence::Observation& o = *observation_;
  const auto find = [&](const std::map<std::string, std::string>& map) {
    const auto it = map.find(state_.program.texts[i.d]);
    return it == map.end() ? Value{} : state_.texts.value(it->second);
  };
  switch (i.op) {
    case Opcode::LoadMessage:
      set_value(i.a, state_.texts.value(o.message));
      break;
    case Opcode::MetricName:
      set_value(i.a, state_.texts.value(o.name));
      break;
    case Opcode::MetricValue:
      set_value(i.a, {ValueKind::Decimal, o.value});
      break;
    case Opcode::MetricRises:
      set_truth(i.a, o.previous_value ? model::truth(o.value > *o.previous_value) : Truth::Unknown);
      break;
    case Opcode::MetricLabel:
      set_value(i.a, find(o.labels));
      break;
    case Opcode::RecordField:
      set_value(i.a, find(o.record));
      break;
    default:
      break;
  }
}

void Interpreter::test(const Instruction& i) {
  switch (i.op) {
    case Opcode::Compare:
      compare_registers(i);
      break;
    case Opcode::InList:
      in_list(i);
      break;
    case Opcode::InSet:
      set_truth(i.a, state_.sets->contains(static_cast<std::uint32_t>(registers_[i.c].value.number),
                                           registers_[i.b].value.entity()));
      break;
    case Opcode::Has:
      set_truth(i.a, model::truth(!registers_[i.b].value.null()));
      break;
    case Opcode::HasTag: {
      const auto& tags = state_.program.symptoms[occurrence(i.b).type].tags;
      set_truth(i.a, model::truth(std::find(tags.begin(), tags.end(), state_.program.texts[i.d]) !=
                                  tags.end()));
      break;
    }
    case Opcode::TextTest: {
      const Value a = registers_[i.b].value;
      const Value b = registers_[i.c].value;
      set_truth(i.a, a.null() || b.null()
                         ? Truth::Unknown
                         : text_test(static_cast<model::TextTest>(i.d), state_.texts.text(a.number),
                                     state_.texts.text(b.number)));
      break;
    }
    case Opcode::Not:
      set_truth(i.a, !truth(i.b));
      break;
    case Opcode::And:
      set_truth(i.a, truth(i.b) & truth(i.c));
      break;
    case Opcode::Or:
      set_truth(i.a, truth(i.b) | truth(i.c));
      break;
    case Opcode::Window:
      window(i);
      break;
    case Opcode::NotBefore:
      set_truth(i.a, !model::before(moment(i.b), moment(i.c)));
      break;
    case Opcode::Covered:
      covered(i);
      break;
    case Opcode::Solo:
      solo(i);
      break;
    case Opcode::Tied: {
      const auto& of = state_.candidate_of;
      const std::uint32_t a = of.empty() ? kNone : of[fact(i.b)];
      const std::uint32_t b = of.empty() ? kNone : of[fact(i.c)];
      set_truth(i.a, model::truth(a != kNone && b != kNone && a != b));
      break;
    }
    case Opcode::Related:
      related(i);
      break;
    default:
      break;
  }
}

void Interpreter::aggregate(const Instruction& i) {
  switch (i.op) {
    case Opcode::BagAdd:
      bag_add(i);
      break;
    case Opcode::BagCount:
    case Opcode::BagDistinct: {
      const Count n = i.op == Opcode::BagCount ? bags_[i.b].count() : bags_[i.b].distinct();
      registers_[i.a].value = {ValueKind::Count, n.lo};
      registers_[i.a].extra = n.hi;
      break;
    }
    case Opcode::BagLeast:
      set_value(i.a, bags_[i.b].least(*state_.sets, state_.entities, state_.texts));
      break;
    case Opcode::BagOdd:
      set_value(i.a, bags_[i.b].odd(*state_.sets, state_.entities));
      break;
    case Opcode::BagOver:
      bags_[i.a].over(static_cast<std::uint32_t>(registers_[i.b].value.number));
      break;
    case Opcode::Absent:
      absent(i);
      break;
    case Opcode::Bursts:
      bursts(i);
      break;
    default:
      break;
  }
}

Moment Interpreter::moment(std::uint16_t reg) const {
  const Register& r = registers_[reg];
  return r.value.is(ValueKind::Moment) ? r.moment : Moment{};
}

Count Interpreter::count(std::uint16_t reg) const {
  const Register& r = registers_[reg];
  return {r.value.number, r.value.is(ValueKind::Count) ? r.extra : r.value.number};
}

void Interpreter::set_moment(std::uint16_t reg, const Moment& m) {
  registers_[reg].value = {ValueKind::Moment, 0};
  registers_[reg].moment = m;
}

void Interpreter::set_fact(std::uint16_t reg, std::uint32_t index, bool event) {
  registers_[reg].value = {ValueKind::Fact, index};
  registers_[reg].extra = event ? 1 : 0;
}

void Interpreter::load_field(const Instruction& i) {
  const auto& fields = is_event(i.b) ? event(i.b).fields : occurrence(i.b).fields;
  set_value(i.a, fields[i.c]);
}

void Interpreter::load_attribute(const Instruction& i) {
  const auto which = static_cast<Attribute>(i.c);
  const bool of_event = is_event(i.b);
  switch (which) {
    case Attribute::Seen:
      set_moment(i.a, of_event ? event(i.b).seen : occurrence(i.b).seen);
      break;
    case Attribute::Begin:
      set_moment(i.a, of_event ? event(i.b).begin : occurrence(i.b).begin);
      break;
    case Attribute::Last:
      set_moment(i.a, of_event ? event(i.b).begin : occurrence(i.b).last);
      break;
    default:
      set_value(i.a, attribute(i.b, which));
  }
}

// Attributes that are not times.
Value Interpreter::attribute(std::uint16_t reg, Attribute which) {
  const bool of_event = is_event(reg);
  const EntityId entity = of_event ? event(reg).entity : occurrence(reg).entity;
  const auto word = [&](std::string_view text) { return state_.texts.value(text); };
  switch (which) {
    case Attribute::Entity:
      return entity_value(entity);
    case Attribute::Node:
      return entity_value(
          state_.node_of(entity, of_event ? event(reg).node : occurrence(reg).node));
    case Attribute::Rank: {
      const std::uint32_t rank =
          state_.rank_of(entity, of_event ? event(reg).rank : occurrence(reg).rank);
      return rank == kNone ? Value{} : entity_value(state_.entities.rank(rank));
    }
    case Attribute::Message:
      if (!of_event || event(reg).observation == kWorkloadObservation) return {};
      return word(state_.evidence.observations[event(reg).observation].message);
    default:
      break;
  }
  if (of_event) return {};
  const Occurrence& o = occurrence(reg);
  switch (which) {
    case Attribute::Count:
      return int_value(static_cast<std::int64_t>(o.count));
    case Attribute::Role:
      return word(model::word(o.meta.role));
    case Attribute::Domain:
      return word(model::word(o.meta.domain));
    case Attribute::Severity:
      return word(model::word(o.meta.severity));
    case Attribute::Name:
      return word(state_.program.symptoms[o.type].name);
    default:
      return {};
  }
}

void Interpreter::lookup(const Instruction& i) {
  std::vector<model::Constant> keys;
  for (std::size_t k = 0; k < i.c; ++k) {
    const Value& v = registers_[i.b + k].value;
    keys.push_back(v.is(ValueKind::String) ? model::text_constant(state_.texts.text(v.number))
                                           : model::Constant{v.kind, v.number, {}});
  }
  const auto row = state_.tables[i.d].find(keys);
  registers_[i.a].value = {ValueKind::Row, row ? std::int64_t{*row} : -1};
  registers_[i.a].extra = i.d;
  const model::Table& table = state_.program.tables[i.d];
  last_row_ = state_.texts.intern(row ? table.rows[*row].place : table.default_row.place);
}

void Interpreter::make_collective(const Instruction& i) {
  const Value comm = registers_[i.b].value;
  const Value number = registers_[i.c].value;
  EntityId id = comm.entity();
  const std::size_t before = state_.entities.size();
  if (comm.is(ValueKind::String)) {
    id = state_.entities.from_text(model::EntityKind::Communicator, state_.texts.text(comm.number),
                                   EntityId::None, 0);
  }
  const bool made = id != EntityId::None && number.is(ValueKind::Int);
  set_value(i.a, made ? entity_value(state_.entities.collective(id, number.number)) : Value{});
  if (state_.entities.size() != before) charge(kNewEntitySteps);
}

void Interpreter::arithmetic(const Instruction& i) {
  const Register& a = registers_[i.b];
  const Register& b = registers_[i.c];
  const bool minus = i.op == Opcode::Sub;
  const bool times = a.value.is(ValueKind::Moment) || b.value.is(ValueKind::Moment);
  if (!times) {
    set_value(i.a, minus ? subtract(a.value, b.value) : add(a.value, b.value));
    return;
  }
  const Register& time = a.value.is(ValueKind::Moment) ? a : b;
  const Register& length = a.value.is(ValueKind::Moment) ? b : a;
  if (!time.moment.known || !length.value.is(ValueKind::Duration)) {
    set_moment(i.a, Moment{});
    return;
  }
  const Nanos by = minus ? model::sub_nanos(0, length.value.number) : length.value.number;
  set_moment(i.a, model::shifted(time.moment, by, by));
}

void Interpreter::compare_registers(const Instruction& i) {
  const auto op = static_cast<model::Compare>(i.d);
  const Value& a = registers_[i.b].value;
  const Value& b = registers_[i.c].value;
  if (!a.is(ValueKind::Count) && !b.is(ValueKind::Count)) {
    set_truth(i.a, compare(op, a, b, state_.entities, state_.texts));
    return;
  }
  const bool numbers = (a.is(ValueKind::Count) || a.is(ValueKind::Int)) &&
                       (b.is(ValueKind::Count) || b.is(ValueKind::Int));
  set_truth(i.a, numbers ? compare(op, count(i.b), count(i.c)) : Truth::Unknown);
}

void Interpreter::in_list(const Instruction& i) {
  Truth found = Truth::No;
  for (std::uint32_t k = 0; k < i.c; ++k) {
    found = found | compare(model::Compare::Equal, registers_[i.b].value, state_.constants[i.d + k],
                            state_.entities, state_.texts);
  }
  charge(i.c / 8);
  set_truth(i.a, found);
}

const Moment& Interpreter::point(std::uint16_t reg, std::uint32_t which) const {
  const Occurrence& o = occurrence(reg);
  return which == 0 ? o.begin : which == 1 ? o.seen : o.last;
}

// The cause may repeat; any repeat of it may open the window.
void Interpreter::window(const Instruction& i) {
  const Moment& p = point(i.b, i.d & 3U);
  const Moment& q = point(i.c, (i.d >> 2U) & 3U);
  const bool ends_at_cause = (i.d & 16U) != 0;
  margin_ = {};
  if (p.known && q.known) {
    margin_ = model::difference(p, q);
    if (ends_at_cause) margin_ = {-margin_.hi, -margin_.lo};
  }
  if (!reach_.low || !reach_.high) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  const Nanos repeats = repeats_of(occurrence(ends_at_cause ? i.c : i.b));
  const Nanos low = ends_at_cause ? model::sub_nanos(*reach_.low, repeats) : *reach_.low;
  const Nanos high = ends_at_cause ? *reach_.high : model::add_nanos(*reach_.high, repeats);
  set_truth(i.a, model::within(p, q, low, high));
}

void Interpreter::covered(const Instruction& i) {
  const EntityId of = registers_[i.b].value.entity();
  const Moment from = moment(i.c);
  const Moment to = moment(static_cast<std::uint16_t>(i.c + 1));
  coverage_known_ = false;
  if (!state_.entities.known(of) || !from.known || !to.known) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  const EntityId node = state_.topology.node_of(of);
  const bool covers =
      evidence::covers(state_.evidence, static_cast<model::SourceMask>(i.d),
                       node == EntityId::None ? std::string() : state_.entities[node].key,
                       state_.entities.rank_number(of), from.lo, to.hi);
  charge(state_.evidence.sources.size() / 4);
  last_coverage_ = {0, of, from.lo, to.hi, covers};
  coverage_known_ = true;
  set_truth(i.a, model::truth(covers));
}

void Interpreter::absent(const Instruction& i) {
  set_truth(i.a, bags_[i.b].absent(truth(i.c)));
  if (!coverage_known_) return;
  Absence seen = last_coverage_;
  seen.type = scanned_type_;
  absences_.push_back({loops_.size(), seen});
  coverage_known_ = false;
}

void Interpreter::solo(const Instruction& i) {
  const Value length = registers_[i.c].value;
  const Occurrence& o = occurrence(i.b);
  if (!state_.entities.known(o.entity) || !length.is(ValueKind::Duration)) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  if (!decoded_on_made_) {
    decoded_on_made_ = true;
    for (const std::uint32_t k : state_.facts.all) {
      const Occurrence& other = state_.facts.occurrences[k];
      if (other.from_decode && other.meta.role != model::Role::Note) {
        decoded_on_[other.entity].push_back(k);
      }
    }
  }
  Truth other = Truth::No;
  for (const std::uint32_t k : decoded_on_[o.entity]) {
    if (other == Truth::Yes || !charge(1)) break;
    if (k == fact(i.b)) continue;
    other = other | model::within(o.begin, state_.facts.occurrences[k].begin,
                                  model::sub_nanos(0, length.number), length.number);
  }
  set_truth(i.a, !other);
}

void Interpreter::bursts(const Instruction& i) {
  const Value length = registers_[i.c].value;
  const Occurrence& o = occurrence(i.b);
  if (!length.is(ValueKind::Duration)) {
    set_value(i.a, {});
    return;
  }
  const auto& key = state_.program.symptoms[o.type].key;
  std::int64_t n = 0;
  const auto& index = key_index(false, o.type, true, static_cast<std::uint32_t>(Attribute::Entity));
  const auto same_entity = index.equal.find(entity_value(o.entity));
  const auto& list = same_entity == index.equal.end() ? index.maybe : same_entity->second;
  for (const std::uint32_t k : list) {
    if (!charge(1)) break;
    const Occurrence& other = state_.facts.occurrences[k];
    const bool same = other.entity == o.entity &&
                      std::all_of(key.begin(), key.end(),
                                  [&](std::uint16_t f) { return other.fields[f] == o.fields[f]; });
    if (!same) continue;
    const bool near =
        k == fact(i.b) || model::within(o.begin, other.begin, model::sub_nanos(0, length.number),
                                        length.number) != Truth::No;
    if (near) ++n;
  }
  set_value(i.a, int_value(n));
}

// The same, or one is the other's node, GPU, switch or communicator.
void Interpreter::related(const Instruction& i) {
  const EntityId a = occurrence(i.b).entity;
  const EntityId b = occurrence(i.c).entity;
  EntityTable& entities = state_.entities;
  if (!entities.known(a) || !entities.known(b)) {
    set_truth(i.a, Truth::Unknown);
    return;
  }
  const auto inside = [&](EntityId part, EntityId whole) {
    return part == whole || state_.topology.node_of(part) == whole ||
           entities.gpu_of_link(part) == whole || entities.switch_of(part) == whole ||
           entities.communicator_of(part) == whole;
  };
  set_truth(i.a, model::truth(inside(a, b) || inside(b, a)));
}

void Interpreter::bag_add(const Instruction& i) {
  const Truth t = truth(i.c);
  if (t == Truth::No || registers_[i.b].value.is(ValueKind::Moment)) return;
  if (++bag_members_ > kMaxBagMembers) {
    stop("facts collected", kMaxBagMembers);
    return;
  }
  const auto from = static_cast<std::uint16_t>(i.d);
  BagMember member;
  member.value = registers_[i.b].value;
  member.certain = t == Truth::Yes;
  member.event = is_event(from);
  member.fact = fact(from);
  member.rank = attribute(from, Attribute::Rank).entity();
  bags_[i.a].add(member);
}

}  // namespace attrib::vm
