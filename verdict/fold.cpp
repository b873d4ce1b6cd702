#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "verdict/verdict.h"

namespace attrib::verdict {
namespace {

constexpr std::size_t kMaxFoldedDemotions = 8;
constexpr std::size_t kMaxFoldedInputs = 8;

// Times differ from rank to rank although nothing else does; entities are what is folded over.
bool varies(const NamedField& field) {
  return field.value.kind == model::ValueKind::Duration || field.reader == model::Reader::Entity ||
         field.name == "rank" || field.name == "gpu";
}

using Demoters = std::set<std::tuple<std::string, bool>>;
using Fields = std::vector<std::pair<std::string, model::Constant>>;
struct Key {
  std::string symptom, title, rule, action, owner;
  int state, role, domain, severity, confidence, retry, accuses, kind;
  bool has_node, has_rank, known_begin, root;
  std::set<std::string> lost;  // Why the alternatives it is a head of lost, or "tied".
  Demoters demoters;
  Fields fields;
  std::vector<std::string> absences;
  auto operator<=>(const Key&) const = default;
};

Key key_of(const Symptom& s, bool root, std::set<std::string> lost) {
  Key key{s.symptom,
          s.title,
          s.proof.rule,
          s.action,
          s.owner,
          static_cast<int>(s.state),
          static_cast<int>(s.role),
          static_cast<int>(s.domain),
          static_cast<int>(s.severity),
          static_cast<int>(s.confidence),
          static_cast<int>(s.retry),
          s.accuses ? 1 : 0,
          static_cast<int>(s.entity.kind),
          s.node.has_value(),
          s.rank.has_value(),
          s.begin.known,
          root,
          std::move(lost),
          {},
          {},
          {}};
  for (const Demotion& d : s.demoted_by) key.demoters.emplace(d.rule, d.strong);
  for (const NamedField& field : s.fields) {
    key.fields.emplace_back(field.name, varies(field) ? model::null_constant() : field.value);
  }
  for (const AbsentEvidence& a : s.absences) key.absences.push_back(a.absent);
  return key;
}

void keep_equal_fields(std::vector<NamedField>& kept, const std::vector<NamedField>& other) {
  std::erase_if(kept, [&](const NamedField& field) {
    return std::none_of(other.begin(), other.end(), [&](const NamedField& f) {
      return f.name == field.name && f.value == field.value;
    });
  });
}

// One entry being put together from its members, which come in canonical order.
class Folded {
 public:
  explicit Folded(const Symptom& first) : entry_(first) {
    entry_.evidence.clear();
    entry_.demoted_by.clear();
    entry_.proof.inputs.clear();
    entry_.folded = 0;
    entry_.count = 0;
  }

  void add(const Symptom& s) {
    ++entry_.folded;
    entry_.count += s.count;
    if (!(s.entity == entry_.entity)) entry_.entity.id.clear();
    if (s.node != entry_.node) entry_.node.reset();
    if (s.rank != entry_.rank) entry_.rank.reset();
    if (s.gpu != entry_.gpu) entry_.gpu.reset();
    keep_equal_fields(entry_.fields, s.fields);
    if (s.rank) ranks_.insert(*s.rank);
    if (s.node) nodes_.insert(*s.node);
    if (s.last.known && (!entry_.last.known || s.last.hi > entry_.last.hi)) entry_.last = s.last;
    if (s.proof.table_row != entry_.proof.table_row) entry_.proof.table_row.clear();
    add_evidence(s);
    for (const Demotion& d : s.demoted_by) add_demotion(d);
    for (const std::uint32_t input : s.proof.inputs) inputs_.insert(input);
    extracts_.insert(s.proof.extracts.begin(), s.proof.extracts.end());
  }

  Symptom done() && {
    entry_.ranks.assign(ranks_.begin(), ranks_.end());
    entry_.nodes_total = nodes_.size();
    entry_.nodes.clear();
    for (const std::string& node : nodes_) {
      if (entry_.nodes.size() == kMaxFoldedNodes) break;
      entry_.nodes.push_back(node);
    }
    for (const auto& [key, demotion] : demotions_) {
      if (entry_.demoted_by.size() == kMaxFoldedDemotions) break;
      entry_.demoted_by.push_back(demotion);
    }
    for (const std::uint32_t input : inputs_) {
      if (entry_.proof.inputs.size() == kMaxFoldedInputs) break;
      entry_.proof.inputs.push_back(input);
    }
    entry_.proof.extracts.assign(extracts_.begin(), extracts_.end());
    return std::move(entry_);
  }

 private:
  // One line of each member first: eight ranks tell more than eight lines of one rank.
  void add_evidence(const Symptom& s) {
    if (s.evidence.empty()) return;
    if (entry_.evidence.size() < kMaxEvidence &&
        std::find(entry_.evidence.begin(), entry_.evidence.end(), s.evidence[0]) ==
            entry_.evidence.end()) {
      entry_.evidence.push_back(s.evidence[0]);
      if (s.evidence.size() > 1) entry_.evidence_truncated = true;
    } else {
      entry_.evidence_truncated = true;
    }
  }

  void add_demotion(const Demotion& d) {
    const auto [at, fresh] = demotions_.try_emplace({d.cause, d.rule}, d);
    if (fresh) return;
    at->second.margin_lo = std::min(at->second.margin_lo, d.margin_lo);
    at->second.margin_hi = std::max(at->second.margin_hi, d.margin_hi);
    at->second.strong = at->second.strong && d.strong;
  }

  Symptom entry_;
  std::set<std::int64_t> ranks_;
  std::set<std::string> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, Demotion> demotions_;
  std::set<std::uint32_t> inputs_;
  std::set<std::string> extracts_;
};

using Renumbering = std::vector<std::uint32_t>;

// Old indexes as new ones, each once, in their old order.
void renumber(std::vector<std::uint32_t>& indexes, const Renumbering& to) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> out;
  for (const std::uint32_t index : indexes) {
    if (seen.insert(to.at(index)).second) out.push_back(to.at(index));
  }
  indexes = std::move(out);
}

void renumber(std::vector<Candidate>& candidates, const Renumbering& to) {
  std::set<std::pair<std::vector<std::uint32_t>, std::string>> seen;
  std::vector<Candidate> out;
  for (Candidate& candidate : candidates) {
    renumber(candidate.members, to);
    if (seen.emplace(candidate.members, candidate.why).second) out.push_back(std::move(candidate));
  }
  candidates = std::move(out);
}

// A folded cause may now stand for several that one rule named.
void renumber(std::vector<Demotion>& demotions, const Renumbering& to) {
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> place;
  std::vector<Demotion> out;
  for (Demotion& d : demotions) {
    d.cause = to.at(d.cause);
    const auto [at, fresh] = place.try_emplace({d.cause, d.rule}, out.size());
    if (fresh) {
      out.push_back(std::move(d));
      continue;
    }
    Demotion& kept = out[at->second];
    kept.margin_lo = std::min(kept.margin_lo, d.margin_lo);
    kept.margin_hi = std::max(kept.margin_hi, d.margin_hi);
    kept.strong = kept.strong && d.strong;
  }
  demotions = std::move(out);
}

// The group of each symptom: the index of its first member.
std::vector<std::vector<std::uint32_t>> groups_of(const Verdict& v) {
  std::vector<bool> root(v.symptoms.size(), false);
  std::vector<std::set<std::string>> lost(v.symptoms.size());
  for (const std::uint32_t index : v.root_causes) root.at(index) = true;
  for (const Candidate& candidate : v.alternatives) {
    for (const std::uint32_t index : candidate.members) lost.at(index).insert(candidate.why);
  }
  std::map<Key, std::size_t> place;
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < v.symptoms.size(); ++i) {
    const auto [at, fresh] =
        place.try_emplace(key_of(v.symptoms[i], root[i], std::move(lost[i])), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  return groups;
}

}  // namespace

void fold(Verdict& v) {
  std::vector<std::vector<std::uint32_t>> groups = groups_of(v);
  std::vector<std::vector<std::uint32_t>> entries;
  for (std::vector<std::uint32_t>& group : groups) {
    if (group.size() > kFoldFrom) {
      entries.push_back(std::move(group));
    } else {
      for (const std::uint32_t member : group) entries.push_back({member});
    }
  }
  if (entries.size() == v.symptoms.size()) return;
  std::sort(entries.begin(), entries.end());  // By their first member: canonical order stays.

  Renumbering to(v.symptoms.size());
  std::vector<Symptom> symptoms;
  for (const std::vector<std::uint32_t>& entry : entries) {
    for (const std::uint32_t member : entry)
      to[member] = static_cast<std::uint32_t>(symptoms.size());
    if (entry.size() == 1) {
      symptoms.push_back(std::move(v.symptoms[entry[0]]));
      continue;
    }
    Folded folded(v.symptoms[entry[0]]);
    for (const std::uint32_t member : entry) folded.add(v.symptoms[member]);
    symptoms.push_back(std::move(folded).done());
  }
  v.symptoms = std::move(symptoms);
  for (Symptom& s : v.symptoms) {
    renumber(s.demoted_by, to);
    renumber(s.proof.inputs, to);
  }
  renumber(v.root_causes, to);
  renumber(v.alternatives, to);
}

}  // namespace attrib::verdict
