#include "vm/edges.h"

#include <algorithm>
#include <tuple>

namespace attrib::vm {
namespace {

std::uint64_t key_of(std::uint32_t effect, std::uint32_t cause_type) {
  return (std::uint64_t{cause_type} << 32U) | effect;
}

}  // namespace

void EdgeList::append(std::uint32_t effect, std::uint16_t rule,
                      std::span<const std::uint32_t> causes) {
  if (causes.empty()) return;
  if (chunks_.empty() || chunks_.back().size() + causes.size() > kChunk) {
    // Those of one effect may be very many.
    chunks_.emplace_back();
    // A run of the program with few edges needs no room for many.
    if (size_ > 0) chunks_.back().reserve(kChunk);
  }
  std::vector<std::uint32_t>& into = chunks_.back();
  const bool goes_on = !into.empty() && runs_.back().effect == effect && runs_.back().rule == rule;
  if (goes_on) {
    runs_.back().count += static_cast<std::uint32_t>(causes.size());
  } else {
    runs_.push_back({effect, static_cast<std::uint32_t>(into.size()),
                     static_cast<std::uint32_t>(causes.size()), rule,
                     static_cast<std::uint16_t>(chunks_.size() - 1)});
  }
  into.insert(into.end(), causes.begin(), causes.end());
  size_ += causes.size();
}

void EdgeCollector::begin_rule(bool by_effect) {
  by_effect_ = by_effect;
  tallies_.clear();
  fresh_.clear();
  given_way_ = 0;
  made_before_ = edges_.size();
  const std::uint64_t left = budget_ - std::min<std::uint64_t>(budget_, edges_.size());
  share_ = edges_.size() + std::min(left, std::max(left / 2, kLeast));
  ++visit_;
}

void EdgeCollector::begin_effect() {
  if (!fresh_.empty()) file_effect();
  given_way_ = 0;
  ++visit_;
}

EdgeCollector::Tally& EdgeCollector::start_tally(std::uint32_t effect, std::uint32_t cause_type) {
  if (!by_effect_) return tallies_[key_of(effect, cause_type)];
  if (cause_type >= of_type_.size()) of_type_.resize(cause_type + 1);
  Tally& tally = of_type_[cause_type];
  if (tally.visit != visit_) tally = {0, 0, 0, visit_};
  return tally;
}

const EdgeCollector::Tally* EdgeCollector::find(std::uint32_t effect,
                                                std::uint32_t cause_type) const {
  if (!by_effect_) {
    const auto it = tallies_.find(key_of(effect, cause_type));
    return it == tallies_.end() ? nullptr : &it->second;
  }
  const bool told = cause_type < of_type_.size() && of_type_[cause_type].visit == visit_;
  return told ? &of_type_[cause_type] : nullptr;
}

EdgeCollector::Adding::Adding(EdgeCollector& to, std::uint32_t effect, std::uint16_t rule,
                              std::uint32_t cause_type)
    : to_(to),
      effect_(effect),
      cause_type_(cause_type),
      rule_(rule),
      limit_(to.limit_),
      most_(kSearch * to.limit_) {
  if (!to.fresh_.empty()) to.file_effect();
  const Tally& tally = to.tally_of(effect, cause_type);
  strong_ = tally.strong;
  weak_ = tally.weak;
  before_ = strong_ + weak_;
  const std::size_t most = std::size_t{2} * limit_;
  if (to.adding_.size() < most) to.adding_.resize(most);
  kept_ = to.adding_.data();
  const std::uint64_t in_work = to.in_work();
  room_ = to.share_ - std::min(to.share_, in_work);
}

EdgeCollector::Adding::~Adding() {
  Tally& tally = to_.tally_of(effect_, cause_type_);
  tally.strong = strong_;
  tally.weak = weak_;
  if (before_ <= limit_ && strong_ + weak_ > limit_) ++to_.capped_;
  // Mostly all are weak, or few.
  const bool all_stay = before_ == 0 && (strong_ == 0 || strong_ + weak_ <= limit_);
  if (all_stay) tally.weak_kept = std::min(weak_, limit_);
  std::size_t n = all_stay ? count_ : 0;
  for (std::size_t i = n; i < count_; ++i) {
    if ((kept_[i] & EdgeList::kStrong) == 0) {
      if (tally.strong + tally.weak_kept >= limit_) continue;
      ++tally.weak_kept;
    }
    kept_[n++] = kept_[i];
  }
  to_.given_way_ += count_ - n;
  to_.edges_.append(effect_, rule_, std::span(kept_, n));
}

bool EdgeCollector::full(std::uint32_t effect, std::uint32_t cause_type) const {
  const Tally* tally = find(effect, cause_type);
  return tally != nullptr && full(*tally);
}

bool EdgeCollector::wants_strong_only(std::uint32_t effect, std::uint32_t cause_type) const {
  const Tally* tally = find(effect, cause_type);
  return tally != nullptr && tally->strong + tally->weak > limit_;
}

// The fresh ones are of one effect and, within a type, in canonical order: weak ones give way to
// the strong ones that came after them.
void EdgeCollector::file_effect() {
  std::uint64_t in_work = fresh_.size();
  for (const Fresh& f : fresh_) {
    Tally& tally = of_type_[f.cause_type];
    if (!f.edge.strong) {
      if (tally.strong + tally.weak_kept >= limit_) continue;
      ++tally.weak_kept;
    }
    edges_.push_back(f.edge);
    --in_work;
  }
  given_way_ += in_work;
  fresh_.clear();
}

void EdgeCollector::end_rule() {
  if (by_effect_) {
    file_effect();
    return;
  }
  const auto key = [](const Fresh& f) {
    return std::make_tuple(f.edge.effect, f.cause_type, !f.edge.strong, f.edge.cause);
  };
  std::sort(fresh_.begin(), fresh_.end(),
            [&](const Fresh& a, const Fresh& b) { return key(a) < key(b); });
  std::uint32_t in_group = 0;
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    const bool same = i > 0 && fresh_[i].edge.effect == fresh_[i - 1].edge.effect &&
                      fresh_[i].cause_type == fresh_[i - 1].cause_type;
    in_group = same ? in_group + 1 : 1;
    if (in_group > limit_) continue;
    edges_.push_back(fresh_[i].edge);
  }
  fresh_.clear();
  tallies_.clear();
}

}  // namespace attrib::vm
