// Bodies as clients post them to attribd: V2's when the first line is none of `#v1` (a whole V1
// observation), `#loki` and `#prometheus` (their payloads, which V1 puts into a string), `#patch`
// and `#header` (what is said of a workload). What is stored of a body must be read again without a
// complaint, as what it was taken for.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "evidence/read.h"
#include "service/header_merge.h"
#include "service/ingest.h"
#include "service/v1_observation.h"
#include "tests/fuzz/sample.h"

namespace attrib::fuzz {
namespace {

constexpr model::Nanos kStart = 1'779'105'600'000'000'000;

service::V1Context context() {
  service::V1Context out;
  out.start = kStart;
  out.end = kStart + model::kHour;
  return out;
}

service::Ingest payload(std::string_view bytes, bool loki) {
  service::Collector collector;
  const auto about = context();
  const bool read = loki ? service::collect_loki(bytes, about, &collector)
                         : service::collect_prometheus(bytes, &collector);
  if (!read) return service::Problem{422, "not of this form"};
  return std::move(collector).finish(true);
}

void check_stored(const service::Ingest& ingest) {
  if (const auto* problem = std::get_if<service::Problem>(&ingest)) {
    ATTRIB_CHECK(problem->status >= 400 && problem->status < 500,
                 "a bad body is not the server's fault");
    (void)service::to_response(*problem);
    return;
  }
  const auto& read = std::get<service::Ingested>(ingest);
  ATTRIB_CHECK(read.content.size() <= service::kMaxContent, "more is stored than may be");
  evidence::Assembly assembly({});
  evidence::Input posted, header;
  posted.name = "posted";
  posted.bytes = read.content;
  header.name = "header";
  header.bytes = read.header;
  if (!posted.bytes.empty())
    ATTRIB_CHECK(assembly.add(posted).ok(), "what is stored cannot be read");
  if (!header.bytes.empty()) ATTRIB_CHECK(assembly.add(header).ok(), "the header cannot be read");
  const auto evidence = std::move(assembly).finish();
  ATTRIB_CHECK(evidence.ok(), "what is stored contradicts itself");
  ATTRIB_CHECK(evidence.value().observations.size() <= read.accepted,
               "observations out of nothing");
  // One id with two contents is found when all is put together, and not before.
  ATTRIB_CHECK(evidence.value().counters.rejected <= read.accepted, "what is stored is rejected");
  if (!read.header.empty()) {
    const auto again = service::merge_header(read.header, read.header + " ");
    ATTRIB_CHECK(again.ok() && again.value() == read.header, "a header that is not itself");
  }
  run_and_print(sample_program(), evidence.value());
}

void header(std::string_view bytes, bool patch) {
  const auto made = patch ? service::patch_header("{}", bytes) : service::new_header(bytes);
  if (!made) return;
  const auto again = service::new_header(made.value());
  ATTRIB_CHECK(again.ok() && again.value() == made.value(), "a header that is not itself");
}

void post(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view form = bytes.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : bytes.substr(end + 1);
  if (form == "#loki" || form == "#prometheus") return check_stored(payload(rest, form == "#loki"));
  if (form == "#v1") return check_stored(service::ingest_v1(std::string(rest)).ingest);
  if (form == "#patch" || form == "#header") return header(rest, form == "#patch");
  check_stored(service::ingest_evidence(bytes));
}

}  // namespace
}  // namespace attrib::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attrib::fuzz::post({reinterpret_cast<const char*>(data), size});
  return 0;
}
