#include "evidence/label_places.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace attrib::evidence {
namespace {

StreamKey of_rank(std::uint32_t rank) {
  StreamKey out;
  out.rank = rank;
  return out;
}

std::vector<std::size_t> all_of(const std::string& text, const StreamKey& stream) {
  std::vector<std::size_t> out;
  LabelPlaces places(text, stream);
  for (std::size_t at = places.next(0); at != std::string::npos; at = places.next(at + 1))
    out.push_back(at);
  return out;
}

TEST_CASE("a label is found by its number and what stands behind it") {
  const std::string text = "[rank7]: a\n[rank17]: b\n7: c\n[1,7]<stdout>: d\n[rank71]: e\n";
  CHECK(all_of(text, of_rank(7)) == std::vector<std::size_t>{6, 18, 32});  // 17 ends as 7 does.
  StreamKey task;
  task.label_kind = LabelKind::Task;
  task.label = 7;
  CHECK(all_of(text, task) == std::vector<std::size_t>{24});
  task.label_kind = LabelKind::LocalRank;
  CHECK(all_of("[default7]:x", task) == std::vector<std::size_t>{9});
}

TEST_CASE("what may hide a label is found too, an object only where it begins its line") {
  const std::string text = "a {b}\n  {\"log\":\"x\"}\n\x1B[36mblue\n";
  CHECK(all_of(text, of_rank(7)) ==
        std::vector<std::size_t>{text.find("{\"log"), text.find('\x1B')});
  CHECK(all_of("no label at all\n", of_rank(7)).empty());
}

TEST_CASE("from the end the same places are found") {
  std::mt19937 random(11);
  constexpr std::string_view kPieces[] = {"7]", "17]", "7:", "]", " ", "\n", "{", "\x1B", "[rank"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += kPieces[random() % std::size(kPieces)];
    std::vector<std::size_t> forward = all_of(text, of_rank(7)), back;
    LabelPlaces places(text, of_rank(7));
    for (std::size_t at = places.last(text.size()); at != std::string::npos; at = places.last(at))
      back.insert(back.begin(), at);
    CHECK(back == forward);
  }
}

}  // namespace
}  // namespace attrib::evidence
