#include "base/blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace attrib {
namespace {

struct Taken {
  char* at;
  std::size_t bytes;
};

TEST_CASE("blocks of all sizes are apart, aligned, and keep what is written to them") {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n < 600; ++n) sizes.push_back(n);
  for (std::size_t n = 1024; n <= 2 * kLargestBlock; n *= 2) {
    for (const std::size_t near : {n - 1, n, n + 1}) sizes.push_back(near);
  }
  for (std::size_t round = 0; round < 3; ++round) {  // From the second on they are used again.
    std::vector<Taken> taken;
    for (const std::size_t bytes : sizes) {
      auto* const at = static_cast<char*>(take_block(bytes));
      REQUIRE(at != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(at) % alignof(std::max_align_t) == 0);
      std::memset(at, static_cast<int>(bytes % 251), bytes);
      taken.push_back({at, bytes});
    }
    for (const Taken& each : taken) {
      const char wanted = static_cast<char>(each.bytes % 251);
      CHECK(std::all_of(each.at, each.at + each.bytes, [&](char c) { return c == wanted; }));
    }
    std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < taken.size(); ++i)
      CHECK(taken[i - 1].at + std::max<std::size_t>(1, taken[i - 1].bytes) <= taken[i].at);
    for (const Taken& each : taken) give_back_block(each.at);
  }
  give_back_block(nullptr);
}

TEST_CASE("a block that is given back serves the next one of its size") {
  void* const first = take_block(100);
  give_back_block(first);
  void* const second = take_block(101);  // Of the same size, rounded up.
  CHECK(second == first);
  void* const third = take_block(100);
  CHECK(third != first);
  give_back_block(second);
  give_back_block(third);
}

TEST_CASE("what a thread leaves behind serves others, and any thread gives back any block") {
  std::vector<char*> made(1000);
  std::thread([&] {
    for (char*& each : made) {
      each = static_cast<char*>(take_block(48));
      std::memset(each, 7, 48);
    }
    give_back_block(take_block(80));
  }).join();
  for (char* each : made) CHECK(each[47] == 7);
  std::thread([&] {
    for (char* each : made) give_back_block(each);
  }).join();
  std::vector<char*> again(1000);
  std::thread([&] {
    for (char*& each : again) each = static_cast<char*>(take_block(48));
    for (char* each : again) give_back_block(each);
  }).join();
  std::sort(made.begin(), made.end());
  std::sort(again.begin(), again.end());
  CHECK(made == again);
}

}  // namespace
}  // namespace attrib
