#include "evidence/coverage.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "evidence/intervals.h"

namespace attrib::evidence {
namespace {

using model::Nanos;
using model::SourceKind;

// Hole in what a source kept, on one node and of the kinds its lines speak for.
struct Loss {
  model::SourceMask kinds = 0;
  const Observation* at = nullptr;
  Interval hole;
};

bool same_source(const SourceStatus& s, const Observation& o) {
  const bool node = s.node.empty() || o.node.empty() || s.node == o.node;
  return node && (!s.rank || !o.rank || s.rank == o.rank);
}

// From the place before to the line that tells of it: what was dropped was printed between them.
// Lines that share the loss line's place say nothing about which came first.
std::vector<Loss> losses(const std::vector<Draft>& drafts) {
  std::vector<Loss> out;
  std::vector<const Draft*> order;
  for (const Draft& d : drafts) {
    const Observation& o = d.observation;
    if (o.seen.known) {
      order.push_back(&d);
    } else if (d.lost_before || says_loss(o.message)) {
      out.push_back({o.speaks, &o, {-model::kForever, model::kForever}});  // Whenever that was.
    }
  }
  const auto key = [](const Draft* d) {
    return std::tie(d->observation.stream, d->observation.position);
  };
  std::sort(order.begin(), order.end(),
            [&](const Draft* a, const Draft* b) { return key(a) < key(b); });
  std::uint32_t stream = 0;
  Nanos before = -model::kForever;
  for (std::size_t first = 0; first < order.size();) {
    if (order[first]->observation.stream != stream) before = -model::kForever;
    stream = order[first]->observation.stream;
    Nanos here = model::kForever;
    std::size_t last = first;
    for (; last < order.size() && key(order[last]) == key(order[first]); ++last) {
      const Observation& o = order[last]->observation;
      here = std::min(here, o.seen.lo);
      if (order[last]->lost_before || says_loss(o.message))
        out.push_back({o.speaks, &o, {before, o.seen.hi}});
    }
    before = here;
    first = last;
  }
  return out;
}

// Is the log of such a source complete for all nodes although it names none?
bool is_central(SourceKind kind) {
  return kind == SourceKind::Slurm || kind == SourceKind::K8s || kind == SourceKind::Kueue ||
         kind == SourceKind::Switch;
}

// A file is complete from its first stamp to its last; a log of several hosts, for each of them.
// The ends are drawn in by the clock's error.
std::vector<SourceStatus> raw_statuses(const std::vector<RawSource>& raw_sources,
                                       const std::vector<Draft>& drafts) {
  struct Ends {
    Nanos first = model::kForever, last = -model::kForever;
  };
  std::map<std::pair<std::uint32_t, std::string>, Ends> files;  // Of (input, node).
  for (const Draft& d : drafts) {
    if (d.json) continue;
    Ends& ends = files[{d.place.input, d.observation.node}];
    if (!d.placed) continue;
    ends.first = std::min(ends.first, d.observation.seen.hi);
    ends.last = std::max(ends.last, d.observation.seen.lo);
  }
  std::vector<SourceStatus> out;
  for (const RawSource& raw : raw_sources) {
    auto at = files.lower_bound({raw.input, std::string()});
    if (at == files.end() || at->first.first != raw.input) out.push_back(raw.status);
    for (; at != files.end() && at->first.first == raw.input; ++at) {
      SourceStatus status = raw.status;
      if (status.node.empty()) status.node = at->first.second;
      const bool named = !status.node.empty() || status.rank || is_central(status.kind);
      if (named && at->second.first <= at->second.last)
        status.coverage = {{at->second.first, at->second.last}};
      out.push_back(std::move(status));
    }
  }
  return out;
}

}  // namespace

bool says_loss(std::string_view body) {
  const auto has = [body](std::string_view part) {
    return body.find(part) != std::string_view::npos;
  };
  if (has("suppressed") || has("Suppressed")) {
    // "printk: 12 messages suppressed", "__ratelimit: 34 callbacks suppressed", "Suppressed 87
    // messages from ..."
    return has("messages suppressed") || has("callbacks suppressed") ||
           (has("Suppressed ") && has(" messages"));
  }
  constexpr std::array<std::string_view, 5> kOthers = {
      "messages lost due to rate-limiting",                // rsyslog: imuxsock, imjournal
      "printk messages dropped",                           // ** 12 printk messages dropped **
      "kmsg records dropped", "/dev/kmsg buffer overrun",  // systemd-journald
      "journal: Missed "};
  return std::any_of(kOthers.begin(), kOthers.end(), has);
}

std::vector<SourceStatus> settle_sources(const Header& header,
                                         const std::vector<RawSource>& raw_sources,
                                         const std::vector<Draft>& drafts) {
  std::vector<SourceStatus> out = raw_statuses(raw_sources, drafts);
  for (const SourceDeclaration& each : header.sources) out.push_back(each.status);
  for (const Loss& loss : losses(drafts)) {
    for (SourceStatus& s : out) {
      if ((model::source_bit(s.kind) & loss.kinds) == 0 || !same_source(s, *loss.at)) continue;
      s.coverage = without(s.coverage, loss.hole);
    }
  }
  const auto key = [](const SourceStatus& s) {
    return std::tie(s.kind, s.node, s.rank, s.family, s.status, s.reason, s.clock_error, s.lag);
  };
  const auto intervals = [](const SourceStatus& s) {
    std::vector<std::pair<Nanos, Nanos>> pairs;
    for (const Interval& each : s.coverage) pairs.emplace_back(each.begin, each.end);
    return pairs;
  };
  std::sort(out.begin(), out.end(), [&](const SourceStatus& a, const SourceStatus& b) {
    return key(a) != key(b) ? key(a) < key(b) : intervals(a) < intervals(b);
  });
  out.erase(std::unique(out.begin(), out.end(),
                        [&](const SourceStatus& a, const SourceStatus& b) {
                          return key(a) == key(b) && a.coverage == b.coverage;
                        }),
            out.end());
  return out;
}

namespace {

// One kind must be complete on its own: a line shows in the kernel log or the syslog, and half of
// each proves nothing.
bool kind_covers(const Evidence& evidence, SourceKind kind, const std::string& node,
                 std::optional<std::uint32_t> rank, Nanos from, Nanos to) {
  std::vector<Interval> all;
  for (const SourceStatus& s : evidence.sources) {
    if (s.kind != kind || s.status == "failed") continue;
    const bool speaks = (s.node.empty() || s.node == node) && (!s.rank || s.rank == rank);
    if (speaks) all.insert(all.end(), s.coverage.begin(), s.coverage.end());
  }
  return holds(united(std::move(all)), from, to);
}

std::vector<std::uint32_t> ranks_on(const Workload& workload, const std::string& node) {
  std::vector<std::uint32_t> out;
  for (const Placement& p : workload.placement) {
    if (p.node == node) out.push_back(p.rank);
  }
  return out;
}

bool node_covered(const Evidence& evidence, SourceKind kind, const std::string& node, Nanos from,
                  Nanos to) {
  if (kind_covers(evidence, kind, node, std::nullopt, from, to)) return true;
  // Files of single ranks cover their node together, if all its ranks are known.
  const auto ranks = ranks_on(evidence.workload, node);
  const auto expected = evidence.workload.ranks_per_node;
  if (ranks.empty() || (expected && ranks.size() < *expected)) return false;
  return std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
    return kind_covers(evidence, kind, node, rank, from, to);
  });
}

}  // namespace

bool covers(const Evidence& evidence, model::SourceMask mask, const std::string& node,
            std::optional<std::uint32_t> rank, Nanos from, Nanos to) {
  const auto& nodes = evidence.workload.nodes;
  for (std::size_t i = 0; i < model::words<SourceKind>().size(); ++i) {
    const auto kind = static_cast<SourceKind>(i);
    if ((mask & model::source_bit(kind)) == 0) continue;
    if (rank) {
      if (kind_covers(evidence, kind, node, rank, from, to)) return true;
    } else if (!node.empty()) {
      if (node_covered(evidence, kind, node, from, to)) return true;
    } else if (kind_covers(evidence, kind, "", std::nullopt, from, to) ||
               (!nodes.empty() &&
                std::all_of(nodes.begin(), nodes.end(), [&](const std::string& each) {
                  return node_covered(evidence, kind, each, from, to);
                }))) {
      return true;
    }
  }
  return false;
}

}  // namespace attrib::evidence
