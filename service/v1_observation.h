#pragma once

// V1's observations: `context` says what the string `body` holds. Both forms become
// attrib.evidence/1.

#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"
#include "model/vocabulary.h"
#include "service/ingest.h"

namespace attrib::service {

struct V1Context {
  model::SourceKind source = model::SourceKind::Syslog;
  std::string format;  // "raw_loki_streams" or "prometheus_metrics"
  std::optional<model::Nanos> start, end;
};

struct V1Read {
  const char* kind = "loki";  // For listings.
  Ingest ingest;
};
V1Read ingest_v1(std::string body);

// The payloads. False: not of this form at all, and nothing was collected.
bool collect_loki(std::string_view payload, const V1Context& context, Collector* into);
bool collect_prometheus(std::string_view payload, Collector* into);

// `{"kind": ..., "node": ..., "coverage": [[start, end]]}` for each node, as the body of a header's
// `sources`.
std::string coverage_header(const std::vector<std::pair<model::SourceKind, std::string>>& delivered,
                            const V1Context& context);

}  // namespace attrib::service
