#include "model/rarity.h"

#include <doctest/doctest.h>

namespace attrib::model {
namespace {

TEST_CASE("words of ordinary logs are expected more often than words of failures") {
  CHECK(expected_hits("NCCL INFO") > expected_hits("NVRM: Xid"));
  CHECK(expected_hits(" Channel ") > 100 * expected_hits("oom-kill:"));
  CHECK(expected_hits("") == 1);
}

}  // namespace
}  // namespace attrib::model
