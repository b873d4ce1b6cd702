#include "vm/literal_scan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace attrib::vm {
namespace {

using Found = std::vector<std::pair<std::size_t, std::uint32_t>>;

Found sorted(const std::vector<LiteralScan::Hit>& hits) {
  Found out;
  for (const LiteralScan::Hit& hit : hits) out.emplace_back(hit.at, hit.literal);
  std::sort(out.begin(), out.end());
  return out;
}

Found by_search(const std::vector<model::SearchText>& literals, std::string_view buffer) {
  const std::string small = model::to_lower(buffer);
  Found out;
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    const std::string_view in = literals[i].any_case ? small : buffer;
    for (std::size_t at = in.find(literals[i].text); at != std::string_view::npos;
         at = in.find(literals[i].text, at + 1))
      out.emplace_back(at, i);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("a literal is found once wherever it lies, by both codes") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  for (int round = 0; round < 400; ++round) {
    // Few different bytes, so that words of literals stand everywhere. Bytes that differ as small
    // letters and capitals do need not be letters: `[` and `{`, `@` and a grave accent.
    const std::string bytes = round % 4 == 0   ? "abN\n"
                              : round % 4 == 1 ? std::string("aN: 0\0\xff\n", 8)
                              : round % 4 == 2 ? "aAkK[{"
                                               : "zZ@`\xc9\xe9 ";
    std::set<model::SearchText> unique;
    for (std::size_t i = 1 + below(12); i > 0; --i) {
      model::SearchText literal;
      for (std::size_t n = 1 + below(20); n > 0; --n) literal.text += bytes[below(bytes.size())];
      literal.any_case = below(3) == 0;
      if (literal.any_case) literal.text = model::to_lower(literal.text);
      unique.insert(literal);
    }
    const std::vector<model::SearchText> literals(unique.begin(), unique.end());
    std::string buffer;
    while (buffer.size() < 20 + below(400)) {
      if (below(4) == 0) {
        std::string text = literals[below(literals.size())].text;
        for (char& c : text) {
          if (model::is_letter(c) && below(5) == 0) c = static_cast<char>(c ^ 0x20);
        }
        buffer += text;
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

// The search works in stretches of some sixteen thousand bytes, and keeps lists of what it finds there.
TEST_CASE("a long text is searched whole, however dense the literals lie") {
  const std::vector<model::SearchText> literals = {
      {"an error of it", false}, {"rror of its", false}, {"went away", true}, {"late", false}};
  const auto agrees = [&](const std::string& buffer) {
    const Found wanted = by_search(literals, buffer);
    std::vector<LiteralScan::Hit> hits;
    for (const auto code : {LiteralScan::Code::Portable, LiteralScan::Code::Best}) {
      LiteralScan(literals, code).scan(buffer, &hits);
      CHECK(sorted(hits) == wanted);
    }
    return wanted.size();
  };
  std::string dense;
  while (dense.size() < 50'000) dense += "an error of its Went AWAY, late ";
  for (std::size_t shift = 0; shift < 40; ++shift) CHECK(agrees(dense.substr(shift)) > 6000);
  for (std::size_t end = 0; end < 40; ++end) CHECK(agrees(dense.substr(0, 33'000 - end)) > 4000);
  std::string sparse(70'000, '.');
  std::size_t placed = 0;
  for (std::size_t at = 500; at + 20 < sparse.size(); at += 1021, ++placed)
    sparse.replace(at, 14, "an error of it");
  CHECK(agrees(sparse) == placed);
}

// More words than the smaller bitmap takes, many of them in several literals.
TEST_CASE("each of thousands of literals is found") {
  std::mt19937 random(11);
  std::set<model::SearchText> unique;
  while (unique.size() < 4000) {
    std::string text;
    for (std::size_t n = 7 + random() % 8; n > 0; --n) text += static_cast<char>('a' + random() % 6);
    unique.insert({text, false});
  }
  const std::vector<model::SearchText> literals(unique.begin(), unique.end());
  std::string buffer;
  std::vector<std::size_t> begins;
  for (const model::SearchText& each : literals) {
    buffer.append(random() % 6, ' ');
    begins.push_back(buffer.size());
    buffer += each.text;
  }
  std::vector<LiteralScan::Hit> hits;
  for (const auto code : {LiteralScan::Code::Portable, LiteralScan::Code::Best}) {
    LiteralScan(literals, code).scan(buffer, &hits);
    const Found found = sorted(hits);
    CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
    for (const auto& [at, literal] : found)
      CHECK(std::string_view(buffer).substr(at).starts_with(literals[literal].text));
    for (std::uint32_t i = 0; i < literals.size(); ++i)
      CHECK(std::binary_search(found.begin(), found.end(), std::pair(begins[i], i)));
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
