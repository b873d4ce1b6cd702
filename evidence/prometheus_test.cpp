#include "evidence/prometheus.h"

#include <doctest/doctest.h>

namespace attrib::evidence {
namespace {

TEST_CASE("a sample of the text format gives name, labels and value") {
  const auto sample =
      read_metric_text(R"(DCGM_FI_DEV_XID{gpu="4",host="a\"b\\c\nd"} 7.3e+08 1779093065000)");
  REQUIRE(sample);
  CHECK(sample->name == "DCGM_FI_DEV_XID");
  CHECK(sample->labels.at("gpu") == "4");
  CHECK(sample->labels.at("host") == "a\"b\\c\nd");
  CHECK(sample->value == 730'000'000'000'000);
  CHECK(read_metric_text("up 1")->value == 1'000'000);
  CHECK(read_metric_text("x{} -0.5")->value == -500'000);
  CHECK(read_metric_text("x{a=\"1\",} 2")->labels.size() == 1);
}

TEST_CASE("other text is no sample") {
  for (const char* text :
       {"", "up", "up NaN", "# HELP up text", "iteration 42780/ 115311", "x{a=1} 2", "x{a=\"1\" 2",
        "x{a=\"1\"b=\"2\"} 2", "x{a=\"1\",a=\"2\"} 2", "x 1 2 3", "nvidia-smi: GPU 0"}) {
    CHECK_MESSAGE(!read_metric_text(text), text);
  }
}

}  // namespace
}  // namespace attrib::evidence
