#include "model/table.h"

#include <doctest/doctest.h>

#include <random>

namespace attrib::model {
namespace {

using Kind = KeyCell::Kind;

KeyCell any() { return {}; }
KeyCell list(std::vector<Constant> values) { return {Kind::Set, std::move(values), 0, 0}; }
KeyCell one(std::int64_t n) { return {Kind::Value, {int_constant(n)}, 0, 0}; }
KeyCell word(std::string text) { return {Kind::Value, {text_constant(std::move(text))}, 0, 0}; }
KeyCell range(std::int64_t a, std::int64_t b) {
  return {Kind::Range, {int_constant(a), int_constant(b)}, 0, 0};
}
KeyCell ternary(std::uint64_t mask, std::uint64_t bits) { return {Kind::Ternary, {}, mask, bits}; }

// Cells over the numbers 0..255, every kind of them. A ternary cell fixes all higher bits to zero,
// so that it accepts nothing outside.
KeyCell random_cell(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  switch (below(5)) {
    case 0:
      return any();
    case 1:
      return one(below(256));
    case 2: {
      std::vector<Constant> values;
      for (std::int64_t n = below(40); n < 256; n += 1 + below(80))
        values.push_back(int_constant(n));
      return list(values);
    }
    case 3: {
      const std::int64_t a = below(256);
      return range(a, a + below(24) - 2);  // Sometimes empty.
    }
    default: {
      const auto mask = static_cast<std::uint64_t>(below(256) | below(256)) | ~std::uint64_t{255};
      return ternary(mask, static_cast<std::uint64_t>(below(256)) & mask);
    }
  }
}

TEST_CASE("overlap of random cells is what trying every value says") {
  std::mt19937 random(7);
  int overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    const KeyCell a = random_cell(random);
    const KeyCell b = random_cell(random);
    bool expected = false;
    // Values on both sides of the 8 bits too: `*` and a range that passes 255 meet there.
    for (std::int64_t v = -4; v < 300 && !expected; ++v) {
      expected = accepts(a, int_constant(v)) && accepts(b, int_constant(v));
    }
    overlapping += expected ? 1 : 0;
    const std::string shown = to_text(a, {}) + " and " + to_text(b, {});
    CAPTURE(shown);
    REQUIRE(overlaps(a, b) == expected);
    REQUIRE(overlaps(b, a) == expected);
  }
  CHECK(overlapping > 2'000);
  CHECK(overlapping < 18'000);
}

TEST_CASE("a ternary cell and a range meet exactly when some number is in both") {
  // Exhaustive over 5 bits, for every mask, value and range.
  for (std::uint64_t mask = 0; mask < 32; ++mask) {
    for (std::uint64_t bits = 0; bits < 32; ++bits) {
      if ((bits & ~mask) != 0) continue;
      const KeyCell cell = ternary(mask | ~std::uint64_t{31}, bits);
      for (std::int64_t a = 0; a < 32; ++a) {
        bool expected = false;
        for (std::int64_t b = a; b < 32; ++b) {
          expected = expected || accepts(cell, int_constant(b));
          REQUIRE(overlaps(cell, range(a, b)) == expected);
        }
      }
    }
  }
}

TEST_CASE("wide ranges are decided without walking them") {
  constexpr std::int64_t kMost = INT64_MAX;
  CHECK(overlaps(ternary(~std::uint64_t{0}, kMost), range(0, kMost)));
  CHECK_FALSE(overlaps(ternary(~std::uint64_t{0}, kMost), range(0, kMost - 1)));
  CHECK(overlaps(ternary(1, 1), range(kMost - 1, kMost)));
  CHECK_FALSE(overlaps(ternary(1, 0), range(kMost, kMost)));
  // Negative numbers have their upper bits set.
  CHECK(overlaps(ternary(0xF, 0xF), range(-1, -1)));
  CHECK_FALSE(overlaps(ternary(0xF, 0x3), range(-1, 2)));
  CHECK(overlaps(ternary(0xF, 0x3), range(-1, 3)));
  CHECK(overlaps(ternary(std::uint64_t{1} << 63U, std::uint64_t{1} << 63U), range(-5, 5)));
  CHECK_FALSE(overlaps(ternary(std::uint64_t{1} << 63U, std::uint64_t{1} << 63U), range(0, kMost)));
  CHECK(overlaps(ternary(0, 0), range(INT64_MIN, INT64_MIN)));
}

TEST_CASE("words overlap by equality only") {
  CHECK(overlaps(word("a"), word("a")));
  CHECK_FALSE(overlaps(word("a"), word("b")));
  CHECK(overlaps(word("a"), any()));
  CHECK(overlaps(word("b"), list({text_constant("a"), text_constant("b")})));
  CHECK_FALSE(overlaps(word("a"), one(1)));
}

TEST_CASE("cells that accept nothing overlap nothing") {
  CHECK_FALSE(overlaps(list({}), any()));
  CHECK_FALSE(overlaps(range(5, 4), any()));
  CHECK_FALSE(overlaps(ternary(0, 1), any()));
  CHECK_FALSE(overlaps(ternary(0, 1), ternary(0, 0)));
  CHECK_FALSE(overlaps(ternary(0, 1), range(0, 5)));
}

TEST_CASE("a null key matches only `*`") {
  CHECK(accepts(any(), null_constant()));
  CHECK_FALSE(accepts(range(INT64_MIN, INT64_MAX), null_constant()));
  CHECK_FALSE(accepts(ternary(0, 0), null_constant()));
  CHECK_FALSE(accepts({Kind::Value, {null_constant()}, 0, 0}, null_constant()));
}

TEST_CASE("the first row that accepts every key is found, else the default") {
  Table table;
  table.rows = {{{one(149), word("NETIR"), ternary(0xF0, 0x10)}, {}, "a"},
                {{range(100, 200), any(), any()}, {}, "b"},
                {{any(), any(), one(7)}, {}, "c"}};
  const auto find = [&](std::int64_t code, const char* unit, std::int64_t intr) {
    return find_row(table, {int_constant(code), text_constant(unit), int_constant(intr)});
  };
  CHECK(find(149, "NETIR", 0x1F) == 0U);
  CHECK(find(149, "NETIR", 0x2F) == 1U);
  CHECK(find(150, "x", 7) == 1U);
  CHECK(find(99, "x", 7) == 2U);
  CHECK_FALSE(find(99, "x", 8));
  CHECK(find_row(table, {null_constant(), null_constant(), int_constant(7)}) == 2U);
  CHECK_FALSE(find_row(table, {int_constant(149)}));
}

TEST_CASE("cells print as in rules") {
  Type hex;
  hex.kind = ValueKind::Int;
  hex.reader = Reader::Bits32;
  CHECK(to_text(any(), {}) == "*");
  CHECK(to_text(one(5), {}) == "5");
  CHECK(to_text(one(5), hex) == "0x00000005");
  CHECK(to_text(range(3, 7), {}) == "3..7");
  CHECK(to_text(list({int_constant(1), int_constant(2)}), {}) == "{1, 2}");
  CHECK(to_text(ternary(0xF0, 0x10), {}) == "0xf0/0x10");
  CHECK(to_text(word("two words"), {}) == "\"two words\"");
}

}  // namespace
}  // namespace attrib::model
