#pragma once

// Log records of OpenTelemetry (OTLP in its JSON form): one object `{"resourceLogs": [...]}`, as an
// exporter posts it or writes a line of a file, becomes many observations.

#include <string>
#include <string_view>
#include <vector>

#include "evidence/draft.h"

namespace attrib::evidence {

constexpr std::size_t kMaxOtlpBytes = std::size_t{16} << 20U;  // One object.

// Does the text of an object name `resourceLogs` as a key?
bool is_otlp(std::string_view object);

struct OtlpRead {
  std::vector<Draft> drafts;          // Framed; without ids and place.
  std::vector<std::string> problems;  // "resourceLogs[0].scopeLogs[0].logRecords[3]: ..."
};
// `base` is what the log file says of all records (source, node, rank), or nothing. An object that
// is too large, torn, too deep or no JSON is one problem and no draft.
OtlpRead read_otlp(std::string_view object, const Draft* base);

}  // namespace attrib::evidence
