#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attrib::differential {

// splitmix64: small, and the same on every machine for one seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  std::string word(std::initializer_list<const char*> list) {
    return *(list.begin() + below(list.size()));
  }

 private:
  std::uint64_t state_;
};

}  // namespace attrib::differential
