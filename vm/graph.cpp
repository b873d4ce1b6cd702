#include "vm/graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

namespace attrib::vm {

using Ends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Graph::Graph(const std::vector<Occurrence>& occurrences, const std::vector<Edge>& edges)
    : size_(static_cast<std::uint32_t>(occurrences.size())) {
  for (const Edge& e : edges) pairs_.push_back({e.cause, e.effect, e.strong, false});
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) {
    return std::make_tuple(a.cause, a.effect, !a.strong) <
           std::make_tuple(b.cause, b.effect, !b.strong);
  });
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                           [](const Pair& a, const Pair& b) {
                             return a.cause == b.cause && a.effect == b.effect;
                           }),
               pairs_.end());
  for (Pair& p : pairs_) {
    const Occurrence& cause = occurrences[p.cause];
    const Occurrence& effect = occurrences[p.effect];
    p.demotes = p.strong ||
                (effect.meta.role != model::Role::Origin && blame_of(cause) >= blame_of(effect));
  }
  find_components(occurrences);
}

void Graph::find_components(const std::vector<Occurrence>& occurrences) {
  Ends demoting;
  for (const Pair& p : pairs_) {
    if (p.demotes) demoting.emplace_back(p.cause, p.effect);
  }
  const std::vector<std::uint32_t> raw = strong_components(size_, demoting);
  component_of_.assign(size_, kNone);
  std::vector<std::uint32_t> number(size_, kNone);
  for (std::uint32_t v = 0; v < size_; ++v) {
    if (occurrences[v].meta.role == model::Role::Note) continue;
    if (number[raw[v]] == kNone) {
      number[raw[v]] = static_cast<std::uint32_t>(components_.size());
      components_.emplace_back();
    }
    component_of_[v] = number[raw[v]];
    components_[component_of_[v]].push_back(v);
  }
  root_.assign(components_.size(), true);
  for (const Pair& p : pairs_) {
    if (p.demotes && component_of_[p.cause] != component_of_[p.effect]) {
      root_[component_of_[p.effect]] = false;
    }
  }
}

std::vector<bool> Graph::reach(const std::vector<bool>& from, bool backwards) const {
  std::vector<std::uint32_t> begin(size_ + 1, 0);
  for (const Pair& p : pairs_) ++begin[(backwards ? p.effect : p.cause) + 1];
  for (std::uint32_t v = 0; v < size_; ++v) begin[v + 1] += begin[v];
  std::vector<std::uint32_t> out(pairs_.size());
  std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
  for (const Pair& p : pairs_) {
    out[fill[backwards ? p.effect : p.cause]++] = backwards ? p.cause : p.effect;
  }
  std::vector<bool> seen = from;
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t v = 0; v < size_; ++v) {
    if (from[v]) waiting.push_back(v);
  }
  while (!waiting.empty()) {
    const std::uint32_t v = waiting.back();
    waiting.pop_back();
    for (std::uint32_t i = begin[v]; i < begin[v + 1]; ++i) {
      if (seen[out[i]]) continue;
      seen[out[i]] = true;
      waiting.push_back(out[i]);
    }
  }
  return seen;
}

Reach::Reach(const Graph& graph, const std::vector<bool>& failing,
             const std::vector<std::uint32_t>& sources) {
  classify(graph, failing);
  std::map<Row, std::uint32_t> known;
  for (Row& row : propagate(graph, sources)) {
    const auto [it, fresh] = known.try_emplace(row, static_cast<std::uint32_t>(rows_.size()));
    row_of_.push_back(it->second);
    if (!fresh) continue;
    std::uint64_t any = 0;
    for (const std::uint64_t word : row) any |= word;
    any_.push_back(any);
    rows_.push_back(std::move(row));
  }
}

void Reach::classify(const Graph& graph, const std::vector<bool>& failing) {
  Ends all;
  for (const Pair& p : graph.pairs()) all.emplace_back(p.cause, p.effect);
  condensed_ = strong_components(graph.size(), all);
  for (const std::uint32_t c : condensed_) condensed_count_ = std::max(condensed_count_, c + 1);
  class_of_.assign(condensed_count_, kNone);
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    if (!failing[v]) continue;
    std::uint32_t& of = class_of_[condensed_[v]];
    if (of == kNone) {
      if (members_.size() == kMaxClasses) {
        truncated_ = true;
        continue;
      }
      of = static_cast<std::uint32_t>(members_.size());
      members_.emplace_back();
    }
    members_[of].push_back(v);
  }
}

// Rows of all components at once would be large, so the bits are taken in blocks.
std::vector<Reach::Row> Reach::propagate(const Graph& graph,
                                         const std::vector<std::uint32_t>& sources) const {
  constexpr std::size_t kWords = 16;
  constexpr std::size_t kBits = kWords * 64;
  Ends edges;
  for (const Pair& p : graph.pairs()) {
    if (condensed_[p.cause] != condensed_[p.effect]) {
      edges.emplace_back(condensed_[p.cause], condensed_[p.effect]);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<Row> rows(sources.size());
  std::vector<std::array<std::uint64_t, kWords>> block(condensed_count_);
  for (std::size_t first = 0; first < members_.size(); first += kBits) {
    std::size_t e = 0;
    for (std::uint32_t c = 0; c < condensed_count_; ++c) {
      auto& row = block[c];
      row.fill(0);
      const std::uint32_t own = class_of_[c];
      if (own != kNone && own >= first && own < first + kBits) {
        row[(own - first) / 64] |= std::uint64_t{1} << ((own - first) % 64);
      }
      // Edges go to components with lower numbers, whose rows are done.
      for (; e < edges.size() && edges[e].first == c; ++e) {
        for (std::size_t w = 0; w < kWords; ++w) row[w] |= block[edges[e].second][w];
      }
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto& row = block[condensed_[sources[s]]];
      rows[s].insert(rows[s].end(), row.begin(), row.end());
    }
  }
  return rows;
}

bool Reach::covers(std::uint32_t row, std::uint32_t other) const {
  if (row == other) return true;
  if ((any_[other] & ~any_[row]) != 0) return false;
  const Row& a = rows_[row];
  const Row& b = rows_[other];
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((b[w] & ~a[w]) != 0) return false;
  }
  return true;
}

std::vector<std::uint32_t> Reach::classes_of(std::uint32_t row) const {
  std::vector<std::uint32_t> out;
  for (std::size_t w = 0; w < rows_[row].size(); ++w) {
    for (std::uint64_t word = rows_[row][w]; word != 0; word &= word - 1) {
      out.push_back(static_cast<std::uint32_t>(w * 64) +
                    static_cast<std::uint32_t>(std::countr_zero(word)));
    }
  }
  return out;
}

std::vector<std::uint32_t> Reach::symptoms(std::uint32_t row) const {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t c : classes_of(row)) {
    out.insert(out.end(), members_[c].begin(), members_[c].end());
  }
  return out;
}

}  // namespace attrib::vm
