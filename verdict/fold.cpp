#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

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

using Demoter = std::pair<std::string_view, bool>;  // Rule, strong.

// The rules that demote it, each once, however many causes they name.
std::vector<Demoter> demoters_of(const Symptom& s) {
  std::vector<Demoter> out;
  for (const Demotion& d : s.demoted_by) out.emplace_back(d.rule, d.strong);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Why the alternatives lost, or "tied", that a symptom is a head of; by symptom.
using Losses = std::vector<std::set<std::string_view>>;

auto words_of(const Symptom& s) {
  return std::make_tuple(s.state, s.role, s.domain, s.severity, s.confidence, s.retry, s.accuses,
                         s.entity.kind, s.node.has_value(), s.rank.has_value(), s.begin.known,
                         std::string_view(s.symptom), std::string_view(s.title),
                         std::string_view(s.proof.rule), std::string_view(s.action),
                         std::string_view(s.owner));
}

// What symptoms must have in common to become one entry.
class Alike {
 public:
  Alike(const Verdict& v, Losses losses)
      : symptoms_(v.symptoms), losses_(std::move(losses)), root_(v.symptoms.size(), false) {
    for (const std::uint32_t index : v.root_causes) root_.at(index) = true;
    demoters_.reserve(symptoms_.size());
    for (const Symptom& s : symptoms_) demoters_.push_back(demoters_of(s));
  }

  [[nodiscard]] std::size_t hash(std::uint32_t i) const {
    const Symptom& s = symptoms_[i];
    std::size_t out = static_cast<std::size_t>(s.state);
    const auto mix = [&out](std::size_t more) {
      out = (out ^ more) * 0x9e3779b97f4a7c15U;
      out ^= out >> 32U;
    };
    const auto mix_text = [&](std::string_view text) { mix(std::hash<std::string_view>()(text)); };
    mix_text(s.symptom);
    for (const Demoter& demoter : demoters_[i]) mix_text(demoter.first);
    for (const NamedField& field : s.fields) {
      if (varies(field)) continue;
      mix(static_cast<std::size_t>(field.value.number));
      mix_text(field.value.text);
    }
    return out;
  }

  [[nodiscard]] bool equal(std::uint32_t i, std::uint32_t j) const {
    const Symptom& a = symptoms_[i];
    const Symptom& b = symptoms_[j];
    return words_of(a) == words_of(b) && root_[i] == root_[j] && losses_[i] == losses_[j] &&
           demoters_[i] == demoters_[j] &&
           std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                      same_field) &&
           std::equal(a.absences.begin(), a.absences.end(), b.absences.begin(), b.absences.end(),
                      [](const auto& x, const auto& y) { return x.absent == y.absent; });
  }

 private:
  static bool same_field(const NamedField& a, const NamedField& b) {
    if (a.name != b.name || varies(a) != varies(b)) return false;
    return varies(a) || a.value == b.value;
  }

  const std::vector<Symptom>& symptoms_;
  Losses losses_;
  std::vector<bool> root_;
  std::vector<std::vector<Demoter>> demoters_;
};

void keep_equal_fields(std::vector<NamedField>& kept, const std::vector<NamedField>& other) {
  std::erase_if(kept, [&](const NamedField& field) {
    return std::none_of(other.begin(), other.end(), [&](const NamedField& f) {
      return f.name == field.name && f.value == field.value;
    });
  });
}

void widen(Demotion& kept, const Demotion& d) {
  kept.margin_lo = std::min(kept.margin_lo, d.margin_lo);
  kept.margin_hi = std::max(kept.margin_hi, d.margin_hi);
  kept.strong = kept.strong && d.strong;
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
    for (const std::uint32_t input : s.proof.inputs) add_input(input);
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
    for (auto& [key, demotion] : demotions_) entry_.demoted_by.push_back(std::move(demotion));
    entry_.proof.inputs.assign(inputs_.begin(), inputs_.end());
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

  // What is not among the least now never will be.
  void add_demotion(const Demotion& d) {
    const bool full = demotions_.size() == kMaxFoldedDemotions;
    if (full && demotions_.rbegin()->first.first < d.cause) return;
    const auto [at, fresh] = demotions_.try_emplace({d.cause, d.rule}, d);
    if (!fresh) widen(at->second, d);
    if (demotions_.size() > kMaxFoldedDemotions) demotions_.erase(std::prev(demotions_.end()));
  }

  void add_input(std::uint32_t input) {
    inputs_.insert(input);
    if (inputs_.size() > kMaxFoldedInputs) inputs_.erase(std::prev(inputs_.end()));
  }

  Symptom entry_;
  std::set<std::int64_t> ranks_;
  std::set<std::string> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, Demotion> demotions_;
  std::set<std::uint32_t> inputs_;  // The least ones, as are the demotions.
  std::set<std::string> extracts_;
};

using Renumbering = std::vector<std::uint32_t>;

// Old indexes as new ones, each once, in their old order.
void renumber(std::vector<std::uint32_t>& indexes, const Renumbering& to) {
  std::set<std::uint32_t> seen;
  std::size_t kept = 0;
  for (const std::uint32_t index : indexes) {
    if (seen.insert(to.at(index)).second) indexes[kept++] = to.at(index);
  }
  indexes.resize(kept);
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

// A folded cause may now stand for several that one rule named. The lists are short.
void renumber(std::vector<Demotion>& demotions, const Renumbering& to) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < demotions.size(); ++i) {
    Demotion& d = demotions[i];
    d.cause = to.at(d.cause);
    const auto end = demotions.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto same = std::find_if(demotions.begin(), end, [&](const Demotion& other) {
      return other.cause == d.cause && other.rule == d.rule;
    });
    if (same != end) {
      widen(*same, d);
    } else {
      if (kept != i) demotions[kept] = std::move(d);
      ++kept;
    }
  }
  demotions.resize(kept);
}

struct Groups {
  std::vector<std::uint32_t> of;    // By symptom.
  std::vector<std::uint32_t> size;  // By group.
};

Groups groups_of(const Verdict& v) {
  Losses losses(v.symptoms.size());
  for (const Candidate& candidate : v.alternatives) {
    for (const std::uint32_t index : candidate.members) losses.at(index).insert(candidate.why);
  }
  const Alike alike(v, std::move(losses));
  const auto hash = [&alike](std::uint32_t i) { return alike.hash(i); };
  const auto equal = [&alike](std::uint32_t i, std::uint32_t j) { return alike.equal(i, j); };
  // By its first member. Asked, never walked.
  std::unordered_map<std::uint32_t, std::uint32_t, decltype(hash), decltype(equal)> number(
      v.symptoms.size(), hash, equal);
  Groups groups;
  groups.of.reserve(v.symptoms.size());
  for (std::uint32_t i = 0; i < v.symptoms.size(); ++i) {
    const auto group = static_cast<std::uint32_t>(groups.size.size());
    const auto [at, fresh] = number.try_emplace(i, group);
    if (fresh) groups.size.push_back(0);
    ++groups.size[at->second];
    groups.of.push_back(at->second);
  }
  return groups;
}

}  // namespace

void fold(Verdict& v) {
  const Groups groups = groups_of(v);
  const auto folds = [](std::uint32_t size) { return size > kFoldFrom; };
  if (std::none_of(groups.size.begin(), groups.size.end(), folds)) return;

  // An entry stands where its first member stood, so canonical order stays.
  std::vector<std::unique_ptr<Folded>> entries(groups.size.size());
  std::vector<std::uint32_t> place(groups.size.size(), 0);
  Renumbering to(v.symptoms.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < to.size(); ++i) {
    Symptom& s = v.symptoms[i];
    const std::uint32_t group = groups.of[i];
    if (!folds(groups.size[group])) {
      to[i] = kept;
      if (kept != i) v.symptoms[kept] = std::move(s);
      ++kept;
      continue;
    }
    if (!entries[group]) {
      entries[group] = std::make_unique<Folded>(s);
      place[group] = kept++;
    }
    entries[group]->add(s);
    to[i] = place[group];
  }
  v.symptoms.resize(kept);
  for (std::size_t g = 0; g < entries.size(); ++g) {
    if (entries[g]) v.symptoms[place[g]] = std::move(*entries[g]).done();
  }
  for (Symptom& s : v.symptoms) {
    renumber(s.demoted_by, to);
    renumber(s.proof.inputs, to);
  }
  renumber(v.root_causes, to);
  renumber(v.alternatives, to);
}

}  // namespace attrib::verdict
