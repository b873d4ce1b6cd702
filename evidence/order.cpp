#include "evidence/order.h"

#include <algorithm>
#include <numeric>
#include <span>

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

void order_by_seq(std::span<Draft> stream) {
  std::sort(stream.begin(), stream.end(), [](const Draft& a, const Draft& b) {
    return a.seq != b.seq ? a.seq < b.seq : a.place < b.place;
  });
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (i > 0 && stream[i].seq != stream[i - 1].seq) ++position;
    stream[i].observation.position = position;
  }
}

void order_by_stamp(std::span<Draft> stream) {
  std::sort(stream.begin(), stream.end(),
            [](const Draft& a, const Draft& b) { return a.place < b.place; });
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
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && keys[order[i - 1]] < keys[order[i]]) ++position;
    stream[order[i]].observation.position = position;
  }
}

}  // namespace

std::vector<Stream> order_streams(std::vector<Draft>* drafts) {
  std::vector<Stream> streams;
  for (const Draft& d : *drafts) {
    // Mostly they come in the order of their streams.
    Stream stream = stream_of(d.observation);
    if (streams.empty() || streams.back() != stream) streams.push_back(std::move(stream));
  }
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
  std::size_t last_found = 0;
  for (Draft& d : *drafts) {
    const Stream stream = stream_of(d.observation);
    if (streams[last_found] != stream) {
      last_found = static_cast<std::size_t>(
          std::lower_bound(streams.begin(), streams.end(), stream) - streams.begin());
    }
    d.observation.stream = static_cast<std::uint32_t>(last_found) + 1;
  }
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
    const std::span<Draft> stream(drafts->data() + first, last - first);
    all_have_seq ? order_by_seq(stream) : order_by_stamp(stream);
    first = last;
  }
  return streams;
}

}  // namespace attrib::evidence
