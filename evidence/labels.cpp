#include "evidence/labels.h"

#include <algorithm>
#include <map>

namespace attrib::evidence {
namespace {

// All ranks of a node in order, where the placement names them all.
using NodeRanks = std::map<std::string, std::vector<std::uint32_t>>;

NodeRanks ranks_of_nodes(const Workload& workload) {
  NodeRanks out;
  for (const Placement& p : workload.placement) {
    auto& ranks = out[p.node];
    if (ranks.empty() || ranks.back() != p.rank) ranks.push_back(p.rank);  // Sorted by rank.
  }
  if (workload.ranks_per_node) {
    std::erase_if(
        out, [&](const auto& entry) { return entry.second.size() != *workload.ranks_per_node; });
  }
  return out;
}

bool one_node(const Workload& w) {
  return w.nodes.size() == 1 || (w.ranks && w.ranks_per_node && *w.ranks <= *w.ranks_per_node);
}

// srun numbers tasks. They are the ranks if each task is one process, which shows when the labels
// reach the last rank.
bool tasks_are_ranks(const Drafts& drafts, const Workload& workload) {
  std::optional<std::uint32_t> highest;
  for (const Draft& d : drafts) {
    if (d.label_kind == LabelKind::Task) highest = std::max(highest, std::optional(d.label));
  }
  return highest && workload.ranks && *highest + 1 == *workload.ranks;
}

}  // namespace

void settle_labels(Drafts* drafts, const Workload& workload) {
  const NodeRanks nodes = ranks_of_nodes(workload);
  const bool tasks = tasks_are_ranks(*drafts, workload);
  for (Draft& d : *drafts) {
    if (d.observation.rank || d.label_kind == LabelKind::None) continue;
    if (d.label_kind == LabelKind::Task) {
      if (tasks) d.observation.rank = d.label;
      continue;
    }
    const auto ranks = nodes.find(d.observation.node);
    if (ranks != nodes.end() && d.label < ranks->second.size()) {
      d.observation.rank = ranks->second[d.label];
    } else if (one_node(workload)) {
      d.observation.rank = d.label;
    }
  }
}

}  // namespace attrib::evidence
