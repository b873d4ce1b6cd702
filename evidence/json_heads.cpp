#include "evidence/json_heads.h"

#include <utility>

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

std::uint64_t hash_of(const JsonShape& shape) {
  std::uint64_t hash = 0;
  for (const std::string_view piece : shape.head) {
    if (!piece.empty()) hash = hash_of(piece, hash);
  }
  return hash;
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

bool JsonHeads::holds(const Entry& entry, const JsonShape& shape) const {
  if (entry.size != shape.head[0].size() + shape.head[1].size() + shape.head[2].size()) return false;
  std::string_view text = std::string_view(texts_).substr(entry.at, entry.size);
  for (const std::string_view piece : shape.head) {
    if (piece.empty()) continue;
    if (!begins_with(text, piece)) return false;
    text.remove_prefix(piece.size());
  }
  return true;
}

const JsonHeads::Known* JsonHeads::find(const JsonShape& shape) const {
  if (table_.empty()) return nullptr;
  const std::uint64_t hash = hash_of(shape);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask; table_[at].size > 0; at = (at + 1) & mask) {
    if (table_[at].hash == hash && holds(table_[at], shape)) return &table_[at].known;
  }
  return nullptr;
}

void JsonHeads::put(const Entry& entry) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = entry.hash & mask;
  while (table_[at].size > 0) at = (at + 1) & mask;
  table_[at] = entry;
}

void JsonHeads::grow() {
  constexpr std::size_t kFirst = 1024;
  const std::vector<Entry> old =
      std::exchange(table_, std::vector<Entry>(table_.empty() ? kFirst : table_.size() * 2));
  for (const Entry& each : old) {
    if (each.size > 0) put(each);
  }
}

void JsonHeads::add(const JsonShape& shape, const Known& known) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 24U;
  if (count_ == kMost || texts_.size() > kMostBytes) {
    table_.clear();
    texts_.clear();
    count_ = 0;
  }
  if (2 * count_ >= table_.size()) grow();
  Entry entry;
  entry.hash = hash_of(shape);
  entry.at = static_cast<std::uint32_t>(texts_.size());
  for (const std::string_view piece : shape.head) texts_ += piece;
  entry.size = static_cast<std::uint32_t>(texts_.size() - entry.at);
  entry.known = known;
  put(entry);
  ++count_;
}

}  // namespace attrib::evidence
