#pragma once

// Texts that need not be made again, the least recently used forgotten first.

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace attrib::service {

// Thread-safe. `bytes` bounds keys and texts together; a text that alone is more is not kept.
class Cache {
 public:
  using Text = std::shared_ptr<const std::string>;
  explicit Cache(std::size_t bytes) : most_(bytes) {}

  Text find(const std::string& key);  // Null: not there.
  void put(const std::string& key, Text text);
  [[nodiscard]] std::size_t bytes() const;

 private:
  using Entry = std::pair<std::string, Text>;
  static std::size_t size_of(const Entry& entry);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // The latest first.
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace attrib::service
