// Loads: what registers get from facts, observations, tables and one another.

#include "vm/interpreter.h"

namespace attrib::vm {

using model::Attribute;
using model::Moment;
using model::Nanos;
using model::Truth;
using model::ValueKind;
using program::Instruction;
using program::Opcode;

namespace {
constexpr std::uint64_t kNewEntitySteps = 256;  // Memory is bounded by what it costs.
constexpr std::uint64_t kBytesOfStep = 64;      // Of a text that is read.
constexpr std::size_t kKeptLookups = 65'536;    // Of one table.
}  // namespace

void Interpreter::load(const Instruction& i) {
  switch (i.op) {
    case Opcode::LoadParam:
      set_value(i.a, state_.texts.value(code_->params[i.d].value));
      break;
    case Opcode::Relate:
      set_value(i.a, entity_value(state_.topology.relate(static_cast<model::Relation>(i.c),
                                                         registers_[i.b].value.entity())));
      break;
    case Opcode::Lookup:
      lookup(i);
      break;
    case Opcode::LoadCell:
      load_cell(i);
      break;
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
    case Opcode::ReadText:
      read_text(i);
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
      set_value(i.a, message_of(match_->observation));
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

void Interpreter::make_set(const Instruction& i) {
  registers_[i.a].value = {ValueKind::Set, state_.sets->make(static_cast<model::SetKind>(i.c),
                                                             registers_[i.b].value.entity())};
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
  switch (which) {
    case Attribute::Entity:
      return entity_value(entity);
    // Those of a symptom were found when it was emitted.
    case Attribute::Node:
      return entity_value(of_event ? state_.node_of(entity, event(reg).node)
                                   : occurrence(reg).node);
    case Attribute::Rank: {
      const std::uint32_t rank =
          of_event ? state_.rank_of(entity, event(reg).rank) : occurrence(reg).rank;
      return rank == kNone ? Value{} : entity_value(state_.entities.rank(rank));
    }
    case Attribute::Message:
      if (!of_event || event(reg).observation == kWorkloadObservation) return {};
      return message_of(event(reg).observation);
    default:
      break;
  }
  if (of_event) return {};
  const Occurrence& o = occurrence(reg);
  switch (which) {
    case Attribute::Count:
      return int_value(static_cast<std::int64_t>(o.count));
    case Attribute::Role:
      return {ValueKind::String, state_.role_words.of(o.meta.role, state_.texts)};
    case Attribute::Domain:
      return {ValueKind::String, state_.domain_words.of(o.meta.domain, state_.texts)};
    case Attribute::Severity:
      return {ValueKind::String, state_.severity_words.of(o.meta.severity, state_.texts)};
    case Attribute::Name:
      return {ValueKind::String, state_.symptom_names[o.type]};
    default:
      return {};
  }
}

// Conditions ask for one message again and again, and so do rules over one type of event.
Value Interpreter::message_of(std::uint32_t observation) {
  const auto& observations = state_.evidence.observations;
  if (messages_.empty()) messages_.assign(observations.size(), -1);
  std::int64_t& text = messages_[observation];
  if (text < 0) text = state_.texts.intern(observations[observation].message);
  return {ValueKind::String, text};
}

std::size_t Interpreter::Looked::Hash::operator()(const std::vector<Value>& key) const {
  std::uint64_t hash = key.size();
  for (const Value& v : key) {
    hash = (hash ^ static_cast<std::uint64_t>(v.number)) * 0x9e3779b97f4a7c15U +
           static_cast<std::uint64_t>(v.kind);
    hash ^= hash >> 32U;
  }
  return hash;
}

void Interpreter::lookup(const Instruction& i) {
  if (looked_.empty()) looked_.resize(state_.tables.size());
  Looked& looked = looked_[i.d];
  sought_key_.clear();
  for (std::size_t k = 0; k < i.c; ++k) sought_key_.push_back(registers_[i.b + k].value);
  if (looked.rows.size() >= kKeptLookups) looked.rows.clear();
  const auto [it, fresh] = looked.rows.try_emplace(sought_key_, -1);
  if (fresh) {
    std::vector<model::Constant> keys;
    for (const Value& v : sought_key_) {
      keys.push_back(v.is(ValueKind::String) ? model::text_constant(state_.texts.text(v.number))
                                             : model::Constant{v.kind, v.number, {}});
    }
    if (const auto row = state_.tables[i.d].find(keys)) it->second = *row;
  }
  const std::int64_t row = it->second;
  if (state_.trace != nullptr && row >= 0) {
    state_.trace->rows.push_back({i.d, static_cast<std::uint32_t>(row)});
  }
  registers_[i.a].value = {ValueKind::Row, row};
  registers_[i.a].extra = i.d;
  last_row_ = place_of(i.d, row);
}

// Where a row stands, as a text; of row -1 the default one.
std::int64_t Interpreter::place_of(std::uint32_t table, std::int64_t row) {
  const model::Table& of = state_.program.tables[table];
  std::vector<std::int64_t>& places = looked_[table].places;
  if (places.empty()) places.assign(of.rows.size() + 1, -1);
  const std::size_t at = row < 0 ? of.rows.size() : static_cast<std::size_t>(row);
  if (places[at] < 0) {
    places[at] = state_.texts.intern(row < 0 ? of.default_row.place : of.rows[at].place);
  }
  return places[at];
}

void Interpreter::load_cell(const Instruction& i) {
  const Register& row = registers_[i.b];
  const auto table = static_cast<std::size_t>(row.extra);
  const model::Table& of = state_.program.tables[table];
  const std::size_t columns = of.default_row.results.size();
  std::vector<Value>& cells = looked_[table].cells;
  if (cells.empty()) cells.assign((of.rows.size() + 1) * columns, {ValueKind::Row, 0});
  const bool found = row.value.number >= 0;
  const std::size_t at = found ? static_cast<std::size_t>(row.value.number) : of.rows.size();
  Value& cell = cells[at * columns + i.c];
  if (cell.is(ValueKind::Row)) {  // Which no cell holds.
    cell = state_.texts.value((found ? of.rows[at] : of.default_row).results[i.c]);
  }
  set_value(i.a, cell);
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

void Interpreter::read_text(const Instruction& i) {
  const auto reader = static_cast<model::Reader>(i.c);
  const Value from = registers_[i.b].value;
  if (from.null()) return set_value(i.a, {});
  const std::string_view text = state_.texts.text(from.number);
  charge(text.size() / kBytesOfStep);
  const auto read =
      model::read_strict({model::info(reader).kind, reader, model::EntityKind::Node, {}}, text);
  set_value(i.a, read ? state_.texts.value(*read) : Value{});
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
  const Moment time = moment(a.value.is(ValueKind::Moment) ? i.b : i.c);
  const Register& length = a.value.is(ValueKind::Moment) ? b : a;
  if (!time.known || !length.value.is(ValueKind::Duration)) {
    set_moment(i.a, Moment{});
    return;
  }
  const Nanos by = minus ? model::sub_nanos(0, length.value.number) : length.value.number;
  set_moment(i.a, model::shifted(time, by, by));
}

}  // namespace attrib::vm
