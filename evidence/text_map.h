#pragma once

// Texts by name, which few observations have: 8 bytes where there are none.

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace attrib::evidence {

class TextMap {
 public:
  using Map = std::map<std::string, std::string>;

  TextMap() = default;
  TextMap(Map map)  // NOLINT(google-explicit-constructor)
      : map_(map.empty() ? nullptr : std::make_unique<Map>(std::move(map))) {}
  TextMap(const TextMap& other) : map_(other.empty() ? nullptr : std::make_unique<Map>(*other.map_)) {}
  TextMap(TextMap&&) noexcept = default;
  TextMap& operator=(TextMap other) noexcept {
    map_ = std::move(other.map_);
    return *this;
  }
  ~TextMap() = default;

  [[nodiscard]] const Map& get() const;
  operator const Map&() const { return get(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return map_ == nullptr; }
  [[nodiscard]] Map::const_iterator begin() const { return get().begin(); }
  [[nodiscard]] Map::const_iterator end() const { return get().end(); }
  [[nodiscard]] Map::const_iterator find(const std::string& name) const { return get().find(name); }
  [[nodiscard]] const std::string& at(const std::string& name) const { return get().at(name); }

  // What is there already stays.
  void emplace(std::string_view name, std::string_view text) { mine().emplace(name, text); }
  void merge(Map more) {
    if (!more.empty()) mine().merge(more);
  }

  friend bool operator==(const TextMap& a, const TextMap& b) {
    return (a.empty() && b.empty()) || a.get() == b.get();
  }
  friend auto operator<=>(const TextMap& a, const TextMap& b) { return a.get() <=> b.get(); }

 private:
  Map& mine() {
    if (!map_) map_ = std::make_unique<Map>();
    return *map_;
  }

  std::unique_ptr<Map> map_;  // Null: empty.
};

}  // namespace attrib::evidence
