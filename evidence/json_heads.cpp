#include "evidence/json_heads.h"

#include <algorithm>

#include "evidence/words.h"

namespace attrib::evidence {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U, kOther = 0xD1B54A32D192ED03U;

// Of a text of less than eight bytes behind which there are more; the last piece of a head is longer.
std::uint64_t short_word(std::string_view text) {
  return word_at(text, 0) & ((std::uint64_t{1} << 8U * text.size()) - 1);
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  const std::uint64_t hash = mixed(seed ^ text.size(), kOdd);
  if (text.size() < kWordBytes) return mixed(short_word(text) ^ hash, kOther);
  std::uint64_t even = hash, odd = kOther;
  std::size_t at = 0;
  for (; at + 2 * kWordBytes < text.size(); at += 2 * kWordBytes) {
    even = mixed(word_at(text, at) ^ even, kOdd);
    odd = mixed(word_at(text, at + kWordBytes) ^ odd, kOdd);
  }
  if (at + kWordBytes < text.size()) even = mixed(word_at(text, at) ^ even, kOdd);
  return mixed(word_at(text, text.size() - kWordBytes) ^ even, odd ^ kOther);
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

std::array<std::uint32_t, 3> sizes_of(const JsonShape& shape) {
  const auto size = [&shape](std::size_t piece) {
    return static_cast<std::uint32_t>(shape.head.at(piece).size());
  };
  return {size(0), size(1), size(2)};
}

// Does `text`, which is no shorter and goes on behind it where that is short, begin with `piece`?
bool begins_with(std::string_view text, std::string_view piece) {
  if (piece.size() < kWordBytes) {
    const std::uint64_t mask = (std::uint64_t{1} << 8U * piece.size()) - 1;
    return ((word_at(text, 0) ^ word_at(piece, 0)) & mask) == 0;
  }
  const std::size_t last = piece.size() - kWordBytes;
  std::uint64_t other = word_at(text, last) ^ word_at(piece, last);
  for (std::size_t at = 0; at < last; at += kWordBytes)
    other |= word_at(text, at) ^ word_at(piece, at);
  return other == 0;
}

}  // namespace

std::uint64_t JsonHeads::hash_of(const JsonShape& shape) {
  std::uint64_t hash = 0;
  for (const std::string_view piece : shape.head) {
    if (!piece.empty()) hash = evidence::hash_of(piece, hash);
  }
  return hash;
}

void JsonHeads::fetch_slot(std::uint64_t hash) const {
  if (!table_.empty()) __builtin_prefetch(&table_[hash & (table_.size() - 1)]);
}

void JsonHeads::fetch_entry(std::uint64_t hash) const {
  if (table_.empty()) return;
  const Slot& slot = table_[hash & (table_.size() - 1)];  // Mostly it is there.
  if (slot.number == 0) return;
  const Entry& entry = entries_[slot.number - 1];
  __builtin_prefetch(&entry);
  __builtin_prefetch(entry.near.data() + kNear - 1);
}

bool JsonHeads::holds(const Entry& entry, const JsonShape& shape) const {
  if (entry.sizes != sizes_of(shape)) return false;
  const std::size_t size = entry.sizes[0] + entry.sizes[1] + entry.sizes[2];
  std::string_view text = size <= kNear ? std::string_view(entry.near.data(), size)
                                        : std::string_view(far_).substr(entry.far, size);
  for (const std::string_view piece : shape.head) {
    if (piece.empty()) continue;
    if (!begins_with(text, piece)) return false;
    text.remove_prefix(piece.size());
  }
  return true;
}

const JsonHeads::Known* JsonHeads::find(const JsonShape& shape, std::uint64_t hash) const {
  if (table_.empty()) return nullptr;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask; table_[at].number > 0; at = (at + 1) & mask) {
    if (table_[at].tag != tag_of(hash)) continue;
    const Entry& entry = entries_[table_[at].number - 1];
    if (entry.hash == hash && holds(entry, shape)) return &entry.known;
  }
  return nullptr;
}

void JsonHeads::put(std::uint64_t hash, std::uint32_t number) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  while (table_[at].number > 0) at = (at + 1) & mask;
  table_[at] = {tag_of(hash), number};
}

void JsonHeads::grow() {
  constexpr std::size_t kFirst = 1024;
  table_.assign(table_.empty() ? kFirst : table_.size() * 2, {});
  for (std::uint32_t i = 0; i < entries_.size(); ++i) put(entries_[i].hash, i + 1);
}

void JsonHeads::add(const JsonShape& shape, const Known& known) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 24U;
  if (entries_.size() == kMost || far_.size() > kMostBytes) {
    table_.clear();
    entries_.clear();
    far_.clear();
  }
  if (2 * entries_.size() >= table_.size()) grow();
  Entry& entry = entries_.emplace_back();
  entry.hash = hash_of(shape);
  entry.known = known;
  std::string text;
  for (const std::string_view piece : shape.head) text += piece;
  entry.sizes = sizes_of(shape);
  if (text.size() <= kNear) {
    std::copy(text.begin(), text.end(), entry.near.begin());
  } else {
    entry.far = static_cast<std::uint32_t>(far_.size());
    far_ += text;
  }
  put(entry.hash, static_cast<std::uint32_t>(entries_.size()));
}

}  // namespace attrib::evidence
