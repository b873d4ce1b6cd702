// Outputs: events, learned facts, symptoms, edges, endings and messages.

#include <algorithm>

#include "verdict/format.h"
#include "vm/interpreter.h"

namespace attrib::vm {

using model::EntityKind;
using model::LearnKind;
using model::Truth;
using model::ValueKind;
using program::Instruction;
using program::Opcode;
using program::RuleKind;

Value capture_value(State& state, const program::Capture& capture,
                    const std::optional<model::Constant>& text, EntityId node,
                    std::uint32_t stream) {
  if (!text || text->kind == ValueKind::Null) return {};
  if (capture.type.kind != ValueKind::Entity) return state.texts.value(*text);
  return entity_value(state.entities.from_text(capture.type.entity, text->text, node, stream));
}

namespace {

template <typename T>
void set_word(const std::string& text, T* out) {
  if (const auto word = model::parse_word<T>(text)) *out = *word;
}

}  // namespace

bool Interpreter::run_extract(const Match& match) {
  const program::Extract& extract = state_.program.extracts[match.extract];
  match_ = &match;
  observation_ = &state_.evidence.observations[match.observation];
  here_node_ = node_of_stream(*observation_);
  here_rank_ = observation_->rank.value_or(kNone);
  for (const std::uint32_t c : placing_captures(match.extract)) {
    const program::Capture& capture = extract.captures[c];
    const auto& text = match.captures[c];
    if (!text || text->kind == ValueKind::Null) continue;
    const Value v = capture_value(state_, capture, text, EntityId::None, observation_->stream);
    if (capture.name == "node") {
      here_node_ = v.is(ValueKind::String) ? state_.entities.node(text->text) : v.entity();
    } else if (v.is(ValueKind::Int)) {
      here_rank_ = v.number >= 0 && v.number < kNone ? static_cast<std::uint32_t>(v.number) : kNone;
    } else {
      here_rank_ = state_.entities.rank_number(v.entity()).value_or(kNone);
    }
  }
  execute(extract.rule);
  return made_ > 0;
}

// All observations of a stream are of one node.
EntityId Interpreter::node_of_stream(const evidence::Observation& o) {
  if (o.stream >= stream_nodes_.size()) stream_nodes_.resize(std::size_t{o.stream} + 1);
  std::optional<EntityId>& node = stream_nodes_[o.stream];
  if (!node) node = state_.entities.node(o.node);
  return *node;
}

// Those that say where the line is from.
const std::vector<std::uint32_t>& Interpreter::placing_captures(std::uint32_t extract) {
  if (placing_.empty()) placing_.resize(state_.program.extracts.size());
  auto& found = placing_[extract];
  if (found) return *found;
  found.emplace();
  const auto& captures = state_.program.extracts[extract].captures;
  for (std::uint32_t c = 0; c < captures.size(); ++c) {
    if (captures[c].name == "node" || captures[c].name == "rank") found->push_back(c);
  }
  return *found;
}

void Interpreter::start_emission(const Instruction& i) {
  std::vector<Value> fields = std::move(draft_.fields);  // Keeps its memory.
  fields.clear();
  draft_ = {};
  draft_.fields = std::move(fields);
  draft_.event = i.op == Opcode::EmitEvent;
  draft_.own_entity = draft_.event && i.c == 1;
  draft_.type = i.b;
  if (!draft_.own_entity) draft_.entity = registers_[i.a].value.entity();
  if (draft_.event) {
    draft_.fields.resize(state_.program.events[i.b].fields.size());
  } else {
    const model::SymptomType& type = state_.program.symptoms[i.b];
    draft_.fields.resize(type.fields.size());
    draft_.meta = meta_of(i.b);
    draft_.blame = type.blame;
  }
}

const Meta& Interpreter::meta_of(std::uint32_t which) {
  if (metas_.empty()) metas_.resize(state_.program.symptoms.size());
  std::optional<Meta>& found = metas_[which];
  if (found) return *found;
  const model::SymptomType& type = state_.program.symptoms[which];
  Meta& meta = found.emplace();
  meta.role = type.role;
  meta.domain = type.domain;
  meta.severity = type.severity;
  meta.retry = type.retry;
  meta.action = state_.texts.intern(type.action);
  meta.title = state_.texts.intern(type.title.empty() ? type.name : type.title);
  return meta;
}

void Interpreter::emit_field(const Instruction& i) {
  Value v = registers_[i.a].value;
  if (draft_.event) v = entity_field(state_.program.events[draft_.type].fields[i.b].type, v);
  draft_.fields[i.b] = v;
}

Value Interpreter::entity_field(const model::Type& type, const Value& value) {
  if (type.kind != ValueKind::Entity || !value.is(ValueKind::String)) return value;
  return entity_value(state_.entities.from_text(type.entity, state_.texts.text(value.number),
                                                here_node_, observation_->stream));
}

void Interpreter::emit_meta(const Instruction& i) {
  const Value v = registers_[i.a].value;
  if (!v.is(ValueKind::String)) return;
  const std::string& text = state_.texts.text(v.number);
  switch (i.b) {
    case 0:
      set_word(text, &draft_.meta.role);
      break;
    case 1:
      set_word(text, &draft_.meta.domain);
      break;
    case 2:
      draft_.meta.action = v.number;
      break;
    case 3:
      set_word(text, &draft_.meta.retry);
      break;
    case 4:
      if (const auto blame = model::parse_word<model::Blame>(text)) draft_.blame = *blame;
      break;
    case 5:
      set_word(text, &draft_.meta.severity);
      break;
    case 6:
      draft_.meta.title = v.number;
      break;
    default:
      break;
  }
}

void Interpreter::emit_done(const Instruction& i) {
  if (draft_.event) {
    file_event();
  } else {
    file_symptom(static_cast<model::Band>(i.a));
  }
}

// The first capture or field of the kind that has a value; else what the observation says.
EntityId Interpreter::default_entity() {
  const model::EventType& type = state_.program.events[draft_.type];
  const program::Extract& extract = state_.program.extracts[match_->extract];
  for (std::size_t c = 0; c < extract.captures.size(); ++c) {
    const program::Capture& capture = extract.captures[c];
    if (capture.type.kind != ValueKind::Entity || capture.type.entity != type.on) continue;
    const Value v =
        capture_value(state_, capture, match_->captures[c], here_node_, observation_->stream);
    if (!v.null()) return v.entity();
  }
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const model::Type& field = type.fields[f].type;
    if (field.kind != ValueKind::Entity || field.entity != type.on) continue;
    if (!draft_.fields[f].null()) return draft_.fields[f].entity();
  }
  switch (type.on) {
    case EntityKind::Node:
      return here_node_;
    case EntityKind::Rank:
      return here_rank_ == kNone ? EntityId::None : state_.entities.rank(here_rank_);
    case EntityKind::Attempt:
    case EntityKind::Job:
      return state_.entities.intern(type.on, "");
    default:
      return EntityId::None;
  }
}

void Interpreter::file_event() {
  if (state_.facts.events.size() >= state_.budget.events) {
    stop("events", state_.budget.events);
    return;
  }
  const program::Extract& extract = state_.program.extracts[match_->extract];
  Event e;
  e.type = draft_.type;
  e.observation = match_->observation;
  e.extract = match_->extract;
  e.stream = observation_->stream;
  e.entity = draft_.own_entity ? default_entity() : draft_.entity;
  if (e.entity == EntityId::None) {
    e.entity = state_.entities.unknown(state_.program.events[e.type].on, e.stream);
  }
  e.node = here_node_;
  e.rank = here_rank_;
  e.family = extract.family.value_or(model::default_family(observation_->source));
  e.seen = observation_->seen;
  e.begin = draft_.begin.value_or(e.seen);
  auto& values = state_.facts.event_values;
  e.fields = static_cast<std::uint32_t>(values.size());
  values.insert(values.end(), draft_.fields.begin(), draft_.fields.end());
  state_.facts.events.push_back(e);
  ++made_;
}

void Interpreter::file_symptom(model::Band band) {
  if (state_.symptoms_made >= state_.budget.symptoms) {
    stop("symptoms", state_.budget.symptoms);
    return;
  }
  ++state_.symptoms_made;
  ++made_;
  const model::SymptomType& type = state_.program.symptoms[draft_.type];
  Emission e;
  e.type = draft_.type;
  e.rule = rule_;
  e.sequence = sequence_++;
  e.credence = band;
  e.meta = draft_.meta;
  e.table_row = last_row_;
  const Loop* first = nullptr;
  for (const Loop& loop : loops_) {
    if (loop.facts && first == nullptr) first = &loop;
    if (!loop.facts || loop.events) continue;
    e.credence = std::min(e.credence, occurrence(loop.reg).credence);
  }
  const bool decoded = code_->kind == RuleKind::Decode && first != nullptr && first->events;
  if (first != nullptr) {
    const bool event_first = first->events;
    e.stream = event_first ? event(first->reg).stream : occurrence(first->reg).stream;
  }
  if (draft_.begin) {
    e.begin = static_cast<std::uint32_t>(state_.facts.emitted_begins.size());
    state_.facts.emitted_begins.push_back(*draft_.begin);
  }
  e.entity = draft_.entity;
  if (!state_.entities.known(e.entity)) {
    e.meta.unknown_part =
        decoded && e.entity != EntityId::None && is_part_of_node(state_.entities[e.entity].kind);
    const EntityKind kind = type.on.empty() ? EntityKind::Attempt : type.on.front();
    e.entity = state_.entities.unknown(kind, e.stream);
  }
  const model::Blame blame =
      draft_.blame.value_or(model::default_blame(e.meta.domain, state_.entities[e.entity].kind));
  e.meta.accuses = blame == model::Blame::Self;
  EntityId printed_node = EntityId::None;
  std::uint32_t printed_rank = kNone;
  if (decoded) {
    // Mostly one of each event.
    auto& emissions = state_.facts.emissions;
    if (emissions.empty()) emissions.reserve(state_.facts.events.size());
    e.event = fact(first->reg);
    printed_node = event(first->reg).node;
    printed_rank = event(first->reg).rank;
  } else {
    file_inferred(first, &e);
  }
  e.node = state_.node_of(e.entity, printed_node);
  e.rank = state_.rank_of(e.entity, printed_rank);
  e.fields = static_cast<std::uint32_t>(state_.facts.emitted_values.size());
  auto& values = state_.facts.emitted_values;
  values.insert(values.end(), draft_.fields.begin(), draft_.fields.end());
  state_.facts.emissions.push_back(e);
}

// Where an inferred symptom comes from: the facts of the open loops and the certain members of the
// bags.
void Interpreter::file_inferred(const Loop* first, Emission* e) {
  Inferred from;
  if (first != nullptr) {
    from.seen = first->events ? event(first->reg).seen : occurrence(first->reg).seen;
    from.begin = first->events ? event(first->reg).begin : occurrence(first->reg).begin;
  }
  const auto add = [&](bool is_event, std::uint32_t index) {
    if (is_event) {
      const Event& read = state_.facts.events[index];
      from.evidence.add(state_.facts.evidence_key(read.observation));
      if (read.extract != kNone) from.extracts.push_back(read.extract);
    } else {
      const Occurrence& o = state_.facts.occurrences[index];
      from.evidence.add(o.evidence);
      from.extracts.insert(from.extracts.end(), o.extracts.begin(), o.extracts.end());
      from.inputs.push_back(index);
    }
  };
  for (const Loop& loop : loops_) {
    if (loop.facts) add(loop.events, fact(loop.reg));
  }
  for (const auto& [depth, reg] : live_bags_) {
    charge(bags_[reg].members().size() / 4);
    for (const BagMember& member : bags_[reg].members()) {
      if (member.certain) add(member.event, member.fact);
    }
  }
  from.evidence.settle();
  std::sort(from.inputs.begin(), from.inputs.end());
  from.inputs.erase(std::unique(from.inputs.begin(), from.inputs.end()), from.inputs.end());
  if (from.inputs.size() > kKeptInputs) from.inputs.resize(kKeptInputs);
  std::sort(from.extracts.begin(), from.extracts.end());
  from.extracts.erase(std::unique(from.extracts.begin(), from.extracts.end()), from.extracts.end());
  for (const RecordedAbsence& recorded : absences_) from.absences.push_back(recorded.absence);
  e->inferred = static_cast<std::uint32_t>(state_.facts.inferred.size());
  state_.facts.inferred.push_back(std::move(from));
}

void Interpreter::learn(const Instruction& i) {
  const auto operand = [&](std::size_t k) { return registers_[i.b + k].value; };
  const auto rank = [&](const Value& v) -> std::optional<std::uint32_t> {
    if (v.is(ValueKind::Entity)) return state_.entities.rank_number(v.entity());
    if (v.is(ValueKind::String)) {
      const EntityId id = state_.entities.from_text(EntityKind::Rank, state_.texts.text(v.number),
                                                    EntityId::None, 0);
      return state_.entities.rank_number(id);
    }
    if (!v.is(ValueKind::Int) || v.number < 0 || v.number >= kNone) return std::nullopt;
    return static_cast<std::uint32_t>(v.number);
  };
  const auto entity = [&](const Value& v, EntityKind kind, EntityId node) {
    if (v.is(ValueKind::Entity)) return v.entity();
    if (!v.is(ValueKind::String)) return EntityId::None;
    return state_.entities.from_text(kind, state_.texts.text(v.number), node, observation_->stream);
  };
  const auto name = [&](const Value& v) -> std::string {
    if (v.is(ValueKind::String)) return state_.texts.text(v.number);
    return v.is(ValueKind::Entity) ? std::string(state_.entities.short_name(v.entity())) : "";
  };
  Learned fact;
  fact.kind = static_cast<LearnKind>(i.a);
  const bool numbered = fact.kind == LearnKind::World || fact.kind == LearnKind::Place ||
                        fact.kind == LearnKind::Member;
  if (numbered) {
    const auto number = rank(operand(0));
    if (!number) return;
    fact.number = *number;
  } else {
    fact.name = name(operand(0));
    if (fact.name.empty()) return;
  }
  if (fact.kind != LearnKind::World) {
    const EntityKind kind =
        fact.kind == LearnKind::Member ? EntityKind::Communicator : EntityKind::Node;
    fact.target = entity(operand(1), kind, EntityId::None);
    // A rank is named even if its place is not; an alias may be of a GPU whose node is not known.
    const bool may_be_unknown = fact.kind == LearnKind::Place ||
                                (fact.kind == LearnKind::Alias && fact.target != EntityId::None &&
                                 state_.entities[fact.target].kind == EntityKind::Gpu);
    if (!state_.entities.known(fact.target) && !may_be_unknown) return;
  }
  if (fact.kind == LearnKind::Place && i.c > 2) {
    fact.gpu = entity(operand(2), EntityKind::Gpu, fact.target);
  }
  state_.topology.learn(std::move(fact));
  ++made_;
  ++state_.learned_made;
  if (state_.lists_learned) list_learned();
}

void Interpreter::list_learned() {
  ExtractedEvent told{match_->observation, state_.program.extracts[match_->extract].name, {}};
  const auto& captures = state_.program.extracts[match_->extract].captures;
  for (std::size_t c = 0; c < captures.size(); ++c) {
    const Value v =
        capture_value(state_, captures[c], match_->captures[c], here_node_, observation_->stream);
    if (v.null()) continue;
    told.fields.push_back(
        {captures[c].name, constant_of(v, state_.entities, state_.texts), captures[c].type.reader});
  }
  state_.learned.push_back(std::move(told));
}

std::uint32_t Interpreter::edge(const Instruction& i, std::uint32_t pc) {
  const std::uint32_t cause = fact(i.a);
  const std::uint32_t effect = fact(i.b);
  const Truth relation = truth(i.c);
  const Truth in_window = truth_of(registers_[i.d].value);
  const Occurrence& c = occurrence(i.a);
  const Occurrence& e = occurrence(i.b);
  const bool possible = cause != effect && c.meta.role != model::Role::End &&
                        c.meta.role != model::Role::Note && e.meta.role != model::Role::Note &&
                        relation != Truth::No && in_window != Truth::No &&
                        !(relation == Truth::Unknown && e.meta.role == model::Role::Origin);
  if (!possible) return pc + 1;
  note_firing(pc);
  const bool strong = relation == Truth::Yes && in_window == Truth::Yes;
  const bool wants_more =
      state_.edges.add({cause, effect, static_cast<std::uint16_t>(rule_), strong}, c.type);
  if (state_.edges.over_budget()) {
    stop("edges", state_.budget.edges);
    return pc + 1;
  }
  // With one type of cause in the loops inside the effect's, they have nothing left to find.
  if (wants_more || loops_.empty()) return pc + 1;
  const Loop& inner = loops_.back();
  return inner.reg == i.a && inner.one_type ? leave_loops_inside(i.b, pc) : pc + 1;
}

void Interpreter::outcome(const Instruction& i) {
  const auto gives = static_cast<model::Outcome>(i.a);
  for (const verdict::Ending& known : state_.endings) {
    if (known.rule == code_->name) return;
  }
  state_.endings.push_back({code_->name, gives, static_cast<std::int32_t>(i.d)});
  ++made_;
}

void Interpreter::say(const Instruction& i) {
  if (i.op == Opcode::SayText) {
    message_ += state_.program.texts[i.d];
  } else if (i.op == Opcode::SayFact) {
    message_ += text_of(state_, occurrence(i.a));
  } else if (registers_[i.a].value.is(ValueKind::Moment)) {
    const model::Moment m = moment(i.a);
    message_ += m.known ? verdict::rfc3339(verdict::stamp(m)) : "unknown";
  } else if (registers_[i.a].value.is(ValueKind::Count)) {
    const Count n = count(i.a);
    message_ += std::to_string(n.lo);
    if (n.hi != n.lo) message_ += " to " + std::to_string(n.hi);
  } else {
    message_ += text_of(state_, registers_[i.a].value);
  }
  constexpr std::size_t kMaxMessage = 4096;
  if (message_.size() > kMaxMessage) message_.resize(kMaxMessage);
}

// A report says what there is to say of the whole tied set: the rule ends with it.
std::uint32_t Interpreter::say_done(const Instruction& i, std::uint32_t pc) {
  auto& list = i.a == 0 ? state_.reports : state_.asks;
  constexpr std::size_t kMaxMessages = 64;
  if (list.size() < kMaxMessages && std::find(list.begin(), list.end(), message_) == list.end()) {
    list.push_back(message_);
  }
  message_.clear();
  ++made_;
  return i.a == 0 ? code_->code_end - code_->code_begin : pc + 1;
}

}  // namespace attrib::vm
