#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>

#include "evidence/copies.h"
#include "evidence/coverage.h"
#include "evidence/draft.h"
#include "evidence/gather.h"
#include "evidence/hosts.h"
#include "evidence/json_header.h"
#include "evidence/json_observation.h"
#include "evidence/json_reader.h"
#include "evidence/labels.h"
#include "evidence/order.h"
#include "evidence/rotated.h"
#include "evidence/seen.h"
#include "evidence/series.h"
#include "evidence/sort_heavy.h"

namespace attrib::evidence {
namespace {

// Inputs by name: the order in which they were given decides nothing.
std::vector<const Input*> by_name(const std::vector<Input>& inputs) {
  std::vector<const Input*> out;
  for (const Input& each : inputs) out.push_back(&each);
  const auto spec = [](const Input& i) {
    return i.log ? std::tuple(true, i.log->kind, i.log->node, i.log->rank)
                 : std::tuple(false, model::SourceKind::App, std::string(),
                              std::optional<std::uint32_t>());
  };
  std::sort(out.begin(), out.end(), [&](const Input* a, const Input* b) {
    if (a->name != b->name) return a->name < b->name;
    if (spec(*a) != spec(*b)) return spec(*a) < spec(*b);
    return a->bytes < b->bytes;
  });
  return out;
}

// The settled draft that stands for several lines: where its observation will be.
struct PlacedRepeats {
  std::uint32_t stream = 0;
  std::uint64_t position = 0;
  std::string id;
  bool unparsed = false;
  CountedRepeats counted;
};

std::vector<PlacedRepeats> find_repeats(std::vector<CountedRepeats> repeats,
                                        const Drafts& drafts) {
  std::vector<PlacedRepeats> out;
  if (repeats.empty()) return out;
  const auto before = [](const CountedRepeats& a, const CountedRepeats& b) {
    return a.place < b.place;
  };
  std::sort(repeats.begin(), repeats.end(), before);
  for (const Draft& d : drafts) {
    const auto found = std::lower_bound(repeats.begin(), repeats.end(), CountedRepeats{d.place}, before);
    if (found == repeats.end() || found->place != d.place || d.json) continue;
    out.push_back({d.observation.stream, d.observation.position, d.observation.ids.front(), d.unparsed,
                   *found});
  }
  return out;
}

// Observations are in canonical order.
void attach(const std::vector<PlacedRepeats>& repeats, Evidence* out) {
  const auto& all = out->observations;
  for (const PlacedRepeats& each : repeats) {
    auto at = std::partition_point(all.begin(), all.end(), [&](const Observation& o) {
      return std::tie(o.stream, o.position) < std::tie(each.stream, each.position);
    });
    while (at->ids.front() != each.id) ++at;
    if (each.unparsed) out->counters.unparsed += each.counted.times - 1;
    out->repeats.push_back({static_cast<std::uint32_t>(at - all.begin()), each.counted.times,
                            each.counted.over});
  }
  std::sort(out->repeats.begin(), out->repeats.end(),
            [](const Repeats& a, const Repeats& b) { return a.observation < b.observation; });
}

void count(const Drafts& drafts, std::uint64_t passed, Counters* counters) {
  counters->lines = drafts.size() + passed;
  for (const Draft& d : drafts) {
    counters->truncated += d.truncated ? 1 : 0;
    counters->escaped += d.escaped ? 1 : 0;
    counters->unparsed += d.unparsed ? 1 : 0;
  }
}

bool canonically_before(const Observation& a, const Observation& b) {
  const auto key = [](const Observation& o) {
    return std::tie(o.stream, o.position, o.message, o.name, o.value, o.ids);
  };
  return key(a) < key(b);
}

// The hosts of observations, of their sources, and of what the header declares about these.
void settle_hosts_of(Gathering* gathering, Header* header) {
  std::vector<std::string*> hosts;
  for (Draft& d : gathering->drafts) hosts.push_back(&d.observation.node);
  for (RawSource& source : gathering->raw_sources) hosts.push_back(&source.status.node);
  for (SourceDeclaration& each : header->sources) hosts.push_back(&each.status.node);
  settle_hosts(header->workload, hosts);
}

Status settle(Gathering* gathering, const std::vector<std::string>& names, Header header,
              Evidence* out) {
  Drafts& drafts = gathering->drafts;
  const ReadOptions& options = gathering->options();
  for (Draft& d : drafts) {
    if (d.observation.ids.empty()) d.observation.ids.push_back(default_id(d));
  }
  settle_hosts_of(gathering, &header);
  settle_labels(&drafts, header.workload);
  place_stamps(&drafts, header, options);
  out->counters.copies = gathering->copies;
  if (auto status = merge_copies(gathering, names, &out->counters.copies); !status) return status;
  out->streams = order_streams(&drafts);
  settle_seen(&drafts, header, options);
  out->sources = settle_sources(header, gathering->raw_sources, drafts);
  count(drafts, gathering->passed, &out->counters);
  const auto repeats = find_repeats(std::move(gathering->repeats), drafts);
  out->observations.reserve(drafts.size());
  drafts.drain([&](Draft&& d) { out->observations.push_back(std::move(d.observation)); });
  sort_heavy(&out->observations, canonically_before);
  attach(repeats, out);
  link_series(&out->observations);
  return Done{};
}

// Which of the two is wrong nobody can tell: neither is believed.
Status drop_times_out_of_order(Header* header, Gathering* gathering) {
  Workload& w = header->workload;
  if (ends_in_order(w)) return Done{};
  w.start = w.end = std::nullopt;
  return gathering->reject(gathering->headers.front().where, kEndsOutOfOrder);
}

Result<Evidence> finished(Gathering* gathering, const std::vector<std::string>& names) {
  ATTRIB_TRY(Header header, merge_headers(gathering->headers));
  if (auto status = drop_times_out_of_order(&header, gathering); !status) return status.error();
  Evidence out;
  out.workload = header.workload;
  if (auto status = settle(gathering, names, std::move(header), &out); !status)
    return status.error();
  out.counters.rejected = gathering->rejected();
  out.problems = gathering->problems();
  return out;
}

}  // namespace

Result<Evidence> read(const std::vector<Input>& inputs, const ReadOptions& options) {
  Gathering gathering(options);
  std::vector<std::string> names;
  std::deque<Input> sets;
  ATTRIB_TRY(const std::vector<const Input*> joined,
             join_rotated(by_name(inputs), &sets, &gathering));
  for (const Input* input : joined) names.push_back(input->name);
  if (auto status = gather(joined, &gathering); !status) return status.error();
  return finished(&gathering, names);
}

Assembly::Assembly(const ReadOptions& options) : gathering_(std::make_unique<Gathering>(options)) {}
Assembly::~Assembly() = default;

Status Assembly::add(const Input& input) {
  names_.push_back(input.name);
  auto status = read_json(input, static_cast<std::uint32_t>(names_.size() - 1), gathering_.get());
  return status ? gathering_->room() : status;
}

bool Assembly::full() const { return !gathering_->room(); }

Result<Evidence> Assembly::finish() && { return finished(gathering_.get(), names_); }

}  // namespace attrib::evidence
