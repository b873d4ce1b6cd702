#include "vm/literal_set.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

namespace attrib::vm {
namespace {

constexpr std::size_t kStride = 4;
constexpr std::size_t kGram = 4;
constexpr std::size_t kWindow = kStride + kGram - 1;

// Byte order does not matter: both sides load alike.
std::uint32_t load(const char* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

std::uint32_t hash(std::uint32_t gram, unsigned bits) {
  return (gram * 0x9E3779B1U) >> (32U - bits);
}

constexpr unsigned kUseBits = 12;

}  // namespace

LiteralSet::LiteralSet(std::vector<std::string> literals) : literals_(std::move(literals)) {
  // Which words are common to many literals ("NVRM", "NCCL"): windows without them give fewer
  // candidates. A hash collision only makes a choice worse.
  std::vector<std::uint32_t> uses(1U << kUseBits);
  for (const std::string& literal : literals_) {
    for (std::size_t i = 0; i + kGram <= literal.size(); ++i) {
      ++uses[hash(load(literal.data() + i), kUseBits)];
    }
  }
  for (std::size_t i = 0; i < literals_.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    if (literals_[i].size() < kWindow) {
      short_.push_back(index);
    } else {
      add_sampled(index, uses);
    }
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.gram, a.literal, a.offset) < std::tie(b.gram, b.literal, b.offset);
  });
  for (const Entry& entry : entries_) {
    const std::uint32_t bit = hash(entry.gram, kFilterBits);
    filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

void LiteralSet::add_sampled(std::uint32_t literal, const std::vector<std::uint32_t>& gram_uses) {
  const std::string& text = literals_[literal];
  std::size_t best = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t at = 0; at + kWindow <= text.size(); ++at) {
    std::uint64_t uses = 0;
    for (std::size_t i = 0; i < kStride; ++i)
      uses += gram_uses[hash(load(text.data() + at + i), kUseBits)];
    if (uses < least) {
      least = uses;
      best = at;
    }
  }
  for (std::size_t i = 0; i < kStride; ++i) {
    entries_.push_back(
        {load(text.data() + best + i), literal, static_cast<std::uint32_t>(best + i)});
  }
}

void LiteralSet::look_up(std::string_view text, std::size_t at, std::uint32_t gram,
                         std::vector<std::uint32_t>* found) const {
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), gram,
                                [](const Entry& e, std::uint32_t g) { return e.gram < g; });
  for (; entry != entries_.end() && entry->gram == gram; ++entry) {
    const std::string& literal = literals_[entry->literal];
    if (entry->offset > at) continue;
    const std::size_t begin = at - entry->offset;
    if (text.size() - begin < literal.size()) continue;
    if (text.compare(begin, literal.size(), literal) == 0) found->push_back(entry->literal);
  }
}

void LiteralSet::find(std::string_view text, std::vector<std::uint32_t>* found) const {
  found->clear();
  for (std::size_t at = 0; at + kGram <= text.size(); at += kStride) {
    const std::uint32_t gram = load(text.data() + at);
    const std::uint32_t bit = hash(gram, kFilterBits);
    if ((filter_[bit / 64] >> (bit % 64) & 1U) != 0) look_up(text, at, gram, found);
  }
  for (const std::uint32_t index : short_) {
    if (text.find(literals_[index]) != std::string_view::npos) found->push_back(index);
  }
  std::sort(found->begin(), found->end());
  found->erase(std::unique(found->begin(), found->end()), found->end());
}

}  // namespace attrib::vm
