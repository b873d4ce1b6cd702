#include "evidence/order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "evidence/sort_heavy.h"

namespace attrib::evidence {
namespace {

using model::Nanos;

// What decides the place in a stream without `seq`: equal keys share a position.
struct Key {
  Nanos at = -model::kForever;  // Own stamp, or that of the stamped one before it.
  bool stamped = false;
  Place place;  // Of unstamped ones.
  friend bool operator<(const Key& a, const Key& b) {
    if (a.at != b.at) return a.at < b.at;
    if (a.stamped != b.stamped) return a.stamped;
    return a.place < b.place;
  }
};

// Mostly they are in order.
template <typename Less>
void sort_drafts(HeavySpan<Draft> stream, Less less) {
  if (!std::is_sorted(stream.begin(), stream.end(), less))
    std::sort(stream.begin(), stream.end(), less);
}

void order_by_seq(HeavySpan<Draft> stream) {
  sort_drafts(stream, [](const Draft& a, const Draft& b) {
    return a.seq != b.seq ? a.seq < b.seq : a.place < b.place;
  });
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (i > 0 && stream[i].seq != stream[i - 1].seq) ++position;
    stream[i].observation.position = position;
  }
}

void order_by_stamp(HeavySpan<Draft> stream) {
  sort_drafts(stream, [](const Draft& a, const Draft& b) { return a.place < b.place; });
  std::vector<Key> keys(stream.size());
  Nanos last = -model::kForever;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (stream[i].placed) {
      last = stream[i].placed->at;
      keys[i] = {last, true, {}};
    } else {
      keys[i] = {last, false, stream[i].place};
    }
  }
  std::vector<std::size_t> order(stream.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && keys[order[i - 1]] < keys[order[i]]) ++position;
    stream[order[i]].observation.position = position;
  }
}

// A Stream without copying its texts, in the same order.
using StreamTexts = std::tuple<model::SourceKind, std::string_view, std::string_view,
                               std::string_view, std::string_view, std::optional<std::uint32_t>>;

StreamTexts texts_of(const Draft& d) {
  const Observation& o = d.observation;
  return {o.source, o.node, o.pod, o.container, o.file, o.rank};
}

bool same_stream(const Observation& a, const Observation& b) {
  return a.source == b.source && a.rank == b.rank && a.node == b.node && a.file == b.file &&
         a.pod == b.pod && a.container == b.container;
}

// As their StreamTexts are: mostly node and rank tell.
bool stream_before(const Observation& a, const Observation& b) {
  if (a.source != b.source) return a.source < b.source;
  if (const auto order = a.node <=> b.node; order != 0) return order < 0;
  if (const auto order = a.pod <=> b.pod; order != 0) return order < 0;
  if (const auto order = a.container <=> b.container; order != 0) return order < 0;
  if (const auto order = a.file <=> b.file; order != 0) return order < 0;
  return a.rank < b.rank;
}

struct StreamHash {
  std::size_t operator()(const StreamTexts& texts) const {
    const auto& [source, node, pod, container, file, rank] = texts;
    // Mostly node and rank tell them apart.
    std::size_t out = static_cast<std::size_t>(source) * 31 + rank.value_or(0xFFFFFFFFU);
    out = out * 0x9E3779B97F4A7C15U + std::hash<std::string_view>()(node);
    for (const std::string_view each : {pod, container, file})
      out = out * 31 + each.size() + (each.empty() ? 0U : static_cast<unsigned char>(each.back()));
    return out;
  }
};

}  // namespace

std::vector<std::uint32_t> number_streams(const Drafts& drafts,
                                          std::vector<Stream>* streams) {
  std::unordered_map<StreamTexts, std::uint32_t, StreamHash> known;
  std::vector<const Draft*> first;  // Of each stream.
  std::vector<std::uint32_t> out(drafts.size());
  bool in_order = true;  // So far: then each that is not the last one is new.
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(first.size());
    // Mostly the lines of one stream follow one another.
    if (i > 0 && same_stream(drafts[i].observation, drafts[i - 1].observation)) {
      out[i] = out[i - 1];
      continue;
    }
    if (in_order && i > 0 && !stream_before(drafts[i - 1].observation, drafts[i].observation)) {
      in_order = false;
      for (std::uint32_t stream = 0; stream < next; ++stream)
        known.emplace(texts_of(*first[stream]), stream);
    }
    bool fresh = true;
    out[i] = next;
    if (!in_order) {
      const auto [at, added] = known.try_emplace(texts_of(drafts[i]), next);
      fresh = added;
      out[i] = at->second;
    }
    if (fresh) first.push_back(&drafts[i]);
  }
  std::vector<std::uint32_t> order(first.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  if (!in_order) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return stream_before(first[a]->observation, first[b]->observation);
    });
  }
  std::vector<std::uint32_t> place(first.size());
  streams->clear();
  streams->reserve(first.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    streams->push_back(stream_of(first[order[i]]->observation));
  }
  for (std::uint32_t& each : out) each = place[each];
  return out;
}

std::vector<Stream> order_streams(Drafts* drafts) {
  std::vector<Stream> streams;
  const std::vector<std::uint32_t> numbers = number_streams(*drafts, &streams);
  for (std::size_t i = 0; i < drafts->size(); ++i)
    (*drafts)[i].observation.stream = numbers[i] + 1;
  sort_heavy(drafts, [](const Draft& a, const Draft& b) {
    return a.observation.stream != b.observation.stream
               ? a.observation.stream < b.observation.stream
               : a.place < b.place;
  });
  for (std::size_t first = 0; first < drafts->size();) {
    std::size_t last = first;
    bool all_have_seq = true;
    while (last < drafts->size() &&
           (*drafts)[last].observation.stream == (*drafts)[first].observation.stream) {
      all_have_seq = all_have_seq && (*drafts)[last].seq.has_value();
      ++last;
    }
    const HeavySpan<Draft> stream(drafts, first, last);
    all_have_seq ? order_by_seq(stream) : order_by_stamp(stream);
    first = last;
  }
  return streams;
}

}  // namespace attrib::evidence
