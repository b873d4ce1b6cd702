#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/processor.h"
#include "evidence/line_count.h"

namespace attrib::evidence {
namespace {

std::string random_text(std::mt19937* random) {
  constexpr std::string_view kBytes = "\n\n\r:]; 0123,.{a\x1B\x0B\x8A";
  std::string text;
  for (std::size_t i = (*random)() % 300; i > 0; --i) {
    text += kBytes[(*random)() % kBytes.size()];
  }
  return text;
}

TEST_CASE("portable code counts lines as the other does") {
  std::mt19937 random(3);
  std::uint64_t lines_seen = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(&random);
    const LineCounts counts = count_lines(text);
    use_portable_code();
    const LineCounts portable_counts = count_lines(text);
    CHECK(count_line_ends(text) == counts.line_ends);
    use_portable_code(false);
    CHECK(count_line_ends(text) == counts.line_ends);
    CHECK(portable_counts.line_ends == counts.line_ends);
    CHECK(portable_counts.filled == counts.filled);
    CHECK(portable_counts.has_escape == counts.has_escape);
    lines_seen += counts.line_ends;
  }
  CHECK(lines_seen > 1000);
}

}  // namespace
}  // namespace attrib::evidence
