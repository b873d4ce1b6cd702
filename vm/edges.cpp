#include "vm/edges.h"

#include <algorithm>
#include <tuple>

namespace attrib::vm {
namespace {

std::uint64_t key_of(std::uint32_t effect, std::uint32_t cause_type) {
  return (std::uint64_t{cause_type} << 32U) | effect;
}

}  // namespace

void EdgeCollector::begin_rule() {
  tallies_.clear();
  fresh_.clear();
}

bool EdgeCollector::full(std::uint32_t effect, std::uint32_t cause_type) const {
  const auto it = tallies_.find(key_of(effect, cause_type));
  return it != tallies_.end() && full(it->second);
}

bool EdgeCollector::add(const Edge& edge, std::uint32_t cause_type) {
  Tally& tally = tallies_[key_of(edge.effect, cause_type)];
  if (full(tally)) return false;
  std::uint32_t& n = edge.strong ? tally.strong : tally.weak;
  ++n;
  if (n <= limit_) fresh_.push_back({edge, cause_type});
  if (tally.strong + tally.weak == limit_ + 1) ++capped_;
  return !full(tally);
}

void EdgeCollector::end_rule() {
  const auto key = [](const Fresh& f) {
    return std::make_tuple(f.edge.effect, f.cause_type, !f.edge.strong, f.edge.cause);
  };
  std::sort(fresh_.begin(), fresh_.end(),
            [&](const Fresh& a, const Fresh& b) { return key(a) < key(b); });
  made_ = 0;
  std::uint32_t in_group = 0;
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const bool same = i > 0 && fresh_[i].edge.effect == fresh_[i - 1].edge.effect &&
                      fresh_[i].cause_type == fresh_[i - 1].cause_type;
    in_group = same ? in_group + 1 : 1;
    if (in_group > limit_) continue;
    edges_.push_back(fresh_[i].edge);
    ++made_;
  }
  fresh_.clear();
  tallies_.clear();
}

}  // namespace attrib::vm
