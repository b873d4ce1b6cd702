// Evidence: JSON, NDJSON, or a raw log when the first line is `#log SPEC` (as for --log, without
// the path). What is read must be in canonical order and clean, and a program must run on it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "evidence/read.h"
#include "tests/fuzz/sample.h"

namespace attrib::fuzz {
namespace {

evidence::Input input_of(std::string_view bytes) {
  constexpr std::string_view kLog = "#log ";
  evidence::Input input;
  input.name = "fuzz";
  if (bytes.starts_with(kLog)) {
    const std::size_t end = bytes.find('\n');
    const auto spec =
        bytes.substr(kLog.size(), end == std::string_view::npos ? end : end - kLog.size());
    if (auto parsed = evidence::parse_log_spec(std::string(spec) + "=fuzz"); parsed.ok()) {
      input.log = parsed.value();
      bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
    }
  }
  input.bytes = bytes;
  return input;
}

void check_clean(const evidence::Evidence& evidence) {
  for (const auto& o : evidence.observations) {
    ATTRIB_CHECK(!o.ids.empty(), "an observation without an id");
    ATTRIB_CHECK(o.message.size() <= evidence::kMaxMatchBytes, "a message longer than the limit");
    ATTRIB_CHECK(escape_invalid_utf8(o.message) == o.message, "a message that is not UTF-8");
    ATTRIB_CHECK((o.speaks & model::source_bit(o.source)) != 0,
                 "an observation that does not speak for its source");
    ATTRIB_CHECK(o.stream >= 1 && o.stream <= evidence.streams.size(),
                 "an observation of no stream");
    ATTRIB_CHECK(o.seen.lo <= o.seen.hi, "a time that ends before it begins");
  }
  ATTRIB_CHECK(evidence.problems.size() <= evidence::kMaxProblems + 1,
               "more problems than are kept");
}

void read_all(std::string_view bytes) {
  (void)evidence::parse_time(bytes);
  (void)evidence::parse_zone(bytes);
  (void)evidence::parse_log_spec(bytes);
  evidence::ReadOptions options;
  options.year = 2026;
  const evidence::Input input = input_of(bytes);
  const auto read = evidence::read({input}, options);
  if (!read.ok()) return;
  check_clean(read.value());
  run_and_print(sample_program(), read.value());
  // Delivered twice it is the same evidence.
  const auto twice = evidence::read({input, input}, options);
  if (twice.ok() && !input.log) {
    ATTRIB_CHECK(twice.value().observations.size() >= read.value().observations.size(),
                 "evidence lost by more of it");
  }
}

}  // namespace
}  // namespace attrib::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attrib::fuzz::read_all({reinterpret_cast<const char*>(data), size});
  return 0;
}
