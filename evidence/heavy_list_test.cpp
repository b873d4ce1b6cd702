#include "evidence/heavy_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "evidence/sort_heavy.h"

namespace attrib::evidence {
namespace {

using Item = std::unique_ptr<std::size_t>;  // Leaks and double frees show under a sanitizer.
constexpr std::size_t kMany = 40'000;  // Several chunks of the largest size.

HeavyList<Item> numbers(std::size_t n) {
  HeavyList<Item> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(std::make_unique<std::size_t>(i));
  return out;
}

TEST_CASE("items are found by number and stay in their place") {
  HeavyList<Item> list = numbers(1);
  const Item* const first = &list[0];
  for (std::size_t i = 1; i < kMany; ++i) list.push_back(std::make_unique<std::size_t>(i));
  CHECK(&list[0] == first);
  CHECK(list.size() == kMany);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kMany; ++i) wrong += *list[i] == i ? 0 : 1;
  std::size_t next = 0;
  for (const Item& each : std::as_const(list)) wrong += *each == next++ ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(next == kMany);
  CHECK(*list.back() == kMany - 1);
  for (const std::size_t size : {kMany - 1, std::size_t{20'000}, std::size_t{65}, std::size_t{64}, std::size_t{1}}) {
    list.cut(size);
    CHECK(*list.back() == size - 1);
  }
  list.push_back(std::make_unique<std::size_t>(7));
  CHECK(*list.back() == 7);
  HeavyList<Item> other = std::move(list);
  CHECK(other.size() == 2);
}

TEST_CASE("what is cut off after the order was changed goes once") {
  HeavyList<Item> list = numbers(3);
  put_in_order(&list, {2, 0, 1});
  list.cut(1);
  CHECK(*list[0] == 2);
  list.push_back(std::make_unique<std::size_t>(9));
  list.pop_back();
  list.push_back(std::make_unique<std::size_t>(8));
  CHECK(list.size() == 2);
  CHECK(*list[1] == 8);
}

TEST_CASE("all items are handed out in their order") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65}, kMany}) {
    HeavyList<Item> list = numbers(n);
    std::vector<std::size_t> taken;
    list.drain([&](Item&& item) { taken.push_back(*Item(std::move(item))); });
    CHECK(list.empty());
    CHECK(taken.size() == n);
    CHECK(std::is_sorted(taken.begin(), taken.end()));
    list.push_back(std::make_unique<std::size_t>(3));
    CHECK(*list[0] == 3);
  }
}

TEST_CASE("a list is put in any order in its place, and sorted by its iterators") {
  std::mt19937 random(5);
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}, std::size_t{100}, std::size_t{5'000}}) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    HeavyList<Item> list = numbers(n);
    const Item* const moved = &list[order[0]];
    put_in_order(&list, order);
    CHECK(&list[0] == moved);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += *list[i] == order[i] ? 0 : 1;
    CHECK(wrong == 0);
    const HeavySpan<Item> part(&list, 1, n);
    std::sort(part.begin(), part.end(), [](const Item& a, const Item& b) { return *a < *b; });
    CHECK(std::is_sorted(part.begin(), part.end(), [](const Item& a, const Item& b) { return *a < *b; }));
    CHECK(*list[0] == order[0]);
  }
}

}  // namespace
}  // namespace attrib::evidence
