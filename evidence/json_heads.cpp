#include "evidence/json_heads.h"

#include <cstring>
#include <utility>

namespace attrib::evidence {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t word_at(const char* at) {
  std::uint64_t out = 0;
  std::memcpy(&out, at, sizeof out);
  return out;
}

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U, kOther = 0xD1B54A32D192ED03U;

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = mixed(seed ^ text.size(), kOdd);
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 16; left -= 16, at += 16)
    hash = mixed(word_at(at) ^ kOdd, word_at(at + 8) ^ hash);
  if (left >= 8) return mixed(word_at(at) ^ hash, word_at(at + left - 8) ^ kOther);
  std::uint64_t last = 0;
  std::memcpy(&last, at, left);
  return mixed(last ^ hash, kOther);
}

std::uint64_t hash_of(const JsonShape& shape) {
  std::uint64_t hash = 0;
  for (const std::string_view piece : shape.head) {
    if (!piece.empty()) hash = hash_of(piece, hash);
  }
  return hash;
}

}  // namespace

bool JsonHeads::holds(const Entry& entry, const JsonShape& shape) const {
  std::string_view text = std::string_view(texts_).substr(entry.at, entry.size);
  for (const std::string_view piece : shape.head) {
    if (!text.starts_with(piece)) return false;
    text.remove_prefix(piece.size());
  }
  return text.empty();
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
