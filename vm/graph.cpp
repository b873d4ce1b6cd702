#include "vm/graph.h"

#include <algorithm>
#include <bit>
#include <map>

namespace attrib::vm {

Graph::Graph(const std::vector<Occurrence>& occurrences, const EdgeList& edges)
    : size_(static_cast<std::uint32_t>(occurrences.size())) {
  sort_arcs(occurrences, edges);
  find_components(occurrences);
}

// A counting sort by effect, for there may be millions.
void Graph::sort_arcs(const std::vector<Occurrence>& occurrences, const EdgeList& edges) {
  std::vector<std::uint32_t>& begin = by_effect_.begin;
  begin.assign(size_ + 1, 0);
  using Causes = std::span<const std::uint32_t>;
  edges.for_each_run([&](std::uint32_t effect, std::uint16_t /*rule*/, Causes causes) {
    begin[effect + 1] += static_cast<std::uint32_t>(causes.size());
  });
  for (std::uint32_t v = 0; v < size_; ++v) begin[v + 1] += begin[v];
  std::vector<std::uint8_t> blame(size_);
  std::vector<bool> origin(size_);
  for (std::uint32_t v = 0; v < size_; ++v) {
    blame[v] = static_cast<std::uint8_t>(blame_of(occurrences[v]));
    origin[v] = occurrences[v].meta.role == model::Role::Origin;
  }
  std::vector<std::uint32_t> place(begin.begin(), begin.end());
  by_effect_.arcs.resize(edges.size());
  edges.for_each_run([&](std::uint32_t effect, std::uint16_t rule, Causes causes) {
    Arc* to = by_effect_.arcs.data() + place[effect];
    place[effect] += static_cast<std::uint32_t>(causes.size());
    for (const std::uint32_t each : causes) {
      const std::uint32_t cause = each & ~EdgeList::kStrong;
      const bool strong = cause != each;
      const bool demotes = strong || (!origin[effect] && blame[cause] >= blame[effect]);
      *to++ = {cause, rule, strong, demotes};
    }
  });
}

// The compounds of demoting edges lie within those of all edges, so only what closes a circle of
// any kind is looked at twice.
void Graph::find_components(const std::vector<Occurrence>& occurrences) {
  condensed_ = strong_components(by_effect_);
  ArcsByEffect inner;
  inner.begin.push_back(0);
  for (std::uint32_t v = 0; v < size_; ++v) {
    for (const Arc& a : causes_of(v)) {
      if (condensed_[a.cause] == condensed_[v] && a.demotes) inner.arcs.push_back(a);
    }
    inner.begin.push_back(static_cast<std::uint32_t>(inner.arcs.size()));
  }
  const std::vector<std::uint32_t> raw = strong_components(inner);
  // Causes first; wanted the other way round.
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
  for (std::uint32_t v = 0; v < size_; ++v) {
    const std::uint32_t own = component_of_[v];
    const auto causes = causes_of(v);
    const bool demoted = std::any_of(causes.begin(), causes.end(), [&](const Arc& a) {
      return a.demotes && component_of_[a.cause] != own;
    });
    if (demoted) root_[own] = false;
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
      for (const Arc& p : causes_of(v)) any = any || seen[p.cause];
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
    for (const Arc& p : causes_of(v)) {
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

void set_bit(std::uint64_t* words, std::size_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

// Rows of bits by component. All bits at once would be large, so they are taken in blocks of at most
// kMost words.
class Block {
 public:
  static constexpr std::size_t kMost = 16;

  Block(std::size_t rows, std::size_t bits)
      : words_(std::clamp<std::size_t>((bits + 63) / 64, 1, kMost)),
        data_(rows * words_),
        only_(rows, kNoBit) {}

  [[nodiscard]] std::size_t bits() const { return words_ * 64; }
  void clear() {
    std::fill(data_.begin(), data_.end(), 0);
    std::fill(only_.begin(), only_.end(), kNoBit);
  }
  std::span<const std::uint64_t> operator[](std::size_t row) const {
    return std::span(data_).subspan(row * words_, words_);
  }
  void set(std::size_t row, std::size_t bit) {
    set_bit(data_.data() + row * words_, bit);
    note(row, static_cast<std::uint32_t>(bit));
  }
  // Most rows that are handed on hold one bit or none.
  void merge(std::size_t from, std::size_t to) {
    if (only_[from] == kNoBit) return;
    if (only_[from] != kSeveral) return set(to, only_[from]);
    only_[to] = kSeveral;
    const std::uint64_t* const source = data_.data() + from * words_;
    std::uint64_t* const into = data_.data() + to * words_;
    if (words_ == kMost) {
      for (std::size_t w = 0; w < kMost; ++w) into[w] |= source[w];
    } else {
      for (std::size_t w = 0; w < words_; ++w) into[w] |= source[w];
    }
  }

 private:
  static constexpr std::uint32_t kNoBit = kNone, kSeveral = kNone - 1;
  void note(std::size_t row, std::uint32_t bit) {
    if (only_[row] != bit) only_[row] = only_[row] == kNoBit ? bit : kSeveral;
  }

  std::size_t words_;
  std::vector<std::uint64_t> data_;
  std::vector<std::uint32_t> only_;  // By row: its one bit.
};

}  // namespace

// Each component hands the failures it reaches on to its causes.
std::vector<Reach::Row> Reach::by_classes(const Graph& graph,
                                          const std::vector<std::uint32_t>& sources) const {
  const auto& condensed = graph.condensed();
  const std::vector<std::uint32_t> order = graph.effects_first();
  std::vector<Row> rows(sources.size());
  Block block(condensed_count_, members_.size());
  for (std::size_t first = 0; first < members_.size(); first += block.bits()) {
    block.clear();
    for (std::uint32_t c = 0; c < condensed_count_; ++c) {
      const std::uint32_t own = class_of_[c];
      if (own != kNone && own >= first && own < first + block.bits()) {
        block.set(c, own - first);
      }
    }
    for (const std::uint32_t v : order) {
      const std::uint32_t own = condensed[v];
      for (const Arc& p : graph.causes_of(v)) {
        if (condensed[p.cause] != own) block.merge(own, condensed[p.cause]);
      }
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto row = block[condensed[sources[s]]];
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
  Block block(condensed_count_, sources.size());
  for (std::size_t first = 0; first < sources.size(); first += block.bits()) {
    block.clear();
    for (std::size_t s = first; s < std::min(sources.size(), first + block.bits()); ++s) {
      block.set(condensed[sources[s]], s - first);
    }
    for (const std::uint32_t v : order) {
      const std::uint32_t own = condensed[v];
      for (const Arc& p : graph.causes_of(v)) {
        if (condensed[p.cause] != own) block.merge(condensed[p.cause], own);
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
