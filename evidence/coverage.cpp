#include "evidence/coverage.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
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

bool tells_loss(const Draft& d) {
  return d.lost_before || (d.tells_loss ? *d.tells_loss : says_loss(d.observation.message));
}

// From the place before to the line that tells of it: what was dropped was printed between them.
// Lines that share the loss line's place say nothing about which came first.
std::vector<Loss> losses(const Drafts& drafts) {
  std::vector<Loss> out;
  std::vector<const Draft*> order;
  for (const Draft& d : drafts) {
    const Observation& o = d.observation;
    if (o.seen.known) {
      order.push_back(&d);
    } else if (tells_loss(d)) {
      out.push_back({o.speaks, &o, {-model::kForever, model::kForever}});  // Whenever that was.
    }
  }
  const auto key = [](const Draft* d) {
    return std::tie(d->observation.stream, d->observation.position);
  };
  const auto before_it = [&](const Draft* a, const Draft* b) { return key(a) < key(b); };
  if (!std::is_sorted(order.begin(), order.end(), before_it))
    std::sort(order.begin(), order.end(), before_it);
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
      if (!tells_loss(*order[last])) continue;
      const Around* around = order[last]->around.get();
      const bool nearer = around != nullptr && around->before.placed;
      out.push_back({o.speaks, &o, {nearer ? around->before.lo : before, o.seen.hi}});
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
                                       const Drafts& drafts) {
  struct Ends {
    Nanos first = model::kForever, last = -model::kForever;
  };
  std::map<std::pair<std::uint32_t, std::string>, Ends> files;  // Of (input, node).
  auto file = files.end();  // Mostly the lines of one follow one another.
  for (const Draft& d : drafts) {
    if (d.json) continue;
    const bool same = file != files.end() && file->first.first == d.place.input &&
                      file->first.second == d.observation.node;
    if (!same) file = files.try_emplace({d.place.input, d.observation.node}).first;
    if (!d.placed) continue;
    Ends& ends = file->second;
    ends.first = std::min(ends.first, d.observation.seen.hi);
    ends.last = std::max(ends.last, d.observation.seen.lo);
  }
  std::vector<SourceStatus> out;
  for (const RawSource& raw : raw_sources) {
    auto at = files.lower_bound({raw.input, std::string()});
    if (raw.snapshot || at == files.end() || at->first.first != raw.input) {
      out.push_back(raw.status);
      continue;
    }
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
                                         const Drafts& drafts) {
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

using Ranks = std::vector<std::uint32_t>;
using RanksOfNodes = std::map<std::string_view, Ranks>;

RanksOfNodes ranks_of_nodes(const Workload& workload) {
  RanksOfNodes out;
  for (const Placement& p : workload.placement) out[p.node].push_back(p.rank);
  return out;
}

Ranks ranks_on(const Workload& workload, std::string_view node) {
  Ranks out;
  for (const Placement& p : workload.placement) {
    if (p.node == node) out.push_back(p.rank);
  }
  return out;
}

// Sources are sorted by kind, node and rank.
std::span<const SourceStatus> of_node(const Evidence& evidence, SourceKind kind,
                                      std::string_view node) {
  const auto key = [](const SourceStatus& s) {
    return std::pair<SourceKind, std::string_view>(s.kind, s.node);
  };
  const std::pair<SourceKind, std::string_view> wanted(kind, node);
  const auto first = std::partition_point(evidence.sources.begin(), evidence.sources.end(),
                                          [&](const SourceStatus& s) { return key(s) < wanted; });
  const auto last = std::partition_point(first, evidence.sources.end(),
                                         [&](const SourceStatus& s) { return key(s) == wanted; });
  return {first, last};
}

// One kind must be complete on its own: a line shows in the kernel log or the syslog, and half of
// each proves nothing.
bool kind_covers(const Evidence& evidence, SourceKind kind, std::string_view node,
                 std::optional<std::uint32_t> rank, const Interval& during) {
  std::vector<Interval> all;
  const auto add = [&](std::span<const SourceStatus> sources) {
    for (const SourceStatus& s : sources) {
      const bool speaks = s.status != "failed" && (!s.rank || s.rank == rank);
      if (speaks) all.insert(all.end(), s.coverage.begin(), s.coverage.end());
    }
  };
  add(of_node(evidence, kind, ""));
  if (!node.empty()) add(of_node(evidence, kind, node));
  return holds(united(std::move(all)), during.begin, during.end);
}

// Files of single ranks cover their node together, if all its ranks are known.
bool ranks_cover(const Evidence& evidence, SourceKind kind, std::string_view node,
                 const Ranks& ranks, const Interval& during) {
  const auto expected = evidence.workload.ranks_per_node;
  if (ranks.empty() || (expected && ranks.size() < *expected)) return false;
  return std::all_of(ranks.begin(), ranks.end(), [&](std::uint32_t rank) {
    return kind_covers(evidence, kind, node, rank, during);
  });
}

bool nodes_cover(const Evidence& evidence, SourceKind kind, const Interval& during) {
  const auto& nodes = evidence.workload.nodes;
  std::optional<RanksOfNodes> ranks;
  return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
    if (kind_covers(evidence, kind, node, std::nullopt, during)) return true;
    if (!ranks) ranks = ranks_of_nodes(evidence.workload);
    return ranks_cover(evidence, kind, node, (*ranks)[node], during);
  });
}

}  // namespace

bool covers(const Evidence& evidence, model::SourceMask mask, const std::string& node,
            std::optional<std::uint32_t> rank, Nanos from, Nanos to) {
  const Interval during{from, to};
  for (std::size_t i = 0; i < model::words<SourceKind>().size(); ++i) {
    const auto kind = static_cast<SourceKind>(i);
    if ((mask & model::source_bit(kind)) == 0) continue;
    if (kind_covers(evidence, kind, node, rank, during)) return true;
    if (rank) continue;
    if (node.empty()
            ? nodes_cover(evidence, kind, during)
            : ranks_cover(evidence, kind, node, ranks_on(evidence.workload, node), during)) {
      return true;
    }
  }
  return false;
}

}  // namespace attrib::evidence
