#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/processor.h"
#include "evidence/line_count.h"
#include "evidence/stamp_places.h"

namespace attrib::evidence {
namespace {

std::string random_text(std::mt19937* random) {
  constexpr std::string_view kBytes = "\n\n\r:]; 0123,.{a\x1B\x0B\x8A";
  std::string text;
  for (std::size_t i = (*random)() % 300; i > 0; --i) {
    if ((*random)() % 20 == 0) text += "08:31:05 [ 12.5] ";
    text += kBytes[(*random)() % kBytes.size()];
  }
  return text;
}

TEST_CASE("portable code counts lines and finds stamps as the other does") {
  std::mt19937 random(3);
  std::size_t places_seen = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_text(&random);
    const LineCounts counts = count_lines(text);
    std::vector<std::size_t> places, portable_places;
    find_stamp_places(text, &places);
    use_portable_code();
    const LineCounts portable_counts = count_lines(text);
    CHECK(count_line_ends(text) == counts.line_ends);
    find_stamp_places(text, &portable_places);
    use_portable_code(false);
    CHECK(count_line_ends(text) == counts.line_ends);
    CHECK(portable_counts.line_ends == counts.line_ends);
    CHECK(portable_counts.filled == counts.filled);
    CHECK(portable_counts.has_escape == counts.has_escape);
    CHECK(portable_places == places);
    places_seen += places.size();
  }
  CHECK(places_seen > 1000);
}

}  // namespace
}  // namespace attrib::evidence
