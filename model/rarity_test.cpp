#include "model/rarity.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/search_window.h"

namespace attrib::model {
namespace {

TEST_CASE("words of ordinary logs are expected more often than words of failures") {
  CHECK(expected_hits("NCCL INFO") > expected_hits("NVRM: Xid"));
  CHECK(expected_hits(" Channel ") > 100 * expected_hits("oom-kill:"));
  CHECK(expected_hits("") == 1);
}

TEST_CASE("a word that ordinary lines hold whole is as frequent as they are") {
  // Pairs of bytes make it unlikely; one in ten lines holds it.
  CHECK(expected_by_pairs(" iteration ") < 1e-8);
  CHECK(expected_hits(" iteration ") * kBytesOfLine > 0.05);
  CHECK(expected_hits("oom-kill:constraint") < 1e-12);
  // Digits of a hole stand for one another.
  CHECK(expected_hits("0 / 500000") < 1e-8);
  CHECK(expected_hits("7/  500000") * kBytesOfLine > 0.005);
  CHECK(expected_hits("7/  500000") == doctest::Approx(expected_hits("3/  500000")));
  CHECK(expected_hits("/  500000 | consumed samples: 7") ==
        doctest::Approx(expected_hits("/  500000 | consumed samples:") / 10));
}

TEST_CASE("each stretch of a text is expected as it is alone") {
  const std::string text = "NVRM: Xid\t(\x01)";
  for (const bool any_case : {false, true}) {
    for (std::size_t size = 1; size <= text.size() + 1; ++size) {
      std::vector<double> each;
      expected_by_pairs(text, any_case, size, &each);
      CHECK(each.size() == text.size() + 1 - size);
      for (std::size_t at = 0; at < each.size(); ++at)
        CHECK(each[at] == expected_by_pairs(text.substr(at, size), any_case));
    }
  }
}

TEST_CASE("a literal is found by the words that ordinary lines do not hold") {
  // In what stands behind " iteration ".
  CHECK(rarest_window(" iteration qzvxwk").at >= 9);
  CHECK(rarest_window(" iteration qzvxwk").candidates < rarest_window(" iteration ").candidates);
  CHECK(search_cost(" iteration ") > 10 * search_cost("qzvxwkjyqzv"));
  CHECK(search_cost("qzvxwk") > search_cost("qzvxwkj"));
  CHECK(search_cost("xwkjyqzv") <= search_cost("xwkjyqz"));
}

}  // namespace
}  // namespace attrib::model
