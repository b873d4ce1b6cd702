#include "vm/machine.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "verdict/narrate.h"
#include "vm/assemble.h"
#include "vm/assemble_symptoms.h"
#include "vm/fold.h"
#include "vm/interpreter.h"
#include "vm/run_program.h"
#include "vm/survival.h"

namespace attrib::vm {
namespace {

using program::RuleKind;

class Machine {
 public:
  Machine(const program::Program& program, const evidence::Evidence& evidence,
          const RunOptions& options)
      : options_(options),
        profile_(options.profile),
        lines_(options.lines),
        state_(program, evidence, options.budget),
        interpreter_(state_) {
    if (options.trace) state_.trace = &result_.trace.emplace();
    state_.lists_learned = options.list_events;
  }

  RunResult run(const std::string& digest) {
    extract();
    add_workload_event();
    resolve_entities();
    run_stage(Stage::Decode, RuleKind::Decode);
    run_stage(Stage::Infer, RuleKind::Infer);
    run_stage(Stage::Outcome, RuleKind::Outcome);
    run_stage(Stage::Demote, RuleKind::Demote);
    result_.verdict = diagnose();
    result_.verdict.program_digest = digest;
    const InStage stage(profile_, Stage::Assemble);
    verdict::narrate(result_.verdict);
    if (options_.list_events) list_events();
    result_.counts.extracted = extracted_ + state_.learned_made;
    result_.counts.unmatched =
        static_cast<std::uint64_t>(std::count(matched_.begin(), matched_.end(), false));
    result_.counts.events = state_.facts.count_events();
    result_.counts.symptoms = state_.symptoms_made;
    result_.counts.occurrences = state_.facts.occurrences.size();
    result_.stats = std::move(state_.stats);
    if (state_.trace != nullptr) finish_trace(*state_.trace);
    return std::move(result_);
  }

 private:
  void extract() {
    const InStage stage(profile_, Stage::Extract);
    // Before anything is learned; no set says more than that nothing is known.
    state_.sets = std::make_unique<EntitySets>(state_.entities, state_.topology);
    state_.facts.index_events();
    const MatchLimits limits{state_.budget.matched_bytes, state_.budget.events};
    matched_.assign(state_.evidence.observations.size(), false);
    reserve_events();
    const auto first_incomplete = static_cast<std::ptrdiff_t>(state_.incomplete.size());
    const MatchResult found = match_each(state_.program, state_.evidence, limits, lines_,
                                         [this](Match& match) { run_extract(match); });
    for (const std::uint32_t o : found.overtaken) matched_[o] = true;
    result_.looks = found.looks;
    result_.counts.matched_bytes = found.bytes;
    if (!found.exceeded.empty()) {
      const bool bytes = found.exceeded == "bytes matched";
      const std::uint64_t limit = bytes ? limits.matched_bytes : limits.matches;
      state_.incomplete.insert(state_.incomplete.begin() + first_incomplete,
                               {"total", found.exceeded, limit});
    }
  }

  void run_extract(Match& match) {
    const InRule rule(profile_, state_.program.extracts[match.extract].rule);
    const bool made = interpreter_.run_extract(match);
    match.captures = {};  // While they are at hand: nobody needs them any more.
    if (!made) return;
    matched_[match.observation] = true;
    if (state_.trace != nullptr) {
      state_.trace->alternatives.push_back({match.extract, match.alternative});
    }
    for (const std::uint32_t more : match.more) matched_[more] = true;
  }

  // Of a flood, growing copies more than all that follows; what is not used costs nothing.
  void reserve_events() {
    constexpr std::size_t kValuesOfOne = 6;
    const std::size_t observations = state_.evidence.observations.size();
    state_.facts.events.reserve(observations + observations / 8 + 1);  // The built-in one.
    state_.facts.event_values.reserve(kValuesOfOne * observations);
  }

  // What the header says of the end, as the built-in event.
  void add_workload_event() {
    extracted_ = state_.facts.events.size();
    const evidence::Workload& job = state_.evidence.workload;
    if (job.state.empty() && !job.exit_code && !job.signal) return;
    const auto& types = state_.program.events;
    const auto type = std::find_if(types.begin(), types.end(), [](const model::EventType& t) {
      return t.name == "JobState" && t.on == model::EntityKind::Attempt;
    });
    if (type == types.end()) return;
    Event e;
    e.type = static_cast<std::uint32_t>(type - types.begin());
    e.observation = kWorkloadObservation;
    e.entity = state_.entities.attempt();
    e.family = model::Family::Scheduler;
    e.seen = state_.facts.workload_end;
    e.begin = e.seen;
    e.fields = static_cast<std::uint32_t>(state_.facts.event_values.size());
    std::vector<Value> fields(type->fields.size());
    for (std::size_t f = 0; f < type->fields.size(); ++f) {
      const std::string& name = type->fields[f].name;
      if (name == "state" && !job.state.empty()) fields[f] = state_.texts.value(job.state);
      if (name == "exit_code" && job.exit_code) fields[f] = int_value(*job.exit_code);
      if (name == "signal" && job.signal) fields[f] = int_value(*job.signal);
    }
    auto& values = state_.facts.event_values;
    values.insert(values.end(), fields.begin(), fields.end());
    state_.facts.events.push_back(e);
  }

  void resolve_entities() {
    const InStage stage(profile_, Stage::Resolve);
    state_.topology.resolve();
    for (Event& e : state_.facts.events) {
      rename(&e.entity);
      rename(&e.node);
      if (e.rank != kNone) state_.topology.name(state_.entities.rank(e.rank));
    }
    for (Value& v : state_.facts.event_values) {
      EntityId id = v.entity();
      if (id == EntityId::None) continue;
      rename(&id);
      v = entity_value(id);
    }
    state_.sets = std::make_unique<EntitySets>(state_.entities, state_.topology);
    state_.facts.index_events();
  }

  void rename(EntityId* id) {
    if (*id == EntityId::None) return;
    if (index_of(*id) >= canonical_.size()) canonical_.resize(index_of(*id) + 1, EntityId::None);
    if (canonical_[index_of(*id)] == EntityId::None) {
      const EntityId to = state_.topology.canonical(*id);
      canonical_[index_of(*id)] = to;
      state_.topology.name(to);
    }
    *id = canonical_[index_of(*id)];
  }

  void run_stage(Stage stage, RuleKind kind) {
    const InStage in_stage(profile_, stage);
    run_rules(kind);
  }

  // Rules stand by kind and layer; what a layer made is folded before the next one reads it.
  void run_rules(RuleKind kind) {
    const auto& rules = state_.program.rules;
    for (std::uint32_t r = 0; r < rules.size(); ++r) {
      if (rules[r].kind != kind) continue;
      {
        const InRule rule(profile_, r);
        interpreter_.run(r);
      }
      const bool layer_ends = r + 1 == rules.size() || rules[r + 1].kind != kind ||
                              rules[r + 1].stratum != rules[r].stratum;
      if (layer_ends && kind != RuleKind::Demote && kind != RuleKind::Ambiguous) fold();
    }
  }

  void fold() {
    if (state_.facts.emissions.empty()) return;
    const InStage stage(profile_, Stage::Fold);
    fold_emissions(state_.program, state_.facts);
    interpreter_.forget_indexes();
  }

  verdict::Verdict diagnose() {
    std::optional<InStage> stage;
    stage.emplace(profile_, Stage::Rank);
    const auto& occurrences = state_.facts.occurrences;
    const Graph graph(occurrences, state_.edges.edges());
    state_.edges.forget_edges();
    result_.counts.edges = graph.arcs();
    const std::vector<bool> was_survived = survived(state_);
    const std::vector<bool> was_history = history(state_);
    std::vector<bool> over(occurrences.size());
    for (std::size_t v = 0; v < over.size(); ++v) over[v] = was_survived[v] || was_history[v];
    const Ranking ranking = rank(occurrences, graph, over, elsewhere(state_));
    if (ranking.too_many_candidates) {
      state_.incomplete.push_back({"total", "candidates", kMaxRanked});
    }
    if (ranking.too_many_failures) {
      state_.incomplete.push_back({"total", "failure symptoms", Reach::kMaxClasses});
    }
    const Finding finding{&occurrences,
                          graph,
                          ranking,
                          was_survived,
                          was_history,
                          outcome_of(&state_.endings)};
    model::Domain domain = model::Domain::None;
    if (status_of(state_, finding, &domain) == model::VerdictStatus::Ambiguous) {
      tell_ambiguity(finding);
    }
    stage.reset();
    stage.emplace(profile_, Stage::Assemble);
    return assemble(state_, finding);
  }

  void tell_ambiguity(const Finding& finding) {
    state_.candidate_of.assign(state_.facts.occurrences.size(), kNone);
    for (const std::uint32_t b : answer_of(finding)) {
      for (const std::uint32_t v : finding.ranking.candidates[b].head) {
        state_.candidate_of[v] = b;
        state_.tied.push_back(v);
      }
    }
    std::sort(state_.tied.begin(), state_.tied.end());
    run_rules(RuleKind::Ambiguous);
  }

  void list_events() {
    for (const Event& e : state_.facts.events) {
      if (e.extract == kNone) continue;
      result_.events.push_back(
          {e.observation, state_.program.extracts[e.extract].name,
           named_fields(state_, state_.program.events[e.type].fields,
                        state_.facts.fields_of(e))});
    }
    for (ExtractedEvent& told : state_.learned) result_.events.push_back(std::move(told));
    std::stable_sort(result_.events.begin(), result_.events.end(),
                     [](const ExtractedEvent& a, const ExtractedEvent& b) {
                       return std::tie(a.observation, a.extract) <
                              std::tie(b.observation, b.extract);
                     });
    for (std::uint32_t o = 0; o < matched_.size(); ++o) {
      if (!matched_[o]) result_.unmatched.push_back(o);
    }
  }

  void finish_trace(Trace& trace) const {
    const auto settle = [](auto& list) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    settle(trace.firings);
    settle(trace.alternatives);
    settle(trace.rows);
    for (const auto& events : state_.facts.events_of) {
      trace.events.push_back(static_cast<std::uint32_t>(events.size()));
    }
    for (const Occurrence& o : state_.facts.occurrences) {
      trace.symptoms.push_back({o.type, o.meta.role});
    }
  }

  const RunOptions& options_;
  Profile* profile_;
  LineEngine* lines_;
  State state_;
  Interpreter interpreter_;
  RunResult result_;
  std::uint64_t extracted_ = 0;  // Events but for the built-in one.
  std::vector<bool> matched_;
  std::vector<EntityId> canonical_;  // By id, as far as asked for.
};

}  // namespace

RunResult run_program(const program::Program& program, const std::string& digest,
                      const evidence::Evidence& evidence, const RunOptions& options) {
  auto machine = std::make_unique<Machine>(program, evidence, options);
  RunResult result = machine->run(digest);
  // Taking apart what a flood made takes as long as some of the stages.
  static auto* const kKept = new std::vector<std::unique_ptr<Machine>>;
  if (options.process_ends) kKept->push_back(std::move(machine));
  return result;
}

RunResult run(const program::VerifiedProgram& program, const evidence::Evidence& evidence,
              const RunOptions& options) {
  return run_program(program.get(), program.digest(), evidence, options);
}

}  // namespace attrib::vm
