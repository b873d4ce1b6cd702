#include "vm/assemble.h"

#include <algorithm>
#include <set>

#include "vm/asks.h"
#include "vm/assemble_symptoms.h"

namespace attrib::vm {

using model::Band;
using model::Domain;
using model::Retry;
using model::Truth;
using model::VerdictStatus;
using verdict::SymptomState;
using verdict::Verdict;

namespace {

constexpr std::size_t kMaxWhere = 8;

Band one_lower(Band band) {
  return band > Band::Possible ? static_cast<Band>(static_cast<int>(band) - 1) : band;
}

class Assembler {
 public:
  Assembler(State& state, const Finding& finding)
      : state_(state),
        finding_(finding),
        occurrences_(state.facts.occurrences),
        answer_(answer_of(finding)) {
    for (const std::uint32_t b : answer_) {
      const auto& head = finding.ranking.candidates[b].head;
      heads_.insert(heads_.end(), head.begin(), head.end());
    }
    std::sort(heads_.begin(), heads_.end());
  }

  Verdict run() {
    head_matter();
    v_.status = status_of(state_, finding_, &v_.domain);
    if (v_.status == VerdictStatus::Attributed) v_.confidence = confidence();
    list_symptoms();
    list_candidates();
    accuse();
    list_where();
    advise();
    list_asks();
    count();
    return std::move(v_);
  }

 private:
  [[nodiscard]] bool decided() const { return v_.status == VerdictStatus::Attributed; }
  [[nodiscard]] const RankedComponent& candidate(std::uint32_t c) const {
    return finding_.ranking.candidates[c];
  }

  void head_matter() {
    const evidence::Workload& job = state_.evidence.workload;
    v_.workload_id = job.id;
    v_.attempt = job.attempt;
    for (const program::PackInfo& pack : state_.program.packs) {
      v_.packs.emplace_back(pack.name, pack.version);
    }
    std::sort(v_.packs.begin(), v_.packs.end());
    v_.outcome = finding_.outcome;
    v_.endings = state_.endings;
    v_.provisional = !state_.incomplete.empty();
    v_.incomplete = state_.incomplete;
    v_.reports = state_.reports;
    v_.job_end = job.end;
    for (const evidence::SourceStatus& s : state_.evidence.sources) {
      if (s.status != "ok") v_.coverage.push_back({s.kind, s.node, s.status, s.reason});
    }
  }

  Band confidence() const {
    Band band = Band::Hint;
    for (const std::uint32_t b : answer_) band = std::max(band, candidate(b).band);
    if (answer_.size() > 1) band = one_lower(band);
    return only_weak_edges() ? one_lower(band) : band;
  }

  // Do edges lead from the answer to failure symptoms, and none of them surely?
  bool only_weak_edges() const {
    std::set<std::uint32_t> components;
    for (const std::uint32_t b : answer_) components.insert(candidate(b).component);
    const auto leads = finding_.graph.reach(finding_.ranking.failing, true);
    bool weak = false;
    const Graph& graph = finding_.graph;
    for (std::uint32_t effect = 0; effect < graph.size(); ++effect) {
      if (!leads[effect] || components.contains(graph.component_of(effect))) continue;
      for (const Arc& p : graph.causes_of(effect)) {
        if (!components.contains(graph.component_of(p.cause))) continue;
        if (p.strong) return false;
        weak = true;
      }
    }
    return weak;
  }

  void list_symptoms() {
    const auto states = states_of(state_, finding_);
    v_.symptoms.reserve(occurrences_.size());
    for (std::size_t i = 0; i < occurrences_.size(); ++i) {
      v_.symptoms.push_back(symptom_of(state_, occurrences_[i]));
      v_.symptoms.back().state = states[i];
      if (states[i] == SymptomState::Root && v_.confidence) {
        v_.symptoms.back().confidence = std::min(v_.symptoms.back().confidence, *v_.confidence);
      }
    }
    list_demotions(state_, finding_, &v_.symptoms);
  }

  void list_candidates() {
    if (decided()) {
      v_.root_causes = heads_;
      for (const Lost& lost : finding_.ranking.lost) {
        v_.alternatives.push_back({candidate(lost.candidate).head, lost.why});
      }
    } else if (v_.status == VerdictStatus::Ambiguous) {
      for (const std::uint32_t b : answer_) v_.alternatives.push_back({candidate(b).head, "tied"});
    }
  }

  // The node of its entity, never one that merely printed the line; but an unknown part of a node
  // is a part of that one.
  [[nodiscard]] std::string accused_node(std::uint32_t v) const {
    const Occurrence& o = occurrences_[v];
    if (o.meta.unknown_part) return node_name(state_, o);
    const EntityId node = state_.topology.node_of(o.entity);
    return node == EntityId::None ? std::string() : state_.entities[node].key;
  }

  // Nodes that every tied candidate accuses; what only some accuse is suspect.
  void accuse() {
    if (answer_.empty()) return;
    std::set<std::string> shared;
    for (std::size_t i = 0; i < answer_.size(); ++i) {
      std::set<std::string> own;
      for (const std::uint32_t v : candidate(answer_[i]).head) {
        const std::string node = accused_node(v);
        if (occurrences_[v].meta.accuses && !node.empty()) own.insert(node);
      }
      if (i == 0) shared = own;
      std::erase_if(shared, [&](const std::string& node) { return !own.contains(node); });
    }
    v_.affected_nodes.assign(shared.begin(), shared.end());
    if (answer_.size() < 2) return;
    std::set<verdict::EntityRef> suspects;
    for (const std::uint32_t v : heads_) {
      if (!occurrences_[v].meta.accuses) continue;
      const std::string node = accused_node(v);
      if (node.empty()) {
        if (state_.entities.known(occurrences_[v].entity)) {
          suspects.insert(ref_of(state_, occurrences_[v].entity));
        }
      } else if (!shared.contains(node)) {
        suspects.insert({model::EntityKind::Node, node});
      }
    }
    v_.suspects.assign(suspects.begin(), suspects.end());
  }

  // What failed first, at every status: the answer's heads, then what locates.
  void list_where() {
    std::vector<std::uint32_t> order = heads_;
    const auto first = first_located();
    order.insert(order.end(), first.begin(), first.end());
    std::set<std::uint32_t> done;
    for (const std::uint32_t v : order) {
      const verdict::Symptom& s = v_.symptoms[v];
      if (v_.where.size() == kMaxWhere) break;
      if ((!s.node && !s.rank && !s.gpu) || !done.insert(v).second) continue;
      v_.where.push_back({s.rank, s.node, s.gpu, s.entity, s.title, s.evidence});
    }
  }

  std::vector<std::uint32_t> first_located() const {
    std::vector<std::uint32_t> located;
    std::optional<std::uint32_t> earliest;
    for (std::uint32_t v = 0; v < occurrences_.size(); ++v) {
      const Occurrence& o = occurrences_[v];
      if (!state_.program.symptoms[o.type].locates || finding_.survived[v] || finding_.history[v] ||
          o.meta.role == model::Role::Note) {
        continue;
      }
      located.push_back(v);
      if (!o.begin.known) continue;
      if (!earliest || o.begin.hi < occurrences_[*earliest].begin.hi) earliest = v;
    }
    if (earliest) {
      std::erase_if(located, [&](std::uint32_t v) {
        return model::before(occurrences_[*earliest].begin, occurrences_[v].begin) == Truth::Yes;
      });
    }
    return located;
  }

  void advise() {
    if (!decided()) return;
    v_.retry = occurrences_[heads_.front()].meta.retry;
    for (const std::uint32_t v : heads_) {
      if (occurrences_[v].meta.retry != v_.retry) v_.retry = Retry::Unknown;
    }
    if (v_.retry == Retry::OtherNodes || v_.retry == Retry::AfterFix) {
      v_.exclude_nodes = v_.affected_nodes;
    }
  }

  void list_asks() {
    if (decided() || v_.status == VerdictStatus::NoFailure) return;
    std::vector<std::uint32_t> unexplained;
    for (std::uint32_t v = 0; v < occurrences_.size(); ++v) {
      if (finding_.ranking.failing[v] && v_.symptoms[v].state == SymptomState::Unexplained) {
        unexplained.push_back(v);
      }
    }
    v_.ask = computed_asks(state_, unexplained);
    v_.ask.insert(v_.ask.end(), state_.asks.begin(), state_.asks.end());
  }

  void count() {
    const evidence::Counters& c = state_.evidence.counters;
    v_.counters = {{"lines", c.lines},
                   {"events", state_.facts.count_events()},
                   {"symptoms", occurrences_.size()},
                   {"edges", finding_.graph.arcs()},
                   {"edges_capped", state_.edges.capped()},
                   {"contradictions", state_.topology.contradictions()},
                   {"truncated", c.truncated},
                   {"unparsed", c.unparsed},
                   {"escaped", c.escaped}};
  }

  State& state_;
  const Finding& finding_;
  const std::vector<Occurrence>& occurrences_;
  std::vector<std::uint32_t> answer_;
  std::vector<std::uint32_t> heads_;  // Of the answer, sorted.
  Verdict v_;
};

}  // namespace

model::Outcome outcome_of(std::vector<verdict::Ending>* endings) {
  std::sort(endings->begin(), endings->end(),
            [](const verdict::Ending& a, const verdict::Ending& b) {
              return std::tie(b.rank, a.rule) < std::tie(a.rank, b.rule);
            });
  if (endings->empty()) return model::Outcome::Unknown;
  const verdict::Ending& best = endings->front();
  for (const verdict::Ending& e : *endings) {
    if (e.rank == best.rank && e.outcome != best.outcome) return model::Outcome::Unknown;
  }
  return best.outcome;
}

std::vector<std::uint32_t> answer_of(const Finding& finding) {
  if (finding.outcome == model::Outcome::Completed) return {};
  return finding.ranking.best;
}

VerdictStatus status_of(const State& state, const Finding& finding, Domain* domain) {
  if (finding.outcome == model::Outcome::Completed) {
    *domain = Domain::None;
    return VerdictStatus::NoFailure;
  }
  std::set<Domain> domains;
  for (const std::uint32_t b : answer_of(finding)) {
    for (const std::uint32_t v : finding.ranking.candidates[b].head) {
      domains.insert(state.facts.occurrences[v].meta.domain);
    }
  }
  if (domains.empty()) {
    *domain = Domain::Unattributed;
    return VerdictStatus::Unattributed;
  }
  const bool one = domains.size() == 1;
  *domain = one ? *domains.begin() : Domain::Ambiguous;
  return one ? VerdictStatus::Attributed : VerdictStatus::Ambiguous;
}

Verdict assemble(State& state, const Finding& finding) { return Assembler(state, finding).run(); }

}  // namespace attrib::vm
