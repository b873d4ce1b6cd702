#include "vm/graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace attrib::vm {

using Ends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Graph::Graph(const std::vector<Occurrence>& occurrences, const std::vector<Edge>& edges)
    : size_(static_cast<std::uint32_t>(occurrences.size())) {
  sort_pairs(edges);
  for (Pair& p : pairs_) {
    const Occurrence& cause = occurrences[p.cause];
    const Occurrence& effect = occurrences[p.effect];
    p.demotes = p.strong ||
                (effect.meta.role != model::Role::Origin && blame_of(cause) >= blame_of(effect));
  }
  find_components(occurrences);
}

// Two passes of a counting sort, for there may be millions; then all edges of a pair stand together.
void Graph::sort_pairs(const std::vector<Edge>& edges) {
  std::vector<std::uint32_t> place(size_ + 1, 0);
  begin_.assign(size_ + 1, 0);
  for (const Edge& e : edges) {
    ++place[e.cause + 1];
    ++begin_[e.effect + 1];
  }
  for (std::uint32_t v = 0; v < size_; ++v) {
    place[v + 1] += place[v];
    begin_[v + 1] += begin_[v];
  }
  std::vector<Pair> by_cause(edges.size());
  for (const Edge& e : edges) by_cause[place[e.cause]++] = {e.cause, e.effect, e.strong, false};
  std::vector<Pair> all(edges.size());
  place.assign(begin_.begin(), begin_.end());
  for (const Pair& p : by_cause) all[place[p.effect]++] = p;
  by_cause = {};
  pairs_.reserve(all.size());
  for (std::uint32_t v = 0; v < size_; ++v) {
    const std::size_t first = pairs_.size();
    for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
      if (pairs_.size() > first && pairs_.back().cause == all[i].cause) {
        pairs_.back().strong = pairs_.back().strong || all[i].strong;
      } else {
        pairs_.push_back(all[i]);
      }
    }
    begin_[v] = static_cast<std::uint32_t>(first);
  }
  begin_[size_] = static_cast<std::uint32_t>(pairs_.size());
  pairs_.shrink_to_fit();
}

// The compounds of demoting pairs lie within those of all pairs, so only what closes a circle of
// any kind is looked at twice.
void Graph::find_components(const std::vector<Occurrence>& occurrences) {
  Ends ends;
  ends.reserve(pairs_.size());
  for (const Pair& p : pairs_) ends.emplace_back(p.effect, p.cause);
  condensed_ = strong_components(size_, ends);
  ends.clear();
  for (const Pair& p : pairs_) {
    if (p.demotes && condensed_[p.cause] == condensed_[p.effect]) {
      ends.emplace_back(p.effect, p.cause);
    }
  }
  const std::vector<std::uint32_t> raw = strong_components(size_, ends);
  // The edges were turned round; so is the order.
  std::uint32_t count = 0;
  for (const std::uint32_t c : condensed_) count = std::max(count, c + 1);
  for (std::uint32_t& c : condensed_) c = count - 1 - c;
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

std::vector<std::uint32_t> Graph::effects_first() const {
  std::vector<std::uint32_t> begin(size_ + 1, 0);
  for (const std::uint32_t c : condensed_) ++begin[c + 1];
  for (std::uint32_t v = 0; v < size_; ++v) begin[v + 1] += begin[v];
  std::vector<std::uint32_t> out(size_);
  for (std::uint32_t v = 0; v < size_; ++v) out[begin[condensed_[v]]++] = v;
  return out;
}

std::vector<bool> Graph::reach(const std::vector<bool>& from, bool backwards) const {
  if (backwards) return reach_causes(from);
  std::vector<bool> seen = from;
  const std::vector<std::uint32_t> order = effects_first();
  // From the causes on. Vertices of one component stand together and reach one another.
  for (std::size_t end = order.size(); end > 0;) {
    std::size_t first = end;
    bool any = false;
    const std::uint32_t own = condensed_[order[end - 1]];
    for (; first > 0 && condensed_[order[first - 1]] == own; --first) {
      const std::uint32_t v = order[first - 1];
      any = any || seen[v];
      for (const Pair& p : causes_of(v)) any = any || seen[p.cause];
    }
    for (std::size_t i = first; i < end; ++i) {
      if (any) seen[order[i]] = true;
    }
    end = first;
  }
  return seen;
}

std::vector<bool> Graph::reach_causes(std::vector<bool> seen) const {
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t v = 0; v < size_; ++v) {
    if (seen[v]) waiting.push_back(v);
  }
  while (!waiting.empty()) {
    const std::uint32_t v = waiting.back();
    waiting.pop_back();
    for (const Pair& p : causes_of(v)) {
      if (seen[p.cause]) continue;
      seen[p.cause] = true;
      waiting.push_back(p.cause);
    }
  }
  return seen;
}

Reach::Reach(const Graph& graph, const std::vector<bool>& failing,
             const std::vector<std::uint32_t>& sources) {
  classify(graph, failing);
  std::vector<Row> rows =
      sources.size() < members_.size() ? by_sources(graph, sources) : by_classes(graph, sources);
  std::map<Row, std::uint32_t> known;
  for (Row& row : rows) {
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
  const auto& condensed = graph.condensed();
  for (const std::uint32_t c : condensed) condensed_count_ = std::max(condensed_count_, c + 1);
  class_of_.assign(condensed_count_, kNone);
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    if (!failing[v]) continue;
    std::uint32_t& of = class_of_[condensed[v]];
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

namespace {

// Rows of all components at once would be large, so the bits are taken in blocks.
constexpr std::size_t kWords = 16;
constexpr std::size_t kBits = kWords * 64;
using Block = std::vector<std::array<std::uint64_t, kWords>>;

void set_bit(std::uint64_t* words, std::size_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void merge(const std::array<std::uint64_t, kWords>& from, std::array<std::uint64_t, kWords>* to) {
  for (std::size_t w = 0; w < kWords; ++w) (*to)[w] |= from[w];
}

}  // namespace

// Each component hands the failures it reaches on to its causes.
std::vector<Reach::Row> Reach::by_classes(const Graph& graph,
                                          const std::vector<std::uint32_t>& sources) const {
  const auto& condensed = graph.condensed();
  const std::vector<std::uint32_t> order = graph.effects_first();
  std::vector<Row> rows(sources.size());
  Block block(condensed_count_);
  for (std::size_t first = 0; first < members_.size(); first += kBits) {
    for (auto& row : block) row.fill(0);
    for (std::uint32_t c = 0; c < condensed_count_; ++c) {
      const std::uint32_t own = class_of_[c];
      if (own != kNone && own >= first && own < first + kBits) {
        set_bit(block[c].data(), own - first);
      }
    }
    for (const std::uint32_t v : order) {
      const std::uint32_t own = condensed[v];
      for (const Pair& p : graph.causes_of(v)) {
        if (condensed[p.cause] != own) merge(block[own], &block[condensed[p.cause]]);
      }
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto& row = block[condensed[sources[s]]];
      rows[s].insert(rows[s].end(), row.begin(), row.end());
    }
  }
  return rows;
}

// The other way round, where sources are fewer than failures: each component takes over the sources
// of its causes. Failures that the same sources explain become one class.
std::vector<Reach::Row> Reach::by_sources(const Graph& graph,
                                          const std::vector<std::uint32_t>& sources) {
  const auto& condensed = graph.condensed();
  std::vector<std::uint32_t> order = graph.effects_first();
  std::reverse(order.begin(), order.end());
  std::vector<Row> explained_by(members_.size());
  Block block(condensed_count_);
  for (std::size_t first = 0; first < sources.size(); first += kBits) {
    for (auto& row : block) row.fill(0);
    for (std::size_t s = first; s < std::min(sources.size(), first + kBits); ++s) {
      set_bit(block[condensed[sources[s]]].data(), s - first);
    }
    for (const std::uint32_t v : order) {
      const std::uint32_t own = condensed[v];
      for (const Pair& p : graph.causes_of(v)) {
        if (condensed[p.cause] != own) merge(block[condensed[p.cause]], &block[own]);
      }
    }
    for (std::uint32_t c = 0; c < condensed_count_; ++c) {
      if (class_of_[c] == kNone) continue;
      Row& row = explained_by[class_of_[c]];
      row.insert(row.end(), block[c].begin(), block[c].end());
    }
  }
  std::map<Row, std::uint32_t> merged;
  std::vector<std::vector<std::uint32_t>> members;
  for (std::size_t c = 0; c < members_.size(); ++c) {
    const auto [it, fresh] =
        merged.try_emplace(explained_by[c], static_cast<std::uint32_t>(members.size()));
    if (fresh) members.emplace_back();
    auto& own = members[it->second];
    own.insert(own.end(), members_[c].begin(), members_[c].end());
  }
  members_ = std::move(members);
  std::vector<Row> rows(sources.size(), Row((members_.size() + 63) / 64, 0));
  for (const auto& [by, number] : merged) {
    for (std::size_t w = 0; w < by.size(); ++w) {
      for (std::uint64_t word = by[w]; word != 0; word &= word - 1) {
        set_bit(rows[w * 64 + static_cast<std::size_t>(std::countr_zero(word))].data(), number);
      }
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
