#include "evidence/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>

#include "evidence/order.h"
#include "evidence/sort_heavy.h"

namespace attrib::evidence {
namespace {

using model::Nanos;
using model::SourceKind;

constexpr Nanos kMirrorWithin = 2 * model::kSecond;

class Sets {  // Union-find; the least index stands for its set.
 public:
  explicit Sets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }
  void unite(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  // `b`, which leads a set, is led by the leader of `a`.
  void unite_into(std::size_t a, std::size_t b) { parent_[b] = find(a); }

 private:
  std::vector<std::size_t> parent_;
};

// What decides which copy of one stream stands for the others, in this order; the rest is compared
// in the drafts.
struct Rank {
  bool without_seq = false;
  std::uint64_t seq = 0;
  Nanos at = model::kForever, resolution = model::kForever;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

Rank rank_of(const Draft& d) {
  Rank out;
  out.without_seq = !d.seq;
  out.seq = d.seq.value_or(0);
  if (d.placed) {
    out.at = d.placed->at;
    out.resolution = d.placed->resolution;
  }
  return out;
}

// Of two of one stream. Only what is equal in all else is left to the place of delivery.
bool stands_before(const Draft& a, const Draft& b) {
  if (a.seq && b.seq && *a.seq != *b.seq) return *a.seq < *b.seq;  // Mostly that is all.
  if (const auto order = rank_of(a) <=> rank_of(b); order != 0) return order < 0;
  if (const auto order = compare_content(a, b); order != 0) return order < 0;
  if (a.observation.ids != b.observation.ids) return a.observation.ids < b.observation.ids;
  return a.place < b.place;
}

// By stream, and whichever copy comes first stands for all of them. Gives the streams' numbers,
// which ascend.
std::vector<std::uint32_t> sort_by_standing(Drafts* drafts) {
  std::vector<Stream> streams;
  std::vector<std::uint32_t> numbers = number_streams(*drafts, &streams);
  std::vector<std::size_t> ends(streams.size() + 1);  // Of each stream, behind the one before it.
  for (const std::uint32_t number : numbers) ++ends[number + 1U];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::size_t> order(drafts->size());
  for (std::size_t i = 0; i < order.size(); ++i) order[ends[numbers[i]]++] = i;
  const auto before = [&](std::size_t a, std::size_t b) {
    return stands_before((*drafts)[a], (*drafts)[b]);
  };
  std::size_t first = 0;
  for (std::uint32_t stream = 0; stream < streams.size(); ++stream) {
    const std::span<std::size_t> own = std::span(order).subspan(first, ends[stream] - first);
    // Mostly they are in order.
    if (!std::is_sorted(own.begin(), own.end(), before))
      std::stable_sort(own.begin(), own.end(), before);
    for (std::size_t i = first; i < ends[stream]; ++i) numbers[i] = stream;
    first = ends[stream];
  }
  if (!std::is_sorted(order.begin(), order.end())) put_in_order(drafts, order);
  return numbers;
}

// Calls `each(first, last)` for every run of equals under `less` in sorted `order`.
template <typename Less, typename Each>
void for_each_run(std::vector<std::size_t>* order, Less less, Each each) {
  // Mostly they are in order.
  if (!std::is_sorted(order->begin(), order->end(), less)) std::sort(order->begin(), order->end(), less);
  for (std::size_t first = 0; first < order->size();) {
    std::size_t last = first + 1;
    while (last < order->size() && !less((*order)[first], (*order)[last])) ++last;
    each(first, last);
    first = last;
  }
}

// Those of the drafts whose id some other has, too.
std::vector<std::size_t> repeated(const Drafts& drafts) {
  const auto ids = [&](std::size_t i) -> const IdList& { return drafts[i].observation.ids; };
  const auto hash = [&](std::size_t i) { return ids(i).hash_of_first(); };
  const auto same = [&](std::size_t a, std::size_t b) { return ids(a).same_first(ids(b)); };
  std::unordered_map<std::size_t, std::size_t, decltype(hash), decltype(same)> first(
      drafts.size(), hash, same);
  std::vector<std::size_t> out;
  constexpr std::size_t kTold = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const auto [at, fresh] = first.try_emplace(i, i);
    if (fresh) continue;
    if (at->second != kTold) out.push_back(at->second);
    at->second = kTold;
    out.push_back(i);
  }
  return out;
}

// Unites what has one id. Where its contents differ only the least one stays, whatever the order;
// the others are named and marked in `gone`.
Status unite_ids(Gathering* gathering, const std::vector<std::string>& names, Sets* sets,
                 std::vector<bool>* gone) {
  const Drafts& drafts = gathering->drafts;
  // A file's lines have their places for ids.
  const bool may_repeat = names.size() > 1 || std::any_of(drafts.begin(), drafts.end(),
                                                          [](const Draft& d) { return d.json; });
  if (!may_repeat) return Done{};
  const auto id = [&](std::size_t i) { return drafts[i].observation.ids.front(); };
  std::vector<std::size_t> order = repeated(drafts);
  std::vector<std::pair<std::size_t, std::size_t>> dropped;  // (draft, the one that stays)
  for_each_run(
      &order, [&](std::size_t a, std::size_t b) { return id(a) < id(b); },
      [&](std::size_t first, std::size_t last) {
        std::size_t least = order[first];
        for (std::size_t i = first + 1; i < last; ++i) {
          if (compare_content(drafts[order[i]], drafts[least]) < 0) least = order[i];
        }
        for (std::size_t i = first; i < last; ++i) {
          if (same_content(drafts[order[i]], drafts[least])) {
            sets->unite(order[i], least);
          } else {
            dropped.emplace_back(order[i], least);
          }
        }
      });
  std::sort(dropped.begin(), dropped.end(), [&](const auto& a, const auto& b) {
    return drafts[a.first].place < drafts[b.first].place;
  });
  for (const auto& [bad, good] : dropped) {
    (*gone)[bad] = true;
    const auto where = [&](std::size_t i) {
      return place_name(names[drafts[i].place.input], drafts[i].place.line);
    };
    const std::string text = fmt::format("id `{}` has another content at {}", id(bad), where(good));
    if (auto status = gathering->reject(where(bad), text); !status) return status;
  }
  return Done{};
}

auto bytes_of(const Draft& d) {
  const Observation& o = d.observation;
  return std::tie(d.prefix, o.message, o.is_metric, o.name, o.value, o.labels, o.is_record,
                  o.record);
}

// Same stream, bytes and stamp: copies if the stamp is sharp, or if both are JSON without `seq`, or
// JSON with the same.
void unite_redelivered(const Drafts& drafts, const std::vector<std::uint32_t>& stream,
                       const std::vector<bool>& gone, Sets* sets) {
  const auto at = [&](std::size_t i) {
    return drafts[i].placed ? std::optional(drafts[i].placed->at) : std::nullopt;
  };
  const auto is_sharp = [](const Draft& d) {
    return d.placed && d.placed->resolution <= model::kMillisecond;
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (!gone[i] && (drafts[i].json || is_sharp(drafts[i]))) order.push_back(i);
  }
  for_each_run(
      &order,
      [&](std::size_t a, std::size_t b) {
        if (stream[a] != stream[b]) return stream[a] < stream[b];
        if (at(a) != at(b)) return at(a) < at(b);
        return bytes_of(drafts[a]) < bytes_of(drafts[b]);
      },
      [&](std::size_t first, std::size_t last) {
        std::optional<std::size_t> sharp, plain;
        std::map<std::uint64_t, std::size_t> numbered;  // By `seq`.
        for (std::size_t i = first; i < last; ++i) {
          const Draft& d = drafts[order[i]];
          const bool is_plain = d.json && !d.seq;
          if (is_sharp(d) && sharp) sets->unite(*sharp, order[i]);
          if (is_plain && plain) sets->unite(*plain, order[i]);
          if (d.json && d.seq) {
            const auto [same, fresh] = numbered.try_emplace(*d.seq, order[i]);
            if (!fresh) sets->unite(same->second, order[i]);
          }
          if (is_sharp(d) && !sharp) sharp = order[i];
          if (is_plain && !plain) plain = order[i];
        }
      });
}

// How far apart two stamps are at least, each true somewhere in its resolution.
Nanos gap(const PlacedStamp& a, const PlacedStamp& b) {
  if (a.at <= b.at) return std::max<Nanos>(0, b.at - model::add_nanos(a.at, a.resolution));
  return gap(b, a);
}

// Pairs the kernel's lines with the mirror's, in order, so that repeats stay repeats.
void unite_mirror(const Drafts& drafts, const std::vector<bool>& gone,
                  SourceKind mirror, Sets* sets) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Draft& d = drafts[i];
    const bool of_either =
        d.observation.source == SourceKind::Kernel || d.observation.source == mirror;
    if (of_either && !gone[i] && sets->find(i) == i && d.placed && !d.observation.node.empty() &&
        !d.observation.message.empty() && !d.observation.is_metric && !d.observation.is_record) {
      order.push_back(i);
    }
  }
  const bool any_kernel = std::any_of(order.begin(), order.end(), [&](std::size_t i) {
    return drafts[i].observation.source == SourceKind::Kernel;
  });
  const bool any_mirror = std::any_of(order.begin(), order.end(), [&](std::size_t i) {
    return drafts[i].observation.source == mirror;
  });
  if (!any_kernel || !any_mirror) return;
  const auto group = [&](std::size_t i) {
    return std::tie(drafts[i].observation.node, drafts[i].observation.message);
  };
  for_each_run(
      &order, [&](std::size_t a, std::size_t b) { return group(a) < group(b); },
      [&](std::size_t first, std::size_t last) {
        std::vector<std::size_t> kernel, mirrored;
        for (std::size_t i = first; i < last; ++i) {
          (drafts[order[i]].observation.source == SourceKind::Kernel ? kernel : mirrored)
              .push_back(order[i]);
        }
        const auto earlier = [&](std::size_t a, std::size_t b) {
          if (drafts[a].placed->at != drafts[b].placed->at)
            return drafts[a].placed->at < drafts[b].placed->at;
          return a < b;  // As they stand.
        };
        std::sort(kernel.begin(), kernel.end(), earlier);
        std::sort(mirrored.begin(), mirrored.end(), earlier);
        std::size_t k = 0, m = 0;
        while (k < kernel.size() && m < mirrored.size()) {
          const PlacedStamp& a = *drafts[kernel[k]].placed;
          const PlacedStamp& b = *drafts[mirrored[m]].placed;
          if (gap(a, b) <= kMirrorWithin) {
            sets->unite(kernel[k++], mirrored[m++]);
          } else {
            ++(a.at < b.at ? k : m);
          }
        }
      });
}

// Lines of one text and stamp: those in files of single ranks, and those in files that hold the
// output of several.
struct Printed {
  std::vector<std::size_t> own, collected;
};

// Pairs what one launcher's file collected with the ranks' own lines: a labelled line with one of
// its rank, another with any that is left, each once, so that repeats stay repeats.
void pair_launcher_file(const Drafts& drafts, const std::vector<std::size_t>& own,
                        std::span<const std::size_t> collected, Sets* sets) {
  std::map<std::uint32_t, std::vector<std::size_t>> by_rank;  // Places in `own`, the next one last.
  for (std::size_t i = own.size(); i-- > 0;) by_rank[*drafts[own[i]].observation.rank].push_back(i);
  std::vector<bool> taken(own.size());
  const auto match = [&](std::size_t i, std::size_t other) {
    const Observation& a = drafts[own[i]].observation;
    const Observation& b = drafts[other].observation;
    if (!a.node.empty() && !b.node.empty() && a.node != b.node) return;
    taken[i] = true;
    sets->unite_into(own[i], other);
  };
  for (const std::size_t other : collected) {
    if (!drafts[other].observation.rank) continue;
    const auto left = by_rank.find(*drafts[other].observation.rank);
    if (left == by_rank.end() || left->second.empty()) continue;
    match(left->second.back(), other);
    left->second.pop_back();
  }
  std::size_t next = 0;
  for (const std::size_t other : collected) {
    if (drafts[other].observation.rank) continue;
    while (next < own.size() && taken[next]) ++next;
    if (next == own.size()) return;
    match(next++, other);
  }
}

// What a launcher collects from all ranks holds the lines of their own files once more. Only a
// stamp that the program printed itself, to the millisecond, shows that two such lines are one:
// without it every rank prints the same.
void unite_launcher(const Drafts& drafts, const std::vector<bool>& gone, Sets* sets) {
  constexpr auto kOutput = static_cast<model::SourceMask>(model::source_bit(SourceKind::App) |
                                                          model::source_bit(SourceKind::Slurm) |
                                                          model::source_bit(SourceKind::K8s));
  std::vector<std::size_t> order;
  bool any_own = false;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Draft& d = drafts[i];
    const Observation& o = d.observation;
    if ((model::source_bit(o.source) & kOutput) == 0 || gone[i] || sets->find(i) != i ||
        !d.own_stamp || !d.placed || d.placed->resolution > model::kMillisecond || o.is_metric ||
        o.is_record) {
      continue;
    }
    any_own = any_own || d.rank_given;
    order.push_back(i);
  }
  if (!any_own) return;
  const auto group = [&](std::size_t i) {
    return std::tie(drafts[i].placed->at, drafts[i].observation.message);
  };
  for_each_run(
      &order, [&](std::size_t a, std::size_t b) { return group(a) < group(b); },
      [&](std::size_t first, std::size_t last) {
        Printed printed;
        for (std::size_t i = first; i < last; ++i)
          (drafts[order[i]].rank_given ? printed.own : printed.collected).push_back(order[i]);
        if (printed.own.empty()) return;
        std::sort(printed.own.begin(), printed.own.end());
        const auto file = [&](std::size_t i) -> const SharedText& {
          return drafts[i].observation.file;
        };
        std::sort(printed.collected.begin(), printed.collected.end(),
                  [&](std::size_t a, std::size_t b) {
                    return file(a) != file(b) ? file(a) < file(b) : a < b;
                  });
        for (std::size_t i = 0; i < printed.collected.size();) {
          std::size_t end = i + 1;
          while (end < printed.collected.size() &&
                 file(printed.collected[end]) == file(printed.collected[i]))
            ++end;
          pair_launcher_file(drafts, printed.own, std::span(printed.collected).subspan(i, end - i),
                             sets);
          i = end;
        }
      });
}

void absorb(Draft* into, Draft* copy) {
  IdList& ids = into->observation.ids;
  std::vector<std::string> all = ids.list();
  for (const std::string& id : copy->observation.ids) all.push_back(id);
  ids.assign(all);
  into->observation.speaks =
      static_cast<model::SourceMask>(into->observation.speaks | copy->observation.speaks);
  into->lost_before = into->lost_before || copy->lost_before;
}

void sort_ids(IdList* ids) {
  if (ids->size() < 2) return;
  std::vector<std::string> all = ids->list();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  ids->assign(all);
}

}  // namespace

Status merge_copies(Gathering* gathering, const std::vector<std::string>& input_names,
                    std::uint64_t* copies) {
  Drafts& drafts = gathering->drafts;
  // Sets are led by their least index: with the drafts in this order that is the one to keep.
  const std::vector<std::uint32_t> streams = sort_by_standing(&drafts);
  Sets sets(drafts.size());
  std::vector<bool> gone(drafts.size());
  if (auto status = unite_ids(gathering, input_names, &sets, &gone); !status) return status;
  unite_redelivered(drafts, streams, gone, &sets);
  for (const SourceKind mirror : {SourceKind::Syslog, SourceKind::Journald})
    unite_mirror(drafts, gone, mirror, &sets);
  unite_launcher(drafts, gone, &sets);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const std::size_t leader = sets.find(i);
    if (leader == i || gone[i]) continue;
    absorb(&drafts[leader], &drafts[i]);
    gone[i] = true;
    ++*copies;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) drafts[kept] = std::move(drafts[i]);
    sort_ids(&drafts[kept].observation.ids);
    ++kept;
  }
  drafts.cut(kept);
  return Done{};
}

}  // namespace attrib::evidence
