#include "vm/literal_scan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

namespace attrib::vm {
namespace {

using Found = std::vector<std::pair<std::size_t, std::uint32_t>>;

Found sorted(const std::vector<LiteralScan::Hit>& hits) {
  Found out;
  for (const LiteralScan::Hit& hit : hits) out.emplace_back(hit.at, hit.literal);
  std::sort(out.begin(), out.end());
  return out;
}

Found by_search(const std::vector<std::string>& literals, std::string_view buffer) {
  Found out;
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    for (std::size_t at = buffer.find(literals[i]); at != std::string_view::npos;
         at = buffer.find(literals[i], at + 1))
      out.emplace_back(at, i);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("a literal is found once wherever it lies, by both codes") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    // Few different bytes, so that words of literals stand everywhere.
    const std::string bytes = round % 2 == 0 ? "abN\n" : std::string("aN: 0\0\xff\n", 8);
    std::set<std::string> unique;
    for (std::size_t i = 1 + below(12); i > 0; --i) {
      std::string literal;
      for (std::size_t n = 1 + below(20); n > 0; --n) literal += bytes[below(bytes.size())];
      unique.insert(literal);
    }
    const std::vector<std::string> literals(unique.begin(), unique.end());
    std::string buffer;
    while (buffer.size() < 20 + below(400)) {
      if (below(4) == 0) {
        buffer += literals[below(literals.size())];
      } else {
        buffer += bytes[below(bytes.size())];
      }
    }
    buffer.resize(below(buffer.size() + 1));
    const Found wanted = by_search(literals, buffer);
    std::vector<LiteralScan::Hit> hits;
    LiteralScan(literals, LiteralScan::Code::Portable).scan(buffer, &hits);
    CHECK(sorted(hits) == wanted);
    LiteralScan(literals).scan(buffer, &hits);
    CHECK(sorted(hits) == wanted);
  }
}

TEST_CASE("no literal and no text are nothing to find") {
  std::vector<LiteralScan::Hit> hits(3);
  LiteralScan(std::vector<std::string>()).scan("some text", &hits);
  CHECK(hits.empty());
  LiteralScan({"some text"}).scan("", &hits);
  CHECK(hits.empty());
}

}  // namespace
}  // namespace attrib::vm
