#include "service/cache.h"

namespace attrib::service {

std::size_t Cache::size_of(const Entry& entry) {
  constexpr std::size_t kAround = 256;  // Nodes of list and table.
  return 2 * entry.first.size() + entry.second->size() + kAround;
}

Cache::Text Cache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

void Cache::put(const std::string& key, Text text) {
  Entry entry{key, std::move(text)};
  const std::size_t size = size_of(entry);
  const std::lock_guard lock(mutex_);
  if (size > most_ || by_key_.contains(key)) return;
  entries_.push_front(std::move(entry));
  by_key_[key] = entries_.begin();
  bytes_ += size;
  while (bytes_ > most_) {
    bytes_ -= size_of(entries_.back());
    by_key_.erase(entries_.back().first);
    entries_.pop_back();
  }
}

std::size_t Cache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace attrib::service
