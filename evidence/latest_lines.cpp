#include "evidence/latest_lines.h"

#include <algorithm>
#include <utility>

namespace attrib::evidence {

LatestLines::Sorts LatestLines::overtakes(const Draft& draft, Sorts sorts) {
  const auto found = latest_.find(stream_key_of(draft));
  if (found == latest_.end()) return sorts;
  for (Latest& each : found->second) {
    if (each.draft.place.line < draft.place.line) {
      each.sorts &= ~sorts;
    } else {
      sorts &= ~each.sorts;
    }
  }
  std::erase_if(found->second, [](const Latest& each) { return each.sorts == 0; });
  return sorts;
}

void LatestLines::add(Draft draft, Sorts sorts) {
  std::vector<Latest>& all = latest_[stream_key_of(draft)];
  all.push_back({sorts, std::move(draft)});
}

std::vector<Draft> LatestLines::take() {
  std::vector<Draft> out;
  for (auto& [key, all] : latest_) {
    for (Latest& each : all) out.push_back(std::move(each.draft));
  }
  latest_.clear();
  return out;
}

void DoneStreams::add(std::string_view label, const StreamKey& stream, Sorts sorts) {
  if ((sorts & LineFilter::kProgress) != 0) labels_.push_back(label);
  if ((sorts & ~LineFilter::kProgress) != 0) streams_[stream] |= sorts;
}

bool DoneStreams::has_progress(std::string_view label) const {
  return std::find(labels_.begin(), labels_.end(), label) != labels_.end();
}

DoneStreams::Sorts DoneStreams::of(const StreamKey& stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second;
}

}  // namespace attrib::evidence
