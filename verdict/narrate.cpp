#include "verdict/narrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "verdict/format.h"

namespace attrib::verdict {
namespace {

using model::Outcome;
using model::Role;
using model::VerdictStatus;

const Symptom& at(const Verdict& v, std::uint32_t index) { return v.symptoms.at(index); }

// When the job ended: the header's word for it, else the earliest symptom that says so.
std::optional<model::Nanos> end_of(const Verdict& v) {
  if (v.job_end) return v.job_end;
  std::optional<model::Nanos> end;
  for (const Symptom& s : v.symptoms) {
    if (s.role != Role::End || !s.begin.known) continue;
    end = end ? std::min(*end, stamp(s.begin)) : stamp(s.begin);
  }
  return end;
}

// ", 9m55s before the job failed"; empty when either time is not known or they are in the wrong
// order.
std::string lead(const Verdict& v, const Symptom& s) {
  const std::optional<model::Nanos> end = end_of(v);
  if (!end || !s.begin.known || open_before(s.begin)) return "";
  const model::Nanos from = stamp(s.begin);
  const model::Nanos width =
      model::sub_nanos(model::sub_nanos(s.begin.hi, s.begin.lo), 2 * s.begin.error);
  const model::Nanos gap = model::sub_nanos(*end, from);
  if (gap < 0) return "";
  if (gap < model::kSecond) return fmt::format(", as {}", ending_text(v.outcome));
  const bool range = width > model::kMinute;  // It began somewhere in there.
  return fmt::format(", {}{} before {}", range ? "at most " : "", human_duration(gap),
                     ending_text(v.outcome));
}

// Several causes of one title on many ranks are one thing to say.
std::string describe_all(const Verdict& v, const std::vector<std::uint32_t>& indexes) {
  if (indexes.empty()) return "";
  const Symptom& first = at(v, indexes[0]);
  if (indexes.size() == 1) return describe(first);
  const bool one_title = std::all_of(indexes.begin(), indexes.end(), [&](std::uint32_t i) {
    return title_of(at(v, i)) == title_of(first);
  });
  std::set<std::string> nodes;
  std::set<std::int64_t> ranks;
  for (const std::uint32_t i : indexes) {
    if (at(v, i).node) nodes.insert(*at(v, i).node);
    if (at(v, i).rank) ranks.insert(*at(v, i).rank);
    ranks.insert(at(v, i).ranks.begin(), at(v, i).ranks.end());
    nodes.insert(at(v, i).nodes.begin(), at(v, i).nodes.end());
  }
  if (one_title) {
    std::string where = ranks.size() > 1 ? plural(ranks.size(), "rank", "ranks") : "";
    if (!nodes.empty()) {
      if (!where.empty()) where += " of ";
      where += nodes.size() == 1 ? *nodes.begin() : plural(nodes.size(), "node", "nodes");
    }
    if (where.empty()) where = plural(indexes.size(), "place", "places");
    return fmt::format("{} on {}", title_of(first), where);
  }
  if (indexes.size() == 2)
    return fmt::format("{} and {}", describe(first), describe(at(v, indexes[1])));
  return fmt::format("{} and {} others", describe(first), grouped(indexes.size() - 1));
}

std::string number_word(std::size_t n) {
  constexpr std::string_view kWords[] = {"Zero", "One", "Two", "Three", "Four", "Five", "Six"};
  return n < std::size(kWords) ? std::string(kWords[n]) : grouped(n);
}

std::string ambiguous(const Verdict& v) {
  std::string out =
      fmt::format("{} unrelated causes fit equally well: ", number_word(v.alternatives.size()));
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(v.alternatives.size(), kNamed); ++i) {
    if (i > 0) out += ", ";
    out += describe_all(v, v.alternatives[i].members);
  }
  if (v.alternatives.size() > kNamed) {
    out += fmt::format(" and {} more", grouped(v.alternatives.size() - kNamed));
  }
  return out;
}

// The earliest unexplained symptom of a failure, victims before ends; canonical order is by time.
const Symptom* first_sign(const Verdict& v) {
  const Symptom* end = nullptr;
  for (const Symptom& s : v.symptoms) {
    const bool open = s.state == SymptomState::Unexplained || s.state == SymptomState::Demoted;
    if (open && s.role == Role::Victim) return &s;
    if (open && s.role == Role::End && end == nullptr) end = &s;
  }
  return end;
}

std::string unattributed(const Verdict& v) {
  std::string out = fmt::format("Not attributed: {}", ending_text(v.outcome));
  const Symptom* sign = first_sign(v);
  if (sign == nullptr) return out + "; nothing in the evidence says why";
  if (sign->role == Role::End)
    return out + fmt::format("; only its end is known: {}", describe(*sign));
  return out + fmt::format("; first sign: {}", describe(*sign));
}

std::string no_failure(const Verdict& v) {
  std::size_t seen = 0;
  for (const Symptom& s : v.symptoms)
    seen += s.role == Role::End || s.role == Role::Note ? 0 : s.folded;
  std::string how = v.outcome == Outcome::Completed ? "The job completed" : "No failure";
  if (seen == 0) return how;
  return fmt::format("{}; {} seen on the way did not stop it", how,
                     plural(seen, "symptom", "symptoms"));
}

}  // namespace

std::string ending_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Failed:
      return "the job failed";
    case Outcome::Completed:
      return "the job completed";
    case Outcome::Cancelled:
      return "the job was cancelled";
    case Outcome::TimedOut:
      return "the job ran into its time limit";
    case Outcome::Preempted:
      return "the job was preempted";
    case Outcome::Requeued:
      return "the job was requeued";
    case Outcome::NodeFailed:
      return "the job lost a node";
    case Outcome::NotStarted:
      return "the job failed to start";
    case Outcome::Hung:
      return "the job was found hanging";
    case Outcome::Degraded:
      return "the job was found degraded";
    case Outcome::Running:
      return "the job was last seen running";
    case Outcome::Unknown:
      return "the job ended";
  }
  return "the job ended";
}

void narrate(Verdict& v) {
  switch (v.status) {
    case VerdictStatus::Attributed:
      v.summary = describe_all(v, v.root_causes);
      if (!v.root_causes.empty()) v.summary += lead(v, at(v, v.root_causes[0]));
      break;
    case VerdictStatus::Ambiguous:
      v.summary = ambiguous(v);
      break;
    case VerdictStatus::Unattributed:
      v.summary = unattributed(v);
      break;
    case VerdictStatus::NoFailure:
      v.summary = no_failure(v);
      break;
  }
}

}  // namespace attrib::verdict
