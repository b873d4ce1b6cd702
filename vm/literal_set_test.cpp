#include "vm/literal_set.h"

#include <doctest/doctest.h>

#include <random>

namespace attrib::vm {
namespace {

std::vector<std::uint32_t> naive(const std::vector<std::string>& literals,
                                 const std::string& text) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (text.find(literals[i]) != std::string::npos) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

std::string random_text(std::mt19937& random, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>('a' + random() % 2);
  return out;
}

TEST_CASE("a literal is found at every place of a line") {
  const std::vector<std::string> literals = {"NVRM: Xid", "sevenby", "six by", "x",
                                             "NVRM: Xid (PCI:"};
  const LiteralSet set(literals);
  std::vector<std::uint32_t> found;
  for (const std::string& literal : literals) {
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t after = 0; after < 6; ++after) {
        const std::string text = std::string(before, '.') + literal + std::string(after, '.');
        set.find(text, &found);
        CHECK(found == naive(literals, text));
      }
    }
  }
}

TEST_CASE("random literals are found exactly where a plain search finds them") {
  std::mt19937 random(11);
  std::size_t hits = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> literals;
    for (int i = 0; i < 40; ++i) literals.push_back(random_text(random, 1 + random() % 14));
    const LiteralSet set(literals);
    std::vector<std::uint32_t> found;
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(random, random() % 60);
      set.find(text, &found);
      REQUIRE(found == naive(literals, text));
      hits += found.size();
    }
  }
  CHECK(hits > 1000);
}

TEST_CASE("nothing is found in an empty line but the empty literal") {
  std::vector<std::uint32_t> found = {9};
  LiteralSet({"sevenby", "x"}).find("", &found);
  CHECK(found.empty());
  LiteralSet({"sevenby", ""}).find("", &found);
  CHECK(found == std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace attrib::vm
