#include "tests/reference/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/reference/edges.h"
#include "tests/reference/stages.h"
#include "verdict/format.h"
#include "verdict/narrate.h"

namespace attrib::reference {
namespace {

using model::Band;
using model::Role;
using model::VerdictStatus;
using verdict::SymptomState;

constexpr std::size_t kListed = 8;  // Of demoted_by and where.

Band lower(Band band) {
  return band > Band::Possible ? static_cast<Band>(static_cast<int>(band) - 1) : band;
}

// Puts a verdict together from a finished run.
class Answer {
 public:
  Answer(const compiler::Module& module, const evidence::Evidence& evidence, const Options& options)
      : state_{module, evidence, World(evidence), {}, {}, 0, {}, 0, {}}, options_(options) {}

  void take_notes(Notes& notes) const {
    notes.no = state_.truths[0];
    notes.unknown = state_.truths[1];
    notes.yes = state_.truths[2];
    notes.strong = strong_.size();
    notes.weak = any_.size() - strong_.size();
    for (const Pair& e : any_)
      notes.weak_demotes += !strong_.contains(e) && r_.demoting.contains(e) ? 1 : 0;
    for (const auto& c : r_.components) notes.compounds += c.size() > 1 ? 1 : 0;
    for (const Fact& f : all()) notes.lifted += f.lifted ? 1 : 0;
    notes.learned = state_.learned;
    notes.tied = r_.best.size() > 1;
  }

  verdict::Verdict run() {
    extract(state_);
    decode(state_);
    infer(state_);
    v_.endings = outcomes(state_);
    v_.outcome = outcome();
    edges_ = find_edges(state_, options_.causes_per_effect);
    find_survivors();
    rank_all();
    header();
    choose_status();
    symptoms();
    roots_and_alternatives();
    nodes();
    where();
    advice();
    messages();
    coverage_and_counters();
    verdict::narrate(v_);
    return std::move(v_);
  }

 private:
  [[nodiscard]] const std::vector<Fact>& all() const { return state_.occurrences; }
  [[nodiscard]] const model::SymptomType& type_of(const Fact& f) const {
    return state_.module.symptoms.at(f.type);
  }

  [[nodiscard]] model::Outcome outcome() const {
    if (v_.endings.empty()) return model::Outcome::Unknown;
    for (const verdict::Ending& e : v_.endings) {
      if (e.rank == v_.endings.front().rank && e.outcome != v_.endings.front().outcome)
        return model::Outcome::Unknown;
    }
    return v_.endings.front().outcome;
  }

  // A survived symptom is one after whose last repeat its rank (or, if it has none, anyone)
  // certainly went on.
  [[nodiscard]] bool survived(const Fact& f) const {
    if (f.role == Role::End) return false;
    const auto rank = rank_of_fact(state_, f);
    return std::any_of(state_.events.begin(), state_.events.end(), [&](const Fact& e) {
      if (!state_.module.events.at(e.type).progress) return false;
      if (rank && rank_of_fact(state_, e) != rank) return false;
      return model::before(f.last, e.begin) == Truth::Yes;
    });
  }
  [[nodiscard]] bool history(const Fact& f) const {
    const auto& start = state_.evidence.workload.start;
    return start && model::before(f.last, model::moment_at(*start, model::kSecond)) == Truth::Yes;
  }
  void find_survivors() {
    for (const Fact& f : all()) {
      survived_.push_back(survived(f));
      history_.push_back(history(f));
    }
  }

  void rank_all() {
    std::vector<Vertex> vertices;
    for (Id i = 0; i < all().size(); ++i) {
      const Fact& f = all()[i];
      const auto node = node_of_fact(state_, f);
      const bool elsewhere =
          model::lies_on_a_node(f.entity.kind) && node && state_.world.left_out(node->key);
      vertices.push_back(
          {f.role, f.credence, f.begin, f.last, survived_[i] || history_[i], elsewhere});
    }
    for (const Edge& e : edges_.kept) {
      any_.insert({e.cause, e.effect});
      if (e.strong) strong_.insert({e.cause, e.effect});
    }
    r_ = rank(vertices, any_, strong_);
  }

  void header() {
    const evidence::Workload& job = state_.evidence.workload;
    v_.workload_id = job.id;
    v_.attempt = job.attempt;
    v_.job_end = job.end;
    for (const compiler::Pack& pack : state_.module.packs)
      v_.packs.emplace_back(pack.name, pack.version);
  }

  [[nodiscard]] std::vector<Id> head_members() const {
    std::vector<Id> out;
    for (const std::size_t c : r_.best)
      out.insert(out.end(), r_.heads[c].begin(), r_.heads[c].end());
    std::sort(out.begin(), out.end());
    return out;
  }

  void choose_status() {
    std::set<model::Domain> domains;
    for (const Id m : head_members()) domains.insert(all()[m].domain);
    if (v_.outcome == model::Outcome::Completed) {
      v_.status = VerdictStatus::NoFailure;
      v_.domain = model::Domain::None;
    } else if (domains.empty()) {
      v_.status = VerdictStatus::Unattributed;
      v_.domain = model::Domain::Unattributed;
    } else if (domains.size() == 1) {
      v_.status = VerdictStatus::Attributed;
      v_.domain = *domains.begin();
      v_.confidence = confidence();
    } else {
      v_.status = VerdictStatus::Ambiguous;
      v_.domain = model::Domain::Ambiguous;
    }
  }

  [[nodiscard]] Band blame(Id m) const {
    return std::min(all()[m].credence, model::role_cap(all()[m].role));
  }

  [[nodiscard]] Band confidence() const {
    Band band = Band::Hint;
    for (const Id m : head_members()) band = std::max(band, blame(m));
    if (r_.best.size() > 1) band = lower(band);
    return only_weakly_linked() ? lower(band) : band;
  }

  // Edges lead from the answer towards failure symptoms, and all of them are weak.
  [[nodiscard]] bool only_weakly_linked() const {
    std::set<Id> answer;
    for (const std::size_t c : r_.best)
      answer.insert(r_.components[c].begin(), r_.components[c].end());
    bool some = false;
    for (const Pair& e : any_) {
      if (!answer.contains(e.first) || answer.contains(e.second)) continue;
      const std::set<Id> reached = reachable(any_, {e.second});
      if (std::none_of(reached.begin(), reached.end(),
                       [&](Id i) { return r_.failures.contains(i); }))
        continue;
      if (strong_.contains(e)) return false;
      some = true;
    }
    return some;
  }

  [[nodiscard]] bool in(const std::vector<std::size_t>& list, std::size_t c) const {
    return std::find(list.begin(), list.end(), c) != list.end();
  }
  [[nodiscard]] bool is_head(Id i, std::size_t c) const {
    return std::find(r_.heads[c].begin(), r_.heads[c].end(), i) != r_.heads[c].end();
  }

  [[nodiscard]] SymptomState state_of(Id i) const {
    if (all()[i].role == Role::Note) return SymptomState::Note;
    const std::size_t c = r_.component_of(i);
    if (v_.status != VerdictStatus::NoFailure && in(r_.best, c) && is_head(i, c))
      return SymptomState::Root;
    if (!in(r_.roots, c) || !is_head(i, c)) return SymptomState::Demoted;
    if (history_[i]) return SymptomState::History;
    if (survived_[i]) return SymptomState::Survived;
    return in(r_.late, c) ? SymptomState::Late : SymptomState::Unexplained;
  }

  [[nodiscard]] std::vector<verdict::Demotion> demotions(Id i) const {
    std::vector<verdict::Demotion> out;
    if (state_of(i) != SymptomState::Demoted) return out;
    const std::size_t own = r_.component_of(i);
    // From outside its compound and, below the head, from the head of it; else from any member.
    std::vector<Edge> chosen, inside;
    for (const Edge& e : edges_.kept) {
      if (e.effect != i || !r_.demoting.contains({e.cause, e.effect})) continue;
      const bool own_head =
          r_.component_of(e.cause) == own && is_head(e.cause, own) && !is_head(i, own);
      (r_.component_of(e.cause) != own || own_head ? chosen : inside).push_back(e);
    }
    for (const Edge& e : chosen.empty() ? inside : chosen) {
      const compiler::Rule& rule = state_.module.rules[e.rule];
      out.push_back({static_cast<std::uint32_t>(e.cause), rule.pack + "." + rule.name, rule.because,
                     e.strong, e.margin_lo, e.margin_hi});
    }
    std::sort(out.begin(), out.end(), [](const verdict::Demotion& a, const verdict::Demotion& b) {
      return std::tie(a.cause, a.rule) < std::tie(b.cause, b.rule);
    });
    if (out.size() > kListed) out.resize(kListed);
    return out;
  }

  // What it is called on its node; an unknown one may still have that.
  [[nodiscard]] static std::string short_name(const Entity& e) {
    const std::size_t slash = e.key.find('/');
    if (sits_on_node(e.kind) && slash != std::string::npos) return e.key.substr(slash + 1);
    return e.unknown ? "" : e.key;
  }

  void fields(const Fact& f, verdict::Symptom& s) const {
    const auto& types = type_of(f).fields;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const Value& value = f.fields[i];
      if (value.kind == ValueKind::Null) continue;
      model::Constant c{value.kind, value.number, value.text};
      if (value.kind == ValueKind::Entity) {
        const auto rank = rank_number(value.entity);
        if (!rank && short_name(value.entity).empty()) continue;
        c = rank ? model::int_constant(*rank) : model::text_constant(short_name(value.entity));
      }
      s.fields.push_back({types[i].name, c, types[i].type.reader});
    }
  }

  verdict::Symptom symptom(Id i) const {
    const Fact& f = all()[i];
    verdict::Symptom s;
    s.symptom = type_of(f).name;
    s.title = f.title;
    s.state = state_of(i);
    s.role = f.role;
    s.domain = f.domain;
    s.severity = f.severity;
    s.confidence = blame(i);
    if (s.state == SymptomState::Root && v_.confidence)
      s.confidence = std::min(s.confidence, *v_.confidence);
    s.entity = {f.entity.kind, f.entity.unknown ? "" : f.entity.key};
    if (!f.node.empty()) s.node = f.node;
    if (f.rank) s.rank = *f.rank;
    if (const auto gpu = gpu_of(f)) s.gpu = gpu;
    fields(f, s);
    s.begin = f.begin;
    s.last = f.last;
    s.count = f.count;
    s.evidence = evidence_ids(state_, f, &s.evidence_truncated);
    s.absences = f.absences;
    s.demoted_by = demotions(i);
    s.action = f.action;
    s.owner = type_of(f).owner;
    s.retry = f.retry;
    s.accuses = f.accuses;
    s.proof.rule = state_.module.rules[f.rule].pack + "." + state_.module.rules[f.rule].name;
    s.proof.table_row = f.table_row;
    std::set<std::uint32_t> inputs;
    for (const std::size_t id : f.inputs) {
      for (std::size_t k = 0; k < all().size(); ++k) {
        if (all()[k].id == id) inputs.insert(static_cast<std::uint32_t>(k));
      }
    }
    s.proof.inputs.assign(inputs.begin(), inputs.end());
    for (const std::uint32_t e : f.extracts) {
      s.proof.extracts.push_back(state_.module.extracts[e].pack + "." +
                                 state_.module.extracts[e].name);
    }
    std::sort(s.proof.extracts.begin(), s.proof.extracts.end());
    return s;
  }

  [[nodiscard]] std::optional<std::string> gpu_of(const Fact& f) const {
    const auto name = [](const Entity& e) -> std::optional<std::string> {
      const std::string text = short_name(e);
      if (text.empty()) return std::nullopt;
      return text;
    };
    if (f.entity.kind == EntityKind::Gpu) return name(f.entity);
    if (f.entity.kind == EntityKind::Link) {
      const auto gpu = state_.world.related(f.entity, model::Relation::GpuOfLink);
      if (gpu) return name(*gpu);
    }
    for (const Value& value : f.fields) {
      if (value.kind == ValueKind::Entity && value.entity.kind == EntityKind::Gpu)
        return name(value.entity);
    }
    if (rank_number(f.entity)) {
      const auto gpu = state_.world.related(f.entity, model::Relation::GpuOfRank);
      if (gpu) return name(*gpu);
    }
    return std::nullopt;
  }

  void symptoms() {
    for (Id i = 0; i < all().size(); ++i) v_.symptoms.push_back(symptom(i));
  }

  [[nodiscard]] std::string why_lost(std::size_t place) const {
    for (const auto& [win, why] :
         {std::pair{Ranking::Win::ExplainsEnd, "lost: explains no end"},
          std::pair{Ranking::Win::Confidence, "lost: lower confidence"},
          std::pair{Ranking::Win::Failing,
                    "lost: began after a failure symptom that the answer explains"}}) {
      for (std::size_t a = 0; a < r_.accounting.size(); ++a) {
        if (r_.wins[a][place] == win) return why;
      }
    }
    return "lost";
  }

  static std::vector<std::uint32_t> indexes(const std::vector<Id>& ids) {
    std::vector<std::uint32_t> out;
    for (const Id id : ids) out.push_back(static_cast<std::uint32_t>(id));
    return out;
  }

  void roots_and_alternatives() {
    if (v_.status == VerdictStatus::Attributed) {
      v_.root_causes = indexes(head_members());
      for (std::size_t i = 0; i < r_.accounting.size(); ++i) {
        const std::size_t c = r_.accounting[i];
        if (!in(r_.best, c)) v_.alternatives.push_back({indexes(r_.heads[c]), why_lost(i)});
      }
    }
    if (v_.status == VerdictStatus::Ambiguous) {
      for (const std::size_t c : r_.best) v_.alternatives.push_back({indexes(r_.heads[c]), "tied"});
    }
  }

  void nodes() {
    if (v_.status != VerdictStatus::Attributed && v_.status != VerdictStatus::Ambiguous) return;
    std::optional<std::set<std::string>> common;
    std::set<verdict::EntityRef> accused;
    for (const std::size_t c : r_.best) {
      std::set<std::string> mine;
      for (const Id m : r_.heads[c]) {
        const Fact& f = all()[m];
        if (!f.accuses) continue;
        const auto node = f.unknown_part ? node_of_fact(state_, f) : state_.world.node_of(f.entity);
        if (node) {
          mine.insert(node->key);
          accused.insert({EntityKind::Node, node->key});
        } else if (!f.entity.unknown) {
          accused.insert({f.entity.kind, f.entity.key});
        }
      }
      if (common) {
        std::erase_if(*common, [&](const std::string& node) { return !mine.contains(node); });
      } else {
        common = mine;
      }
    }
    v_.affected_nodes.assign(common->begin(), common->end());
    if (r_.best.size() < 2) return;
    for (const verdict::EntityRef& e : accused) {
      const bool affected = e.kind == EntityKind::Node && common->contains(e.id);
      if (!affected) v_.suspects.push_back(e);
    }
  }

  void where() {
    std::vector<Id> order;
    if (v_.status != VerdictStatus::NoFailure) order = head_members();
    std::vector<Id> located;
    for (Id i = 0; i < all().size(); ++i) {
      const Fact& f = all()[i];
      if (type_of(f).locates && !survived_[i] && !history_[i] && f.role != Role::Note)
        located.push_back(i);
    }
    std::optional<Id> earliest;
    for (const Id i : located) {
      if (!all()[i].begin.known) continue;
      if (!earliest || all()[i].begin.hi < all()[*earliest].begin.hi) earliest = i;
    }
    for (const Id i : located) {
      const bool later =
          earliest && model::before(all()[*earliest].begin, all()[i].begin) == Truth::Yes;
      if (!later && std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }
    for (const Id i : order) {
      const verdict::Symptom& s = v_.symptoms[i];
      if (v_.where.size() == kListed || (!s.node && !s.rank && !s.gpu)) continue;
      v_.where.push_back({s.rank, s.node, s.gpu, s.entity, s.title, s.evidence});
    }
  }

  void advice() {
    if (v_.status != VerdictStatus::Attributed) return;
    std::set<model::Retry> words;
    for (const Id m : head_members()) words.insert(all()[m].retry);
    if (words.size() == 1) v_.retry = *words.begin();
    const bool others = v_.retry == model::Retry::OtherNodes || v_.retry == model::Retry::AfterFix;
    if (others) v_.exclude_nodes = v_.affected_nodes;
  }

  // --- What is said and asked ---

  [[nodiscard]] std::string value_text(const Value& value) const {
    switch (value.kind) {
      case ValueKind::Null:
        return "unknown";
      case ValueKind::Moment:
        return value.moment.known ? verdict::rfc3339(verdict::stamp(value.moment)) : "unknown";
      case ValueKind::Count:
        return value.number == value.most ? fmt::format("{}", value.number)
                                          : fmt::format("{} to {}", value.number, value.most);
      case ValueKind::Entity:
        if (value.entity.unknown) return "unknown";
        if (value.entity.kind == EntityKind::Attempt || value.entity.kind == EntityKind::Job)
          return "the job";
        return value.entity.kind == EntityKind::Rank ? "rank " + value.entity.key
                                                     : value.entity.key;
      default:
        return model::to_text(model::Constant{value.kind, value.number, value.text});
    }
  }

  std::string say(const compiler::Message& message, Evaluator& evaluate,
                  const Bindings& bindings) const {
    std::string out;
    for (std::size_t i = 0; i < message.texts.size(); ++i) {
      out += message.texts[i];
      if (i >= message.values.size()) continue;
      if (!message.facts[i].valid()) {
        out += value_text(evaluate.value(message.values[i]));
        continue;
      }
      const Fact& f = *bindings.facts.at(message.facts[i].value);
      out += type_of(f).name;
      if (!f.entity.unknown) out += " at " + value_text(entity_value(f.entity));
    }
    return out;
  }

  static void once(std::vector<std::string>& list, const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  }

  // The first way to bind the rule's variables to different tied heads, in canonical order, that
  // fits.
  bool speak(const compiler::Rule& rule, std::uint32_t var, Id from, const std::vector<Id>& heads,
             Bindings& bindings, std::vector<std::string>& asks) {
    Evaluator evaluate(state_, rule, bindings);
    if (var == rule.own_vars) {
      for (const compiler::ExprId when : rule.whens) {
        if (evaluate.truth(when) != Truth::Yes) return false;
      }
      for (const compiler::Message& ask : rule.asks) once(asks, say(ask, evaluate, bindings));
      once(v_.reports, say(rule.report, evaluate, bindings));
      return true;
    }
    for (Id i = from; i < heads.size(); ++i) {
      bindings.facts[var] = &all()[heads[i]];
      if (evaluate.truth(rule.vars[var].where) != Truth::Yes) continue;
      if (speak(rule, var + 1, i + 1, heads, bindings, asks)) return true;
    }
    bindings.facts.erase(var);
    return false;
  }

  void messages() {
    std::vector<std::string> asks;
    if (v_.status == VerdictStatus::Ambiguous) {
      for (const std::size_t c : r_.best) {
        state_.tied.emplace_back();
        for (const Id m : r_.heads[c]) state_.tied.back().push_back(all()[m].id);
      }
      for (const compiler::Rule& rule : state_.module.rules) {
        if (rule.kind != compiler::RuleKind::Ambiguous) continue;
        Bindings bindings;
        speak(rule, 0, 0, head_members(), bindings, asks);
      }
    }
    if (v_.status == VerdictStatus::Attributed || v_.status == VerdictStatus::NoFailure) return;
    v_.ask = computed_asks();
    v_.ask.insert(v_.ask.end(), asks.begin(), asks.end());
  }

  // The least source kind of each extract that makes an event from which a cause of this effect
  // type is decoded.
  [[nodiscard]] std::set<model::SourceKind> wanted_sources(std::uint32_t effect) const {
    std::set<model::SourceKind> out;
    const auto holds = [](const compiler::Scope& scope, std::uint32_t type) {
      return scope.any ||
             std::find(scope.types.begin(), scope.types.end(), type) != scope.types.end();
    };
    for (const compiler::Rule& demote : state_.module.rules) {
      if (demote.kind != compiler::RuleKind::Demote || !holds(demote.vars[1].scope, effect))
        continue;
      for (const compiler::Rule& rule : state_.module.rules) {
        if (rule.kind != compiler::RuleKind::Decode) continue;
        const bool emits_cause = std::any_of(
            rule.emits.begin(), rule.emits.end(),
            [&](const compiler::Emit& emit) { return holds(demote.vars[0].scope, emit.type); });
        if (!emits_cause) continue;
        for (const compiler::Extract& extract : state_.module.extracts) {
          if (extract.event && holds(rule.vars[0].scope, *extract.event))
            out.insert(least_source(extract.sources));
        }
      }
    }
    return out;
  }

  static model::SourceKind least_source(model::SourceMask mask) {
    for (const auto kind : kKinds) {
      if ((mask & model::source_bit(kind)) != 0) return kind;
    }
    return model::SourceKind::App;
  }

  std::vector<std::string> computed_asks() const {
    std::set<model::SourceKind> kinds;
    std::set<std::string> names;
    Nanos from = model::kForever;
    Nanos to = -model::kForever;
    for (Id i = 0; i < all().size(); ++i) {
      if (v_.symptoms[i].state != SymptomState::Unexplained || !r_.failures.contains(i)) continue;
      const Fact& f = all()[i];
      const auto wanted = wanted_sources(f.type);
      kinds.insert(wanted.begin(), wanted.end());
      if (!wanted.empty()) names.insert(type_of(f).name);
      if (!f.begin.known) continue;
      from = std::min(from, f.begin.lo);
      to = std::max(to, f.begin.hi);
    }
    std::vector<std::string> out;
    if (from > to) return out;
    for (const model::SourceKind kind : kinds) {
      const std::string text =
          ask_for(kind, model::sub_nanos(from, 10 * model::kMinute), to, names);
      if (!text.empty()) out.push_back(text);
    }
    return out;
  }

  [[nodiscard]] std::string ask_for(model::SourceKind kind, Nanos from, Nanos to,
                                    const std::set<std::string>& names) const {
    std::vector<std::string> missing;
    const auto covered = [&](const std::string& node) {
      return evidence::covers(state_.evidence, model::source_bit(kind), node, std::nullopt, from,
                              to);
    };
    for (const std::string& node : state_.evidence.workload.nodes) {
      if (!covered(node)) missing.push_back(node);
    }
    if (state_.evidence.workload.nodes.empty() && !covered("")) missing.emplace_back("the job");
    if (missing.empty()) return "";
    constexpr std::size_t kNamed = 4;
    std::string who = fmt::format(
        "{}",
        fmt::join(missing.begin(),
                  missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), kNamed)),
                  ", "));
    if (missing.size() > kNamed) who += fmt::format(" and {} more", missing.size() - kNamed);
    return fmt::format("ask for the {} log of {} from {} to {}: it could show what {} began with",
                       model::word(kind), who, verdict::rfc3339(from), verdict::rfc3339(to),
                       fmt::join(names, ", "));
  }

  void coverage_and_counters() {
    for (const evidence::SourceStatus& s : state_.evidence.sources) {
      if (s.status != "ok") v_.coverage.push_back({s.kind, s.node, s.status, s.reason});
    }
    const evidence::Counters& c = state_.evidence.counters;
    v_.counters = {{"lines", c.lines},
                   {"events", state_.events.size()},
                   {"symptoms", all().size()},
                   {"edges", edges_.kept.size()},
                   {"edges_capped", edges_.capped},
                   {"contradictions", state_.world.contradictions()},
                   {"truncated", c.truncated},
                   {"unparsed", c.unparsed},
                   {"escaped", c.escaped}};
  }

  static constexpr std::array kKinds = {
      model::SourceKind::App,           model::SourceKind::Kernel,
      model::SourceKind::Syslog,        model::SourceKind::Journald,
      model::SourceKind::FabricManager, model::SourceKind::Switch,
      model::SourceKind::Bmc,           model::SourceKind::Slurm,
      model::SourceKind::K8s,           model::SourceKind::Kueue,
      model::SourceKind::Metric,        model::SourceKind::FlightRecorder};

  State state_;
  Options options_;
  Edges edges_;
  std::vector<bool> survived_, history_;
  std::set<Pair> any_, strong_;
  Ranking r_;
  verdict::Verdict v_;
};

}  // namespace

verdict::Verdict evaluate(const compiler::Module& module, const evidence::Evidence& evidence,
                          const Options& options, Notes* notes) {
  Answer answer(module, evidence, options);
  verdict::Verdict v = answer.run();
  if (notes != nullptr) answer.take_notes(*notes);
  return v;
}

}  // namespace attrib::reference
