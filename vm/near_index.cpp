#include "vm/near_index.h"

#include <algorithm>
#include <map>

namespace attrib::vm {

using model::Nanos;

Nanos latest_begin(const Occurrence& o) {
  Nanos end = model::add_nanos(o.begin.hi, repeats_of(o));
  if (o.last.known) end = std::max(end, o.last.hi);
  return std::max(end, o.begin.hi);
}

NearIndex::NearIndex(const std::vector<Occurrence>& occurrences,
                     const std::vector<std::uint32_t>& list)
    : size_(static_cast<std::uint32_t>(list.size())) {
  for (const std::uint32_t i : list) {
    if (!occurrences[i].begin.known) break;
    begins_.push_back(occurrences[i].begin.lo);
  }
  while (leaves_ < begins_.size()) leaves_ *= 2;
  ends_.assign(std::size_t{leaves_} * 2, -model::kForever - 1);
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    ends_[leaves_ + i] = latest_begin(occurrences[list[i]]);
  }
  for (std::size_t i = leaves_; i-- > 1;) ends_[i] = std::max(ends_[2 * i], ends_[2 * i + 1]);
}

NearWindow NearIndex::everything() const {
  const auto known = static_cast<std::uint32_t>(begins_.size());
  return {known, -model::kForever - 1, known};
}

NearWindow NearIndex::window(const Occurrence& outer, Nanos a, Nanos b, bool reversed) const {
  const Nanos first = outer.begin.lo;
  const Nanos last = latest_begin(outer);
  const Nanos latest = reversed ? model::sub_nanos(last, a) : model::add_nanos(last, b);
  NearWindow w = everything();
  w.least_end = reversed ? model::sub_nanos(first, b) : model::add_nanos(first, a);
  w.end = static_cast<std::uint32_t>(std::upper_bound(begins_.begin(), begins_.end(), latest) -
                                     begins_.begin());
  return w;
}

std::uint32_t NearIndex::next(const NearWindow& window, std::uint32_t from) const {
  if (from >= window.unknown_from) return std::min(from, size_);
  // Climb to the next subtree at or after `from` that holds a late enough end, then descend.
  std::size_t node = leaves_ + from;
  while (ends_[node] < window.least_end) {
    while ((node & 1U) != 0) node /= 2;
    if (node == 0) return window.unknown_from;
    ++node;
  }
  while (node < leaves_) {
    node *= 2;
    if (ends_[node] < window.least_end) ++node;
  }
  const auto found = static_cast<std::uint32_t>(node - leaves_);
  return found < window.end ? found : window.unknown_from;
}

std::set<std::uint32_t> contradicting_streams(const std::vector<Occurrence>& occurrences) {
  std::map<std::uint32_t, std::map<std::uint64_t, const model::Moment*>> streams;
  std::set<std::uint32_t> bad;
  for (const Occurrence& o : occurrences) {
    if (!o.begin.known || o.begin.stream == 0) continue;
    const auto [it, fresh] = streams[o.begin.stream].try_emplace(o.begin.position, &o.begin);
    if (!fresh && (it->second->lo != o.begin.lo || it->second->hi != o.begin.hi)) {
      bad.insert(o.begin.stream);
    }
  }
  for (const auto& [stream, moments] : streams) {
    const model::Moment* previous = nullptr;
    for (const auto& [position, moment] : moments) {
      if (previous != nullptr && (moment->lo < previous->lo || moment->hi < previous->hi)) {
        bad.insert(stream);
      }
      previous = moment;
    }
  }
  return bad;
}

}  // namespace attrib::vm
