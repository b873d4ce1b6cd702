#include <algorithm>

#include "tests/reference/stages.h"

namespace attrib::reference {
namespace {

using evidence::Observation;

bool is_metric(const Observation& o) { return o.is_metric && !o.name.empty(); }
bool is_text(const Observation& o) { return !o.is_record && !is_metric(o); }

std::vector<std::string> names_of(const compiler::Extract& extract) {
  std::vector<std::string> names;
  for (const compiler::Capture& c : extract.captures) names.push_back(c.name);
  return names;
}
std::vector<model::Type> types_of(const compiler::Extract& extract) {
  std::vector<model::Type> types;
  for (const compiler::Capture& c : extract.captures) types.push_back(c.type);
  return types;
}

class Extraction {
 public:
  explicit Extraction(State& state) : state_(state) {}

  void run() {
    const auto& observations = state_.evidence.observations;
    for (std::uint32_t i = 0; i < observations.size(); ++i) {
      for (std::uint32_t e = 0; e < state_.module.extracts.size(); ++e) look(i, e);
    }
    add_job_state();
    state_.world.settle();
    for (Fact& event : state_.events) resolve(event);
    for (std::size_t i = 0; i < state_.events.size(); ++i) state_.events[i].id = i;
  }

 private:
  void look(std::uint32_t index, std::uint32_t e) {
    const compiler::Extract& extract = state_.module.extracts[e];
    Captures captures(extract.captures.size());
    if (!matches(index, extract, captures)) return;
    if (extract.keep_last && matches_later(index, extract)) return;
    if (!extract.keep_first_by.empty() && matched_before(index, extract, captures)) return;
    apply(index, e, captures);
  }

  // Is there another one in front of it in its stream, with equal values of what the first is kept by?
  bool matched_before(std::uint32_t index, const compiler::Extract& extract, const Captures& captures) {
    const auto& all = state_.evidence.observations;
    for (std::uint32_t i = 0; i < index; ++i) {
      Captures others(extract.captures.size());
      if (all[i].stream != all[index].stream || !matches(i, extract, others)) continue;
      const bool same = std::all_of(extract.keep_first_by.begin(), extract.keep_first_by.end(),
                                    [&](std::uint32_t capture) { return captures[capture] == others[capture]; });
      if (same) return true;
    }
    return false;
  }

  bool matches(std::uint32_t index, const compiler::Extract& extract, Captures& captures) {
    const Observation& o = state_.evidence.observations[index];
    if ((extract.sources & o.speaks) == 0) return false;
    const bool whole = (extract.kind == compiler::ExtractKind::Metric && is_metric(o)) ||
                       (extract.kind == compiler::ExtractKind::Record && o.is_record);
    return whole || (extract.kind == compiler::ExtractKind::Lines && is_text(o) &&
                     match(index, extract, captures));
  }

  // Is there another one behind it in its stream?
  bool matches_later(std::uint32_t index, const compiler::Extract& extract) {
    const auto& all = state_.evidence.observations;
    for (std::uint32_t i = index + 1; i < all.size(); ++i) {
      Captures captures(extract.captures.size());
      if (all[i].stream == all[index].stream && matches(i, extract, captures)) return true;
    }
    return false;
  }

  // The first alternative that matches wins.
  bool match(std::uint32_t index, const compiler::Extract& extract, Captures& captures) {
    for (const model::Alternative& alternative : extract.alternatives) {
      Captures mine(extract.captures.size());
      if (!match_record(index, extract, alternative, mine)) continue;
      captures = mine;
      return true;
    }
    return false;
  }

  bool match_record(std::uint32_t index, const compiler::Extract& extract,
                    const model::Alternative& alternative, Captures& captures) {
    const auto& all = state_.evidence.observations;
    const auto line = [&](std::size_t which, std::uint32_t at) {
      return match_line(alternative.lines[which], names_of(extract), types_of(extract),
                        all[at].message, captures);
    };
    if (!line(0, index)) return false;
    // What comes after it in its stream; then, nearest first, what shares its place and may have
    // come after it as well.
    std::vector<std::uint32_t> later, beside;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (i == index || all[i].stream != all[index].stream || !is_text(all[i])) continue;
      if (i > index && later.size() < alternative.within_lines) later.push_back(i);
      if (i < index && all[i].position == all[index].position) beside.insert(beside.begin(), i);
    }
    if (beside.size() > alternative.within_lines) beside.resize(alternative.within_lines);
    later.insert(later.end(), beside.begin(), beside.end());
    std::uint64_t position = all[index].position;
    for (std::size_t next = 1; next < alternative.lines.size(); ++next) {
      const auto found = std::find_if(later.begin(), later.end(), [&](std::uint32_t i) {
        return all[i].position >= position && line(next, i);
      });
      if (found == later.end()) return false;
      position = all[*found].position;
      later.erase(found);
    }
    return true;
  }

  void apply(std::uint32_t index, std::uint32_t e, const Captures& captures) {
    const Observation& o = state_.evidence.observations[index];
    const compiler::Extract& extract = state_.module.extracts[e];
    const compiler::Rule& rule = state_.module.rules.at(extract.rule);
    Bindings bindings;
    bindings.observation = &o;
    bindings.captures = &captures;
    bindings.extract = &extract;
    Evaluator evaluate(state_, rule, bindings);
    for (const compiler::ExprId when : rule.whens) {
      if (evaluate.truth(when) != Truth::Yes) return;
    }
    if (rule.learn) {
      std::vector<Value> operands;
      for (const compiler::ExprId id : rule.learn_operands) {
        operands.push_back(id.valid() ? evaluate.value(id) : null_value());
      }
      state_.world.learn(*rule.learn, operands);
      ++state_.learned;
      return;
    }
    for (const compiler::Emit& emit : rule.emits) add_event(index, e, emit, bindings, evaluate);
  }

  void add_event(std::uint32_t index, std::uint32_t e, const compiler::Emit& emit,
                 const Bindings& bindings, Evaluator& evaluate) {
    const Observation& o = *bindings.observation;
    const model::EventType& type = state_.module.events.at(emit.type);
    Fact event;
    event.event = true;
    event.type = emit.type;
    event.extract = e;
    event.extracts = {e};
    event.stream = o.stream;
    event.observations = {index};
    event.node = node_of_observation(*bindings.extract, *bindings.captures, o);
    event.rank = rank_of_observation(*bindings.extract, *bindings.captures, o);
    event.seen = event.begin = event.last = o.seen;
    event.families = {bindings.extract->family.value_or(model::default_family(o.source))};
    event.fields.assign(type.fields.size(), null_value());
    for (const compiler::FieldValue& f : emit.fields) {
      Value v = evaluate.value(f.value);
      const model::Type& wanted = type.fields[f.field].type;
      if (wanted.kind == ValueKind::Entity && v.kind == ValueKind::String) {
        const auto entity = named(wanted.entity, v.text, event.node, o.stream);
        v = entity ? entity_value(*entity) : null_value();
      }
      event.fields[f.field] = v;
    }
    if (emit.begin_from.valid()) {
      const Value from = evaluate.value(emit.begin_from);
      event.begin = from.kind == ValueKind::Moment ? from.moment : Moment{};
      if (emit.begin_to.valid()) {
        const Value to = evaluate.value(emit.begin_to);
        const bool known = event.begin.known && to.kind == ValueKind::Moment && to.moment.known;
        event.begin = known ? model::hull(event.begin, to.moment) : Moment{};
      }
      event.last = event.begin;
    }
    event.entity = emit.at.valid() ? entity_of(evaluate.value(emit.at), type, o.stream)
                                   : default_entity(type, event, bindings, evaluate);
    state_.events.push_back(event);
  }

  static Entity entity_of(const Value& at, const model::EventType& type, std::uint32_t stream) {
    return at.kind == ValueKind::Entity ? at.entity : unknown_entity(type.on, stream);
  }

  static Entity default_entity(const model::EventType& type, const Fact& event,
                               const Bindings& bindings, Evaluator&) {
    const compiler::Extract& extract = *bindings.extract;
    for (std::size_t i = 0; i < extract.captures.size(); ++i) {
      const auto& c = (*bindings.captures)[i];
      const model::Type& t = extract.captures[i].type;
      if (!c || t.kind != ValueKind::Entity || t.entity != type.on) continue;
      if (const auto e = named(type.on, c->text, event.node, event.stream)) return *e;
    }
    for (const Value& v : event.fields) {
      if (v.kind == ValueKind::Entity && v.entity.kind == type.on) return v.entity;
    }
    if (type.on == EntityKind::Node && !event.node.empty())
      return {EntityKind::Node, event.node, false};
    if (type.on == EntityKind::Rank && event.rank) return rank_entity(*event.rank);
    if (type.on == EntityKind::Attempt || type.on == EntityKind::Job) return {type.on, "", false};
    return unknown_entity(type.on, event.stream);
  }

  void add_job_state() {
    const evidence::Workload& job = state_.evidence.workload;
    if (job.state.empty() && !job.exit_code && !job.signal) return;
    for (std::uint32_t t = 0; t < state_.module.events.size(); ++t) {
      const model::EventType& type = state_.module.events[t];
      if (type.name != "JobState") continue;
      Fact event;
      event.event = true;
      event.type = t;
      event.extract = kNoExtract;
      event.entity = {EntityKind::Attempt, "", false};
      event.observations = {kHeader};
      event.families = {model::Family::Scheduler};
      if (job.end)
        event.seen = event.begin = event.last = model::moment_at(*job.end, model::kSecond);
      for (const model::Field& field : type.fields) {
        Value v = null_value();
        if (field.name == "state" && !job.state.empty()) v = string_value(job.state);
        if (field.name == "exit_code" && job.exit_code) v = int_value(*job.exit_code);
        if (field.name == "signal" && job.signal) v = int_value(*job.signal);
        event.fields.push_back(v);
      }
      state_.events.push_back(event);
    }
  }

  // Other names give way to real ones, everywhere.
  void resolve(Fact& event) {
    if (!event.node.empty()) event.node = state_.world.real_node(event.node);
    event.entity = state_.world.real(event.entity);
    for (Value& v : event.fields) {
      if (v.kind == ValueKind::Entity) v.entity = state_.world.real(v.entity);
      if (v.kind == ValueKind::Entity) state_.world.name(v.entity);
    }
    if (!event.node.empty()) state_.world.name({EntityKind::Node, event.node, false});
    if (event.rank) state_.world.name(rank_entity(*event.rank));
    state_.world.name(event.entity);
  }

  State& state_;
};

}  // namespace

void extract(State& state) { Extraction(state).run(); }

}  // namespace attrib::reference
